package closedloop_test

import (
	"testing"

	"pgregory.net/rapid"

	"firebreak/internal/closedloop"
)

// TestMovesAreLeast compares the search with every assignment of small fleets, one by one: where one operation is enough, and where none is.
func TestMovesAreLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "shards")
		p := &closedloop.Problem{Fixed: make([]float64, n), Limit: make([]float64, n), AtMost: float64(rapid.IntRange(1, 60).Draw(t, "at most")), Keep: -1}
		for range rapid.IntRange(1, 7).Draw(t, "virtual") {
			p.Loads = append(p.Loads, float64(rapid.IntRange(1, 30).Draw(t, "load")))
			p.Owner = append(p.Owner, rapid.IntRange(0, n-1).Draw(t, "owner"))
		}
		for id := range p.Limit {
			p.Limit[id] = float64(rapid.IntRange(20, 80).Draw(t, "limit"))
		}
		got, ok := p.Moves(1)
		if want, is := all(p, n); ok != is || ok && got != want {
			t.Fatalf("%d, %v, want %d, %v", got, ok, want, is)
		}
		if ok && !p.Fits() {
			t.Fatal("it says that nothing fits")
		}
	})
}

// all tries every assignment that takes virtual shards off shards that are over their limit, in one operation.
func all(p *closedloop.Problem, n int) (int, bool) {
	best, found := 2, false
	to := make([]int, len(p.Loads))
	var try func(v int)
	try = func(v int) {
		if v < len(to) {
			for to[v] = range n {
				try(v + 1)
			}
			return
		}
		if operations, ok := taken(p, to, n); ok && operations < best {
			best, found = operations, true
		}
	}
	try(0)
	return best, found
}

func taken(p *closedloop.Problem, to []int, n int) (int, bool) {
	was, is, moved := make([]float64, n), make([]float64, n), 0.0
	for v, load := range p.Loads {
		was[p.Owner[v]] += load
		is[to[v]] += load
	}
	for v, load := range p.Loads {
		if to[v] != p.Owner[v] {
			if moved += load; was[p.Owner[v]] <= p.Limit[p.Owner[v]] {
				return 0, false
			}
		}
	}
	for id := range is {
		if is[id] > p.Limit[id] {
			return 0, false
		}
	}
	if moved > p.AtMost {
		return 0, false
	}
	if moved > 0 {
		return 1, true
	}
	return 0, true
}
