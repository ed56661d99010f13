package notify

import "firebreak/actuator"

// member is one subject of a storm.
type member struct {
	kind     actuator.Kind
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
	case actuator.KindUnknown, actuator.KindDelivered, actuator.KindDecider, actuator.KindAccepted, actuator.KindDismissed, actuator.KindReport:
	}
	return false
}
