package crash

import (
	"fmt"
	"slices"
	"time"

	"firebreak/internal/line"
)

// Hotspot is what the journal says of one hotspot.
type Hotspot struct {
	ID       string
	Shard    string
	Cause    string // of its last verdict that was firing, as Key and Tenant
	Key      string
	Onset    time.Time
	Fired    []time.Time // appended to the journal
	Resolved []time.Time
	By       []string // instances that wrote of it, in order, each change once
}

// take adds a verdict.
func (h *Hotspot) take(v *line.Verdict, at time.Time, phase, by string) {
	switch phase {
	case "fired":
		h.Fired = append(h.Fired, at)
	case "resolved":
		h.Resolved = append(h.Resolved, at)
	}
	if phase != "resolved" {
		h.Shard, h.Cause, h.Key, h.Onset = string(v.Shard), v.Cause, string(v.Key), time.Time(v.Onset)
	}
	if n := len(h.By); n == 0 || h.By[n-1] != by {
		h.By = append(h.By, by)
	}
}

// Problems says what is wrong with a hotspot whose key is given: each fires once, and resolves once.
func (h *Hotspot) Problems(key string) (found []string) {
	if len(h.Fired) != 1 || len(h.Resolved) != 1 {
		found = append(found, fmt.Sprintf("hotspot %s fired %d times and resolved %d times", h.ID, len(h.Fired), len(h.Resolved)))
	}
	if h.Cause != "hot_key" || h.Key != key {
		found = append(found, fmt.Sprintf("hotspot %s: %s %q, want hot_key %q", h.ID, h.Cause, h.Key, key))
	}
	return found
}

// Differ says how the hotspots of a run differ from those of a run without faults: shard, cause, key, and the onset by more
// than a pane.
func Differ(want, got []Hotspot, pane time.Duration) (found []string) {
	if len(want) != len(got) {
		found = append(found, fmt.Sprintf("%d hotspots without faults, %d with them", len(want), len(got)))
	}
	for i := range want {
		if i == len(got) {
			break
		}
		w, g := &want[i], &got[i]
		if w.Shard != g.Shard || w.Cause != g.Cause || w.Key != g.Key || w.Onset.Sub(g.Onset).Abs() > pane {
			found = append(found, fmt.Sprintf("hotspot %d: without faults %s of %q on shard %s since %v, with them %s of %q on shard %s since %v",
				i, w.Cause, w.Key, w.Shard, w.Onset, g.Cause, g.Key, g.Shard, g.Onset))
		}
	}
	return found
}

// sortHotspots orders them by onset.
func sortHotspots(all []Hotspot) {
	slices.SortFunc(all, func(a, b Hotspot) int { return a.Onset.Compare(b.Onset) })
}
