package console

import (
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// maxChanged bounds the changes of routing that are kept of a fleet, and maxUndos its plans that are of no hotspot.
const (
	maxChanged = 200
	maxUndos   = 50
)

// changed is an entry of the journal about the routing of a fleet: a change that somebody asked for, a step of an operation, or a word.
type changed struct {
	id        string
	at        time.Time
	version   uint64
	do, by    string
	reason    string
	refused   string // why nothing was changed; empty = it was
	operation uint64
	text      phrase // of a step, or of a word of a plan, a hotspot or an operation; nil = the change says itself
	changes   []actuator.Change
	more      int
}

// acted takes in an entry of the journal about the routing of the fleet, or a plan that is of no hotspot.
func (f *fleet) acted(e *actuator.Entry) {
	switch e.Kind { //nolint:exhaustive // what else there is, is of hotspots
	case actuator.KindPlan:
		f.undo(e)
	case actuator.KindRouted:
		if r, err := actuator.Read[actuator.Routed](e); err == nil {
			f.keep(&changed{
				id: e.ID, at: e.At, version: r.Version, do: r.Do, by: string(r.By), reason: string(r.Reason), refused: string(r.Refused), changes: r.Changes, more: r.More,
			})
		}
	case actuator.KindActed:
		if a, err := actuator.Read[actuator.Acted](e); err == nil {
			f.keep(&changed{
				id: e.ID, at: e.At, version: a.Version, do: a.Do, by: string(a.By), reason: string(a.Reason), refused: string(a.Refused), operation: a.Operation,
				text: words.Say(new(notify.Guide).Sentence(&notify.Notice{Entry: e})).Apart(), changes: a.Changes, more: a.More,
			})
		}
	}
}

// keep keeps a change in the order of its version and time; the oldest goes.
func (f *fleet) keep(c *changed) {
	if slices.ContainsFunc(f.changed, func(o *changed) bool { return o.id == c.id }) {
		return
	}
	f.changed = append(f.changed, c)
	f.changed = f.changed[max(0, len(f.changed)-maxChanged):]
}

// undo takes in that a plan of no hotspot stands, or does not any more.
func (f *fleet) undo(e *actuator.Entry) {
	if e.Hotspot != "" {
		return
	}
	p, err := actuator.Read[line.Plan](e)
	if err != nil {
		return
	}
	f.undos = slices.DeleteFunc(f.undos, func(o *plan) bool { return o.ID == p.ID })
	if e.Phase != actuator.PhaseEnded {
		f.undos = append(f.undos, &plan{Plan: &p, since: e.At})
		f.undos = f.undos[max(0, len(f.undos)-maxUndos):]
	}
}

// plan is one that stands, with its hotspot.
type plan struct {
	*line.Plan

	since time.Time
	shard string // that is hot; empty = none
	holds []*line.Hold
}

// fix is what the plan is called.
func (p *plan) fix() string {
	if p.Undo { // its projection is of no fix
		return "undo"
	}
	return p.Projection.Fix
}

// plans are those that stand, of open hotspots and others, oldest first.
func (f *fleet) plans() []*plan {
	var out []*plan
	for _, h := range f.order {
		if h.open() && h.plan != nil && h.verdict != nil {
			out = append(out, &plan{h.plan, h.planned, string(h.verdict.Shard), append(slices.Clone(h.holds), f.holds()...)})
		}
	}
	for _, u := range f.undos {
		out = append(out, &plan{u.Plan, u.since, "", f.holds()})
	}
	slices.SortStableFunc(out, func(a, b *plan) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return out
}

// holds are those of the fleet.
func (f *fleet) holds() []*line.Hold {
	if f.now == nil {
		return nil
	}
	return f.now.holds
}

// planOf finds a plan that stands; nil = there is none.
func (f *fleet) planOf(id string) *plan {
	for _, p := range f.plans() {
		if string(p.ID) == id {
			return p
		}
	}
	return nil
}
