package report

import (
	"math"
	"slices"
	"time"

	"firebreak/dashboards/draw"
)

// maxColumns bounds a time axis. When it is full, neighbours are joined by maximum and the columns stand for twice the
// time, so that 121 to 240 columns cover any length but the shortest.
const maxColumns = 240

// timeline is a time axis of growing columns. The zero value begins with the first moment that it is asked for.
type timeline struct {
	begun bool
	first time.Time
	width time.Duration
}

// column is the column of a moment; join is called each time that the columns have to be joined in pairs first. A moment
// before the first one is in column 0.
func (t *timeline) column(at time.Time, pane time.Duration, join func()) int {
	if !t.begun {
		t.begun, t.first, t.width = true, at, pane
	}
	for at.Sub(t.first)/t.width >= maxColumns {
		t.width *= 2
		join()
	}
	return max(0, int(at.Sub(t.first)/t.width))
}

// joined joins neighbours in pairs.
func joined[T any](list []T, join func(a, b T) T) []T {
	out := list[:0]
	for i := 0; i < len(list); i += 2 {
		if i+1 < len(list) {
			out = append(out, join(list[i], list[i+1]))
			continue
		}
		out = append(out, list[i])
	}
	return out
}

// grown is list with at least n entries.
func grown[T any](list []T, n int) []T {
	if n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	return list
}

// series is the load of one shard over time.
type series struct {
	timeline
	loads []float64
	known []bool // of which a pane was added
}

func (s *series) add(at time.Time, pane time.Duration, load float64) {
	i := s.column(at, pane, func() {
		s.loads = joined(s.loads, func(a, b float64) float64 { return max(a, b) })
		s.known = joined(s.known, func(a, b bool) bool { return a || b })
	})
	s.loads, s.known = grown(s.loads, i+1), grown(s.known, i+1)
	s.loads[i], s.known[i] = max(s.loads[i], load), true
}

// shown are the loads, NaN where none is known.
func (s *series) shown() []float64 {
	out := slices.Clone(s.loads)
	for i := range out {
		if !s.known[i] {
			out[i] = math.NaN()
		}
	}
	return out
}

// grid is the load of all shards over time.
type grid struct {
	timeline
	columns int
	cells   [][]draw.Cell // [shard][column]
	peaks   []peak
}

// peak is the most that one shard bore.
type peak struct {
	full  float64 // load / line, of panes that are beyond doubt or under the line
	thin  float64 // of panes over the line that may be chance
	load  float64 // load/s of the heavier
	at    time.Time
	total float64 // load / line, summed over panes
	panes int
}

// add lays one pane into the grid.
func (g *grid) add(at time.Time, pane time.Duration, cells []draw.Cell, loads []float64) {
	i := g.column(at, pane, func() {
		for s := range g.cells {
			g.cells[s] = joined(g.cells[s], draw.Cell.Join)
		}
		g.columns = (g.columns + 1) / 2
	})
	g.columns = max(g.columns, i+1)
	g.cells, g.peaks = grown(g.cells, len(cells)), grown(g.peaks, len(cells))
	for s, c := range cells {
		g.cells[s] = grown(g.cells[s], i+1)
		g.cells[s][i] = g.cells[s][i].Join(c)
		p, full := &g.peaks[s], float64(c.Full)
		if full > p.full || p.panes == 0 {
			p.full, p.load, p.at = full, loads[s], at
		}
		p.thin = max(p.thin, float64(c.Thin))
		p.total += full
		p.panes++
	}
}
