package sketch

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"firebreak/bench/measure"
	"firebreak/bench/textbook"
	core "firebreak/sketch"
)

// Operations is what a full window of ours costs beside the records.
type Operations struct {
	// Calls are what may be asked of it, Nanos those of one call. The pane that comes before a list is in
	// the list's allocations, not in its time.
	Calls []measure.Result
	// Part is the mean size of a part on a log, in bytes.
	Part int
	// Speedup is how many times as much two goroutines count as one, each in a summary of its own: 2 at best, less
	// where two cores are not to be had.
	Speedup float64
}

// RunOperations measures them on the first stream of textbook.Kinds.
func RunOperations(cfg Config) (Operations, error) {
	if err := cfg.validate(); err != nil {
		return Operations{}, err
	}
	stream := textbook.Draw(textbook.Kinds()[0], cfg.Panes, cfg.Updates, cfg.Seed)
	size, err := size(cfg.Panes)
	if err != nil {
		return Operations{}, err
	}
	w, err := full(stream, size)
	if err != nil {
		return Operations{}, err
	}
	parts, err := makeParts(stream, size, instances)
	if err != nil {
		return Operations{}, err
	}
	merge, err := parts.merger(size, instances)
	if err != nil {
		return Operations{}, err
	}
	unknown := []byte("key:of nothing that came")
	watch, turn := &stopwatch{start: time.Now()}, turner(w, stream)
	o := Operations{Part: parts.bytes() / instances}
	o.Calls, err = measure.Run([]measure.Case{
		{Name: "list the 100 heaviest keys and tenants, pane by pane, with bounds, after each pane", Units: 1, Run: func() {
			watch.aside(turn)
			w.Window(shortList)
		}},
		{Name: "list the 100 heaviest keys and tenants", Units: 1, Run: func() { w.Leaders(shortList) }},
		{Name: "ask for a key that no pane lists", Units: 1, Run: func() { w.Ask(unknown) }},
		{Name: fmt.Sprintf("merge %d parts of %d records from bytes, slide", instances, cfg.Updates), Units: 1, Run: merge.run},
	}, measure.Config{Rounds: cfg.Rounds, Round: time.Millisecond, Clock: watch.read})
	if err != nil {
		return Operations{}, err
	}
	if merge.err != nil {
		return Operations{}, merge.err
	}
	o.Speedup = speedup(stream, size, min(cfg.Rounds, 3*measure.MinRounds))
	return o, nil
}

// turner gives what counts one more pane of the stream, of which the window has counted all, and ends it.
func turner(w *core.Sliding, stream *textbook.Stream) func() {
	f, pane := newFeeder(stream, false), stream.Panes
	return func() {
		for i, to := Span(stream, pane); i < to; i++ {
			w.Add(f.at(i, pane))
		}
		w.Slide(int64(pane))
		pane++
	}
}

// full makes a window that has counted the stream.
func full(stream *textbook.Stream, size core.Config) (*core.Sliding, error) {
	w, err := core.NewSliding(size)
	if err != nil {
		return nil, err
	}
	f := newFeeder(stream, false)
	for pane := range stream.Panes {
		for i, to := Span(stream, pane); i < to; i++ {
			w.Add(f.at(i, pane))
		}
		w.Slide(int64(pane))
	}
	return w, nil
}

// speedup gives how many times as much two goroutines count as one: the median of rounds.
func speedup(stream *textbook.Stream, size core.Config, rounds int) float64 {
	summaries := []*core.Summary{core.NewSummary(size), core.NewSummary(size)}
	count := func(n int) float64 {
		from := time.Now()
		done := make(chan struct{})
		for _, s := range summaries[:n] {
			go func() {
				f := newFeeder(stream, false)
				for pane := range min(stream.Panes, lap) {
					for i, to := Span(stream, pane); i < to; i++ {
						s.Add(f.at(i, pane))
					}
				}
				s.Reset()
				done <- struct{}{}
			}()
		}
		for range n {
			<-done
		}
		return micros(time.Since(from))
	}
	var ratios []float64
	for range rounds {
		one := count(1)
		ratios = append(ratios, 2*one/count(2))
	}
	return median(ratios)
}

// lap is how many panes a goroutine counts in a round.
const lap = 5

// Write prints them.
func (o *Operations) Write(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := fmt.Fprintln(out, "a full window of ours\tus\tquartiles\tallocations\t")
	for i := range o.Calls {
		if err != nil {
			return err
		}
		c := &o.Calls[i]
		_, err = fmt.Fprintf(out, "%s\t%.1f\t%.1f-%.1f\t%.0f\t\n", c.Name, c.Nanos/1000, c.Low/1000, c.High/1000, c.Allocs)
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\na part has %.1f KiB on a log; two goroutines count %.2f times as much as one\n", float64(o.Part)/1024, o.Speedup)
	return err
}
