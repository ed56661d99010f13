package sketch

import (
	"firebreak/bench/textbook"
	core "firebreak/sketch"
)

// parts are what several instances counted of one pane, as it travels on a log.
type parts [][]byte

// makeParts lets n instances count a pane each of the stream.
func makeParts(stream *textbook.Stream, size core.Config, n int) (parts, error) {
	summary, f := core.NewSummary(size), newFeeder(stream, false)
	var part core.Part
	all := make(parts, n)
	for pane := range all {
		for i, to := Span(stream, pane); i < to; i++ {
			summary.Add(f.at(i, pane))
		}
		summary.Part(&part)
		var err error
		if all[pane], err = part.Append(nil, core.MaxPart); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// bytes is the size of all of them.
func (p parts) bytes() int {
	sum := 0
	for _, data := range p {
		sum += len(data)
	}
	return sum
}

// merger takes the same parts into one pane after the other, and slides the window behind each.
type merger struct {
	window *core.Sliding
	parts  parts
	seed   uint64
	part   core.Part
	pane   int64
	err    error // the first
}

// merger makes a window that the first n parts come into. It has as many panes as the size says, all in use.
func (p parts) merger(size core.Config, n int) (*merger, error) {
	w, err := core.NewSliding(size)
	if err != nil {
		return nil, err
	}
	m := &merger{window: w, parts: p[:n], seed: size.Seed}
	for range size.Panes {
		m.run()
	}
	return m, m.err
}

// run takes the parts into the next pane.
func (m *merger) run() {
	m.pane++
	for _, data := range m.parts {
		if err := m.part.Decode(data, m.seed); err != nil {
			m.err = err
			return
		}
		if err := m.window.Accept(m.pane, &m.part); err != nil {
			m.err = err
			return
		}
	}
	m.window.Slide(m.pane)
}
