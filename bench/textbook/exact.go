package textbook

import (
	"cmp"
	"slices"
)

// Exact is a sliding window of maps: one a pane, and their sum.
type Exact struct {
	panes []map[string]*uint64
	total map[string]*uint64
	at    int
}

// NewExact makes a window of that many panes.
func NewExact(panes int) *Exact {
	x := &Exact{total: map[string]*uint64{}}
	for range panes {
		x.panes = append(x.panes, map[string]*uint64{})
	}
	return x
}

// Add counts n for a key in the open pane.
func (x *Exact) Add(key []byte, n uint32) {
	add(x.panes[x.at], key, uint64(n))
	add(x.total, key, uint64(n))
}

func add(m map[string]*uint64, key []byte, n uint64) {
	if v, ok := m[string(key)]; ok {
		*v += n
		return
	}
	m[string(key)] = &n
}

// Tick closes the open pane and drops the oldest one.
func (x *Exact) Tick() {
	x.at = (x.at + 1) % len(x.panes)
	for key, v := range x.panes[x.at] {
		sum := x.total[key]
		if *sum -= *v; *sum == 0 {
			delete(x.total, key)
		}
	}
	x.panes[x.at] = map[string]*uint64{}
}

// Count is what the window has of a key.
func (x *Exact) Count(key string) uint64 {
	if v, ok := x.total[key]; ok {
		return *v
	}
	return 0
}

// Distinct is the number of keys in the window.
func (x *Exact) Distinct() int { return len(x.total) }

// Top gives the n heaviest keys, heaviest first, ties by name.
func (x *Exact) Top(n int) []Entry {
	all := make([]Entry, 0, len(x.total))
	for key, v := range x.total {
		all = append(all, Entry{key, *v})
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key)) })
	return all[:min(n, len(all))]
}
