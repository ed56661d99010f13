package notify

import (
	"firebreak/actuator"
	"firebreak/internal/line"
)

// member is one subject of a storm.
type member struct {
	kind     actuator.Kind
	fleet    string
	shard    line.Name // empty = of none, or not known
	times    float64   // its load, in multiples of its line; 0 = not known
	team     string    // that answers for it; empty = nobody is named
	worth    int
	severity Severity
	lasts    bool // it is news of something that ends
	over     bool
	apart    bool          // it was told by itself since
	said     actuator.Kind // accepted or dismissed: what a person said of it last, and it was not told again; else KindUnknown
}

// open says whether it matters to somebody.
func (m *member) open() bool {
	return m.lasts && !m.over && !m.apart && m.said == actuator.KindUnknown
}

// stays says whether it keeps its storm from being over: it is open, or a person knows that it lasts.
func (m *member) stays() bool {
	return m.open() || m.said == actuator.KindAccepted && !m.over && !m.apart
}

// lasts says whether an entry is of something that has an end.
func lasts(e *actuator.Entry) bool {
	switch e.Kind {
	case actuator.KindVerdict, actuator.KindBlind, actuator.KindSighted, actuator.KindAdvice, actuator.KindReopened:
		return true
	case actuator.KindPlan, actuator.KindHold:
		return e.Hotspot == ""
	case actuator.KindActed:
		return calls(e)
	case actuator.KindUnknown, actuator.KindDelivered, actuator.KindDecider, actuator.KindAccepted, actuator.KindDismissed, actuator.KindReport, actuator.KindRouted:
	}
	return false
}

// place learns from an entry where a member is, and how hot.
func (m *member) place(i *item) {
	if i.owner != nil {
		m.team = i.owner.Team
	}
	if k := i.entry.Kind; k != actuator.KindVerdict && k != actuator.KindAdvice {
		return
	}
	l, err := actuator.Read[struct {
		Shard      line.Name
		Load, Line line.Number
	}](i.entry)
	if err != nil || l.Shard == "" {
		return
	}
	if m.shard = l.Shard; l.Line > 0 && !Ends(i.entry) {
		m.times = float64(l.Load / l.Line)
	}
}
