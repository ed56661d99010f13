package control

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

const (
	// maxOperations bounds the operations that a state keeps: those that are open, and those whose way back is.
	maxOperations = 64
	// maxWords bounds approvals and holds.
	maxWords = 256
)

// Operation is a change that takes several writes: a plan that is carried out, or was lately. It is plain data; what takes it from phase
// to phase is actuator/operation.
type Operation struct {
	// Number rises by one with every operation of the fleet. What is done outside the document is known by (Number, Phase).
	Number uint64
	// Machine is the table of phases that it goes by, Phase where it stands in it.
	Machine, Phase string
	// Plan, Hotspot and Fix are what it carries out; Hotspot is empty where it is nobody's, as of an undo.
	Plan, Hotspot, Fix string
	// Shard is the hot one; empty = none.
	Shard string
	// By is who approved it; empty = the fleet's mode did.
	By string
	// Do are the entries as it wants them, Was the same entries as it found them.
	Do, Was []Edit
	// Began is when it made its first write, Since when it entered its phase, Settled when its effect was judged; zero = it was not yet.
	Began, Since, Settled time.Time
	// Version is that of the state that entered the phase: what clients confirm.
	Version uint64
	// Back says that it is on its way back, and Why is why.
	Back bool
	Why  string
	// Held is why it may not go on, empty = it may.
	Held string
	// Outcome is empty as long as it is not judged.
	Outcome string
	// Needs is why a person must act, as they were told; empty = nobody must.
	Needs string
	// Busy says that it works outside the document although it is judged: nobody else may change its entries.
	Busy bool
}

// Approval is a person's word on one plan.
type Approval struct {
	Plan   string
	By     string
	At     time.Time
	Reason string
	// No says that the plan is rejected, and not approved.
	No bool
}

// Held is a person's word that nothing is begun for a hotspot.
type Held struct {
	Hotspot string
	By      string
	At      time.Time
	Reason  string
}

// Copy shares nothing that may be changed with o.
func (o *Operation) Copy() Operation {
	c := *o
	c.Do, c.Was = slices.Clone(o.Do), slices.Clone(o.Was)
	return c
}

// Entries are what the operation reads and writes, in the order of Do.
func (o *Operation) Entries() []routing.Entry {
	out := make([]routing.Entry, 0, len(o.Do))
	for _, e := range o.Do {
		out = append(out, e.Entry)
	}
	return out
}

// Works says that nobody else may change the entries of the operation.
func (o *Operation) Works() bool { return o.Outcome == "" || o.Busy }

// Operation finds one by its number, nil = there is none.
func (s *State) Operation(number uint64) *Operation {
	if i := slices.IndexFunc(s.Operations, func(o Operation) bool { return o.Number == number }); i >= 0 {
		return &s.Operations[i]
	}
	return nil
}

// Working finds the operation that is open, or busy, and works on an entry.
func (s *State) Working(e routing.Entry) *Operation {
	for i := range s.Operations {
		if o := &s.Operations[i]; o.Works() && slices.Contains(o.Entries(), e) {
			return o
		}
	}
	return nil
}

// Tell puts what people are told of a change into the outbox of the state that makes it.
func (s *State) Tell(n Note) error {
	if len(s.Outbox) >= MaxOutbox {
		return errors.New("too many changes are not in the journal yet")
	}
	n.Act.Text = cut(n.Act.Text, 2*maxReason)
	n.Act.Call = cut(n.Act.Call, maxText)
	n.At, n.Epoch, n.Version = n.At.UTC().Truncate(time.Millisecond), s.Document.Epoch, s.Document.Version
	s.Outbox = append(s.Outbox, n)
	return nil
}

// Keep keeps that nothing is begun for a hotspot, in place of what was said of it before. Where there are too many words of people, the
// oldest one goes.
func (s *State) Keep(h Held) {
	s.Holds = slices.DeleteFunc(s.Holds, func(o Held) bool { return o.Hotspot == h.Hotspot })
	switch {
	case len(s.Approvals)+len(s.Holds) < maxWords:
	case len(s.Holds) > 0:
		s.Holds = slices.Delete(s.Holds, 0, 1)
	default:
		s.Approvals = slices.Delete(s.Approvals, 0, 1)
	}
	h.Reason = cut(h.Reason, 2*maxReason)
	s.Holds = append(s.Holds, h)
}

// changed lists the entries that differ, for a note.
func (n *Note) changed(was, is *routing.Document) {
	changes := routing.Diff(was, is)
	n.Changes, n.More = changes[:min(len(changes), maxChanges)], max(0, len(changes)-maxChanges)
}

// Changed is n with the entries that differ from was to is.
func (n Note) Changed(was, is *routing.Document) Note {
	n.changed(was, is)
	return n
}

func (s *State) checkActing() error {
	if len(s.Operations) > maxOperations {
		return fmt.Errorf("operations: %d, want at most %d", len(s.Operations), maxOperations)
	}
	if len(s.Approvals)+len(s.Holds) > maxWords {
		return fmt.Errorf("approvals and holds: %d, want at most %d", len(s.Approvals)+len(s.Holds), maxWords)
	}
	for i, e := range s.Document.Fenced {
		if s.Working(e) == nil {
			return fmt.Errorf("fenced[%d]: %s, and no open operation is about it: nobody would lift it", i, e)
		}
	}
	for i := range s.Document.Doubled {
		if e := s.Document.Doubled[i].Entry; s.Working(e) == nil {
			return fmt.Errorf("doubled[%d]: %s, and no open operation is about it: nobody would end it", i, e)
		}
	}
	var last uint64
	for i := range s.Operations {
		o := &s.Operations[i]
		if o.Number <= last || o.Number > s.Operated {
			return fmt.Errorf("operations[%d]: number %d after %d, of %d in all", i, o.Number, last, s.Operated)
		}
		last = o.Number
		if o.Machine == "" || o.Phase == "" || len(o.Do) == 0 || len(o.Do) != len(o.Was) {
			return fmt.Errorf("operation %d: want a machine, a phase and as many entries before as after", o.Number)
		}
		for j := range o.Do {
			if o.Do[j].Entry != o.Was[j].Entry {
				return fmt.Errorf("operation %d: %s before, %s after: want the same entry", o.Number, o.Was[j].Entry, o.Do[j].Entry)
			}
		}
	}
	return nil
}
