package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// subject is what an entry is news of: a hotspot, whether a fleet can be judged, an advice, a hold or plan of no hotspot, the call of a
// person to an operation, or an operation of no hotspot.
// All news of one subject is in one lane.
func subject(e *actuator.Entry) string {
	if e.Hotspot != "" || e.Kind == actuator.KindActed {
		return lane(e)
	}
	l, err := actuator.Read[struct {
		Shard         line.Name
		Topic, Reason string
		ID            line.Name
	}](e)
	if err != nil {
		return lane(e)
	}
	switch e.Kind {
	case actuator.KindAdvice:
		return lane(e) + "\x00" + string(l.Shard) + "\x00" + l.Topic
	case actuator.KindHold:
		return lane(e) + "\x00" + l.Reason
	case actuator.KindPlan:
		return lane(e) + "\x00" + string(l.ID)
	case actuator.KindUnknown, actuator.KindVerdict, actuator.KindBlind, actuator.KindSighted, actuator.KindDelivered, actuator.KindDecider,
		actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened, actuator.KindReport, actuator.KindRouted, actuator.KindActed:
	}
	return lane(e)
}

// Ends says whether an entry is the last word about its subject.
func Ends(e *actuator.Entry) bool {
	return e.Phase == actuator.PhaseResolved || e.Kind == actuator.KindSighted || e.Hotspot == "" && e.Phase == actuator.PhaseEnded
}

// maxSubjects is how many subjects a receiver's memory holds.
const maxSubjects = 10_000

// memory keeps something of each of the newest maxSubjects subjects. The zero value is not ready; use newMemory.
type memory[T any] struct {
	of    map[string]T
	order []string // oldest first
}

func newMemory[T any]() *memory[T] { return &memory[T]{of: map[string]T{}} }

func (m *memory[T]) set(subject string, is T) {
	if !m.has(subject) {
		m.order = append(m.order, subject)
	}
	m.of[subject] = is
	if len(m.order) > maxSubjects {
		delete(m.of, m.order[0])
		m.order = m.order[1:]
	}
}

func (m *memory[T]) has(subject string) bool {
	_, known := m.of[subject]
	return known
}

func (m *memory[T]) drop(subject string) {
	if m.has(subject) {
		delete(m.of, subject)
		m.order = slices.DeleteFunc(m.order, func(s string) bool { return s == subject })
	}
}

// heard notes that a receiver was told of an entry, and with which receipt. An empty one leaves the one before.
func (r *receiver) heard(i *item, receipt string, at time.Time) {
	r.leave(i.part(), at)
	if receipt == "" || len(receipt) > actuator.MaxReceipt {
		receipt = r.receipt(i)
	}
	aside := steps(i.entry) && i.entry.Hotspot != "" && !r.told.has(i.subject)
	if (aside || Ends(i.entry)) && i.entry.Hotspot != "" && receipt != "" {
		r.past.set(i.subject, receipt)
	}
	switch {
	case aside: // it is not the beginning of its hotspot
	case Ends(i.entry):
		r.told.drop(i.subject)
	default:
		r.opened(i, at)
		r.told.set(i.subject, receipt)
	}
}

// receipt is that of an item's subject; a step of an operation has that of its hotspot also when this is over.
func (r *receiver) receipt(i *item) string {
	if is := r.told.of[i.subject]; is != "" || !steps(i.entry) {
		return is
	}
	return r.past.of[i.subject]
}
