package sketch

import (
	"firebreak/bench/textbook"
)

// Window is a contender's sliding window over a stream: as many complete panes as the stream has, and the open one.
// Panes are numbered from 0; a number beyond the stream's panes begins it anew.
type Window struct {
	// Count counts every record of a pane.
	Count func(pane int)
	// Turn ends a pane.
	Turn func(pane int) error
	// Top lists the n heaviest keys, heaviest first.
	Top func(n int) []textbook.Entry
	// Most is the most memory that it can ever take, in bytes; 0 = it names none.
	Most int
}

// Contender is one way to count a sliding window.
type Contender struct {
	// Name says what it is.
	Name string
	// Heavy says that its memory is so many objects that the garbage collector would slow everybody: it is measured
	// beside Ours in a run of its own, of the fewest rounds.
	Heavy bool
	// Open makes an empty window over a stream.
	Open func(s *textbook.Stream) (Window, error)
}

// Span gives the first record of a pane, and the first behind it.
func Span(s *textbook.Stream, pane int) (from, to int) {
	from = pane % s.Panes * s.PerPane
	return from, from + s.PerPane
}

// standard returns the plain ways. Their windows have one pane more than the stream: the open one is one of theirs.
func standard() []Contender {
	return []Contender{
		{Name: "ring of Count-Min 4 x 65,536 + heap", Open: func(s *textbook.Stream) (Window, error) {
			return ring(s, textbook.NewRing(s.Panes+1, longList, textbook.Width)), nil
		}},
		{Name: "ring of maps, exact", Heavy: true, Open: func(s *textbook.Stream) (Window, error) {
			return maps(s, textbook.NewExact(s.Panes+1)), nil
		}},
	}
}

// ring makes the window of a textbook ring of Count-Mins.
func ring(s *textbook.Stream, r *textbook.Ring) Window {
	return Window{
		Count: func(pane int) {
			for i, to := Span(s, pane); i < to; i++ {
				r.Add(s.Key(i), 1)
			}
		},
		Turn: func(int) error { r.Tick(); return nil },
		Top:  r.Top,
		Most: r.Bytes(),
	}
}

// maps makes the window of the exact ring.
func maps(s *textbook.Stream, x *textbook.Exact) Window {
	return Window{
		Count: func(pane int) {
			for i, to := Span(s, pane); i < to; i++ {
				x.Add(s.Key(i), 1)
			}
		},
		Turn: func(int) error { x.Tick(); return nil },
		Top:  x.Top,
	}
}
