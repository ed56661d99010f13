package notify

import (
	"slices"

	"firebreak/actuator"
	"firebreak/internal/line"
)

const (
	// maxStories is how many hotspots a queue remembers; the ones that were heard of first are forgotten first.
	maxStories = 1000
	// maxHeld is how many holds of a hotspot a story has.
	maxHeld = 8
)

// Story is what the journal holds of one hotspot. It is read only: news makes another one.
type Story struct {
	Verdict  *line.Verdict // as last told while it fired; nil = not known
	Found    line.Stamp    // when it was first told
	Critical bool          // it was, once
	Plan     *line.Plan    // that stands, without moves and footprint; nil = none
	Held     []line.Hold   // that stand, the first first
	Over     bool

	Operations []Doing // that were begun for it, the first first; at most maxDoings
	Said       *Said   // what a person said of its plan last, of the one that stands; nil = nothing
}

// stories are those of a queue by lane.
type stories struct {
	known map[string]*Story
	order []string
}

// apply takes in an entry of the journal.
func (s *stories) apply(e *actuator.Entry) {
	if e.Hotspot == "" || e.Kind == actuator.KindDelivered {
		return
	}
	at := home(e)
	next := Story{}
	if was := s.known[at]; was != nil {
		next = *was
	} else {
		s.order = append(s.order, at)
	}
	next.apply(e)
	s.known[at] = &next
	for len(s.known) > maxStories {
		delete(s.known, s.order[0])
		s.order = s.order[1:]
	}
}

// home is the hotspot of an entry that has one.
func home(e *actuator.Entry) string { return e.Fleet + "\x00" + e.Hotspot }

// of is the story of an entry's hotspot; nil = it has none, or nothing is known of it.
func (s *stories) of(e *actuator.Entry) *Story {
	if e.Hotspot == "" {
		return nil
	}
	return s.known[home(e)]
}

func (s *Story) apply(e *actuator.Entry) {
	if e.Kind == actuator.KindActed {
		s.act(e)
		return
	}
	if e.Phase == actuator.PhaseEnded {
		s.ended(e)
		return
	}
	l, err := line.Decode(e.Line)
	if err != nil {
		return
	}
	switch v := l.(type) {
	case *line.Verdict:
		s.Critical = s.Critical || v.Severity == Critical.String()
		if s.Over = e.Phase == actuator.PhaseResolved; s.Over {
			return
		}
		if s.Verdict = v; s.Found.IsZero() {
			s.Found = line.Stamp(e.At)
		}
	case *line.Plan:
		v.Footprint = nil
		for i := range v.Steps {
			v.Steps[i].Moves = nil
			if in := v.Steps[i].InStore; in != nil {
				in.More, in.Commands = in.More+len(in.Commands), []line.Command{}
			}
		}
		s.Plan = v
	case *line.Hold:
		s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h line.Hold) bool { return h.Reason == v.Reason })
		if len(s.Held) < maxHeld {
			s.Held = append(s.Held, *v)
		}
	}
}

// ended takes in that a plan or a hold is over.
func (s *Story) ended(e *actuator.Entry) {
	l, err := actuator.Read[actuator.Ended](e)
	switch {
	case err != nil:
	case e.Kind == actuator.KindHold:
		s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h line.Hold) bool { return h.Reason == l.Reason })
	case e.Kind == actuator.KindPlan && s.Plan != nil && s.Plan.ID == l.ID:
		s.Plan = nil
	}
}
