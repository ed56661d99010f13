package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
)

// Severity is how much an entry matters. The zero value is the least.
type Severity uint8

// The severities. A verdict and an advice have their own; blind, sighted and the call of a person to an operation are critical,
// everything else is a warning.
const (
	Warning Severity = iota
	Critical
)

// String returns the one spelling of s.
func (s Severity) String() string {
	if s == Critical {
		return "critical"
	}
	return "warning"
}

// MarshalText writes the one spelling of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Severity) UnmarshalText(text []byte) error {
	for _, known := range []Severity{Warning, Critical} {
		if string(text) == known.String() {
			*s = known
			return nil
		}
	}
	return &ConfigError{problem: "want warning or critical"}
}

// severity reads what an entry says of itself.
func severity(e *actuator.Entry) Severity {
	switch e.Kind {
	case actuator.KindBlind, actuator.KindSighted:
		return Critical
	case actuator.KindVerdict, actuator.KindAdvice, actuator.KindReopened:
		l, err := actuator.Read[struct{ Severity, Level string }](e)
		if err == nil && (l.Severity == Critical.String() || l.Level == Critical.String()) {
			return Critical
		}
	case actuator.KindActed:
		if calls(e) {
			return Critical
		}
	case actuator.KindUnknown, actuator.KindPlan, actuator.KindHold, actuator.KindDelivered, actuator.KindDecider, actuator.KindAccepted, actuator.KindDismissed,
		actuator.KindReport, actuator.KindRouted:
	}
	return Warning
}

// Rule is what one receiver wants and how it wants it. Zero fields mean what DefaultRule says.
type Rule struct {
	Name     string
	Kinds    []actuator.Kind // empty = DefaultKinds; delivered is never sent
	Severity Severity        // at least; the zero value takes all
	Fleets   []string        // empty = all
	Pace     time.Duration   // between two notices
	Queue    int             // notices that wait at most, beside the ends of what was told and fleets that cannot be judged
	GiveUp   time.Duration   // after an entry was appended to the journal, when it becomes a dead letter
	Burst    int             // beginnings that are told one by one within ten minutes, of each grade, beside fleets that cannot be judged; 0 = any number
	Steps    bool            // steps of operations and what people say of them are told whatever Severity
	Answers  bool            // of what it was told of it is told what people say, whatever Kinds

	// Owner is who answers for what a notice is about: a summary names the teams. nil = nobody is known.
	Owner func(n *Notice) *Owner
	// Place says where the notice of an entry goes. What goes to one place has one pace, whichever receiver sends it. nil = to the receiver's own.
	Place func(n *Notice) string
}

// DefaultKinds are the kinds that a receiver gets that names none: what a person wants to hear of.
func DefaultKinds() []actuator.Kind {
	return []actuator.Kind{actuator.KindVerdict, actuator.KindAdvice, actuator.KindBlind, actuator.KindSighted, actuator.KindActed}
}

// DefaultRule is one notice a second, 1,000 that wait, and six hours of trying: a night's outage of a receiver is no news
// any more in the morning.
func DefaultRule(name string) Rule {
	return Rule{Name: name, Kinds: DefaultKinds(), Pace: time.Second, Queue: 1000, GiveUp: 6 * time.Hour}
}

func (r Rule) filled() Rule {
	d := DefaultRule(r.Name)
	if len(r.Kinds) == 0 {
		r.Kinds = d.Kinds
	}
	if r.Pace <= 0 {
		r.Pace = d.Pace
	}
	if r.Queue <= 0 {
		r.Queue = d.Queue
	}
	if r.GiveUp <= 0 {
		r.GiveUp = d.GiveUp
	}
	return r
}

// wants says whether an entry is for the receiver. News of the whole group is for all. s is its severity, or that of its hotspot
// once: who heard that something is critical hears of its end. Who hears of verdicts hears when one is told again; a report has no
// severity.
func (r *Rule) wants(e *actuator.Entry, s Severity) bool {
	kind := e.Kind
	if kind == actuator.KindReopened {
		kind = actuator.KindVerdict
	}
	return kind != actuator.KindDelivered && slices.Contains(r.Kinds, kind) && (s >= r.Severity || kind == actuator.KindReport || r.Steps && steps(e)) &&
		(len(r.Fleets) == 0 || e.Fleet == "" || slices.Contains(r.Fleets, e.Fleet))
}

// worth orders items for a queue that is full: the least goes first, and never the end of what the receiver was told of, and
// what a person said of it: it may page somebody until then.
func (r *receiver) worth(i *item) int {
	if (Ends(i.entry) || i.entry.Kind.Spoken()) && (r.told.has(i.subject) || r.flies(i.subject)) {
		return most
	}
	return i.worth
}

// most is worth more than any beginning.
const most = 4

// worth is that of an entry by itself.
func worth(e *actuator.Entry, s Severity) int {
	switch e.Kind {
	case actuator.KindVerdict, actuator.KindBlind, actuator.KindSighted, actuator.KindReopened:
		return 2 + int(s)
	case actuator.KindReport:
		return 2
	case actuator.KindActed:
		if calls(e) {
			return 2 + int(s)
		}
	case actuator.KindAdvice, actuator.KindPlan:
		return 1
	case actuator.KindUnknown, actuator.KindHold, actuator.KindDelivered, actuator.KindDecider, actuator.KindAccepted, actuator.KindDismissed,
		actuator.KindRouted:
	}
	return 0
}

// lane is what keeps its order: a hotspot, the call of a person to an operation, an operation of no hotspot, or the news of a kind that has
// none.
func lane(e *actuator.Entry) string {
	if e.Kind == actuator.KindActed && (calls(e) || e.Hotspot == "") {
		return operationOf(e)
	}
	if e.Hotspot != "" {
		return e.Fleet + "\x00" + e.Hotspot
	}
	kind := e.Kind
	if kind == actuator.KindSighted {
		kind = actuator.KindBlind
	}
	return e.Fleet + "\x00\x00" + kind.String()
}
