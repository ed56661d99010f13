package actuator

import (
	"fmt"
	"slices"
)

// Kind says what an entry is about.
type Kind uint8

// The kinds. The zero value is none of them and is never written.
const (
	KindUnknown   Kind = iota
	KindVerdict        // line: verdict
	KindPlan           // line: plan, or ended
	KindHold           // line: hold, or ended
	KindAdvice         // line: advice, or ended
	KindBlind          // the input cannot be judged
	KindSighted        // it can again
	KindDelivered      // what became of the delivery of other entries
	KindDecider        // an instance took over
	KindAccepted       // a person knows of a hotspot and wants to hear no more of it
	KindDismissed      // a person says that a hotspot is a false alarm
	KindReopened       // a hotspot that was accepted is told again
	KindReport         // the report of a period was written
	KindRouted         // the routing of a fleet was changed, or a change that was asked for was refused
	KindActed          // a step of an operation, or a person's word on a plan, a hotspot or an operation
)

// Kinds lists every kind but KindUnknown, in order.
func Kinds() []Kind {
	return []Kind{KindVerdict, KindPlan, KindHold, KindAdvice, KindBlind, KindSighted, KindDelivered, KindDecider, KindAccepted, KindDismissed, KindReopened, KindReport, KindRouted, KindActed}
}

// Spoken says whether entries of the kind are what a person said: any instance and the command may append them, of no epoch.
func (k Kind) Spoken() bool { return k == KindAccepted || k == KindDismissed }

// String returns the one spelling of k.
func (k Kind) String() string {
	return spell(k, "unknown", "verdict", "plan", "hold", "advice", "blind", "sighted", "delivered", "decider", "accepted", "dismissed", "reopened", "report", "routed", "acted")
}

// MarshalText writes the one spelling of k.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Kind) UnmarshalText(text []byte) error { return parse(k, "kind", text, Kinds()) }

// Phase is what happened to the thing that an entry is about.
//
//	fired -> revised -> ... -> resolved     a hotspot
//	begun -> changed -> ... -> ended        a plan, a hold, an advice
//	begun -> changed -> ... -> ended        an operation: planned, its steps, and over or undone
//	fired -> resolved                       the call of a person to an operation
//
// The other kinds, and words of people, have none.
type Phase uint8

// The phases.
const (
	PhaseNone Phase = iota
	PhaseFired
	PhaseRevised
	PhaseResolved
	PhaseBegun
	PhaseChanged
	PhaseEnded
)

// Phases lists every phase but PhaseNone, in order.
func Phases() []Phase {
	return []Phase{PhaseFired, PhaseRevised, PhaseResolved, PhaseBegun, PhaseChanged, PhaseEnded}
}

// String returns the one spelling of p; that of PhaseNone is empty.
func (p Phase) String() string {
	return spell(p, "", "fired", "revised", "resolved", "begun", "changed", "ended")
}

// MarshalText writes the one spelling of p.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Phase) UnmarshalText(text []byte) error {
	return parse(p, "phase", text, append([]Phase{PhaseNone}, Phases()...))
}

// spell is the total String of an enumeration: a value out of range shows itself.
func spell[T ~uint8](v T, words ...string) string {
	if int(v) >= len(words) {
		return fmt.Sprintf("invalid(%d)", v)
	}
	return words[v]
}

// parse sets an enumeration to the one of its values that text spells.
func parse[T fmt.Stringer](into *T, what string, text []byte, values []T) error {
	i := slices.IndexFunc(values, func(v T) bool { return v.String() == string(text) })
	if i < 0 {
		return fmt.Errorf("%s %q is %w: want one of %v", what, text, ErrNewer, values)
	}
	*into = values[i]
	return nil
}
