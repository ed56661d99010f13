package crash

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Notices are what a receiver was told. The zero value has been told nothing. Safe for concurrent use.
type Notices struct {
	mu   sync.Mutex // requests come at once
	got  map[string][]time.Time
	bad  []string
	kind map[string]int
}

// Take adds one request: the dedup key of its header and that of its body, what it is about, and when it came.
func (n *Notices) Take(header, body, kind string, at time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.got == nil {
		n.got, n.kind = map[string][]time.Time{}, map[string]int{}
	}
	if header != body || body == "" {
		n.bad = append(n.bad, fmt.Sprintf("a notice with the dedup key %q in its header and %q in its body", header, body))
	}
	n.got[body] = append(n.got[body], at)
	n.kind[kind]++
}

// Refuse adds a request that could not be understood.
func (n *Notices) Refuse(why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bad = append(n.bad, why)
}

// Span is a time in which a fault explains that something is done twice.
type Span struct{ From, To time.Time }

// Problems says which entries of a journal were never told, and which were told twice without a fault between.
func (n *Notices) Problems(wanted map[string]string, faults []Span) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	found := slices.Clone(n.bad)
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if len(n.got[id]) == 0 {
			found = append(found, fmt.Sprintf("never told: %s (%s)", id, wanted[id]))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(n.got)) {
		for i := 1; i < len(n.got[id]); i++ {
			from, to := n.got[id][i-1], n.got[id][i]
			across := func(s Span) bool { return s.From.Before(to) && s.To.After(from) }
			if !slices.ContainsFunc(faults, across) {
				found = append(found, fmt.Sprintf("told twice, at %v and %v, without a fault between: %s (%s)", from, to, id, wanted[id]))
			}
		}
	}
	return found
}

// String is how much was told.
func (n *Notices) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all, twice := 0, 0
	for _, times := range n.got {
		all += len(times)
		twice += len(times) - 1
	}
	return fmt.Sprintf("%d requests, %d of them repeated; kinds %v", all, twice, n.kind)
}
