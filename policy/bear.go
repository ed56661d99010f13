package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"firebreak/routing"
)

// targetOf is what a shard of a candidate may bear: that of its own capacity, or of the fleet's where it has none. A dedicated shard may
// run hot, up to what the fleet's shards bear.
func (e *evidence) targetOf(shard routing.Shard) float64 {
	capacity := e.v.capacity(shard)
	if capacity == 0 && shard.Role == routing.Dedicated {
		capacity = e.v.capacity(routing.Shard{Role: routing.Serving})
	}
	switch {
	case capacity > 0:
		return e.v.cfg.Lines.Target * capacity
	case shard.Role == routing.Dedicated:
		return math.Inf(1)
	}
	return e.target
}

// bears says what the shards that an isolation fills bear, of which capacity and under which line; empty where it fills none.
func (l *layout) bears(p *Projection) string {
	var text strings.Builder
	for _, id := range l.filled(p.Loads) {
		shard := l.doc.Shards[id]
		fmt.Fprintf(&text, "; %s then bears %s/s", l.called(shard.Name), rate(p.Loads[id]))
		capacity := l.e.v.capacity(shard)
		switch {
		case capacity > 0:
			fmt.Fprintf(&text, ", %s of its capacity of %s/s, line %s/s", percent(p.Loads[id]/capacity), rate(capacity), rate(l.e.v.cfg.Lines.Warning*capacity))
		case math.IsInf(p.Targets[id], 1):
			text.WriteString(" and may run hot: its capacity is not known")
		default:
			fmt.Fprintf(&text, ", at most %s/s", rate(p.Targets[id]))
		}
	}
	return text.String()
}

// along says what goes off the hot shard with a fix that is no split: its neighbours, where the fix by itself does not do. A projection
// would seem to take off more than its key has. Empty where none move. The layout is finished.
func (l *layout) along(fix Fix) string {
	if fix == FixSplit || fix == FixScaleOut {
		return ""
	}
	off, to := map[routing.VShard]bool{}, map[routing.ShardID]bool{}
	for i := range l.steps {
		if l.steps[i].Kind != StepMove {
			continue
		}
		for _, m := range l.steps[i].Moves {
			if l.e.v.s.Table.Owner(m.VShard) == l.e.id {
				off[m.VShard], to[m.To] = true, true
			}
		}
	}
	if len(off) == 0 {
		return ""
	}
	var load float64
	for _, g := range l.e.grains(l.e.w.panes) {
		if off[g.vshard] {
			load += g.all.load
		}
	}
	return fmt.Sprintf("; with it %s/s of the shard's other load move to %s", rate(load/l.e.w.seconds), plural(len(to), "colder shard"))
}

// filled are the shards of their own that the steps give to tenants and keys, of those whose loads are known.
func (l *layout) filled(loads []float64) []int {
	var out []int
	for i := range l.steps {
		step := &l.steps[i]
		if step.Kind != StepPlaceTenant && step.Kind != StepPlaceKey {
			continue
		}
		for id, shard := range l.doc.Shards {
			if slices.Contains(step.Shards, shard.Name) && id < len(loads) {
				out = append(out, id)
			}
		}
	}
	return out
}

// own is the load/s of the heaviest shard of its own that a tenant or a key gets; 0 = none gets one.
func (l *layout) own(loads []float64) (most float64) {
	for _, id := range l.filled(loads) {
		most = max(most, loads[id])
	}
	return most
}
