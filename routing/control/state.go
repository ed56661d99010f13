package control

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

// At names one state of a fleet. The zero value is before the first one.
type At struct {
	// Epoch counts the deciders that claimed the fleet.
	Epoch uint64
	// Tenure is the random id of the decider that claimed it last; empty before the first claim.
	Tenure string
	// Version counts the writes, from 1.
	Version uint64
}

// String is for people: epoch 4, version 17.
func (a At) String() string { return fmt.Sprintf("epoch %d, version %d", a.Epoch, a.Version) }

// MaxCount bounds the epoch and the version of a document that is imported: what a double holds exactly, and some 285,000 years of a
// thousand writes a second.
const MaxCount = 1 << 53

const (
	// maxAnswers bounds the requests that are answered and not yet gone.
	maxAnswers = 64
	// MaxOutbox bounds the notes that are not in the journal yet; a fleet that has as many takes no change until they are.
	MaxOutbox = 64
)

// State is what a store keeps of one fleet. It is plain data: change a copy, see Next.
type State struct {
	// Document is what everybody routes by. Its epoch, tenure and version are the state's.
	Document *routing.Document
	// Home is the region whose writers may write, where a store has several; empty = it has one.
	Home string
	// Stopped is who stopped acting and why; nil = nobody did, or nobody knows who. It means something while Document.Stop says that acting
	// is stopped.
	Stopped *Stop
	// Answers are what became of the latest requests whose items may still stand in the store, oldest first.
	Answers []Answer
	// Outbox is what the journal does not have yet, oldest first; at most MaxOutbox.
	Outbox []Note
	// Operated is the number of the newest operation there ever was.
	Operated uint64
	// Operations are those that are open, and those whose way back is still kept, by rising number.
	Operations []Operation
	// Approvals are people's words on plans, oldest first; one is used up by the operation that it allows.
	Approvals []Approval
	// Holds are people's words that nothing is begun for a hotspot.
	Holds []Held
}

// Stop is that a person stopped acting on a fleet. It never changes.
type Stop struct {
	// By is who, Reason why: of the request.
	By, Reason string
	// At is when, by the clock of who carried it out.
	At time.Time
}

// First is the first state of a fleet, made of a document or of a backup of one: what that has fenced or
// writes twice belongs to no operation any more.
func First(d *routing.Document) *State {
	d = d.Clone()
	d.Fenced, d.Doubled = nil, nil
	return &State{Document: d}
}

// At says where s stands.
func (s *State) At() At {
	return At{Epoch: s.Document.Epoch, Tenure: s.Document.Tenure, Version: s.Document.Version}
}

// Copy shares nothing that may be changed with s.
func (s *State) Copy() *State {
	c := &State{
		Document: s.Document.Clone(), Home: s.Home, Stopped: s.Stopped, Answers: slices.Clone(s.Answers), Outbox: slices.Clone(s.Outbox), Operated: s.Operated,
		Operations: slices.Clone(s.Operations), Approvals: slices.Clone(s.Approvals), Holds: slices.Clone(s.Holds),
	}
	for i := range c.Operations {
		c.Operations[i] = s.Operations[i].Copy()
	}
	return c
}

// Next is a copy of s with the version of the next write.
func (s *State) Next() *State {
	n := s.Copy()
	n.Document.Version++
	return n
}

// Claim is the state by which a decider takes the fleet: an epoch above the last one and at least as high as told, and a tenure that
// nobody had. A decider that claims again, because it cannot know what became of its claim, uses a new tenure.
func (s *State) Claim(atLeast uint64, tenure string) (*State, error) {
	if tenure == "" || tenure == s.Document.Tenure {
		return nil, errors.New("claim: want a new tenure")
	}
	n := s.Next()
	n.Document.Epoch, n.Document.Tenure = max(n.Document.Epoch+1, atLeast), tenure
	return n, nil
}

// Pruned is s, at its version, without the notes that the journal has and the answers whose requests are gone: what the next write is
// made from.
func (s *State) Pruned(told, gone func(id string) bool) *State {
	n := s.Copy()
	n.Outbox = slices.DeleteFunc(n.Outbox, func(n Note) bool { return told(n.ID) })
	n.Answers = slices.DeleteFunc(n.Answers, func(a Answer) bool { return gone(a.Request) })
	return n
}

// Validate says whether s may be stored. Errors name the field and its value.
func (s *State) Validate() error {
	if s.Document == nil {
		return errors.New("state: no document")
	}
	if err := s.Document.Validate(); err != nil {
		return err
	}
	if (s.Document.Epoch == 0) != (s.Document.Tenure == "") {
		return fmt.Errorf("tenure: %q with epoch %d, want a tenure from epoch 1 on", routing.Escape(s.Document.Tenure), s.Document.Epoch)
	}
	if len(s.Home) > maxText {
		return fmt.Errorf("home: %d bytes, want at most %d", len(s.Home), maxText)
	}
	if len(s.Answers) > maxAnswers {
		return fmt.Errorf("answers: %d, want at most %d", len(s.Answers), maxAnswers)
	}
	if len(s.Outbox) > MaxOutbox {
		return fmt.Errorf("outbox: %d notes, want at most %d", len(s.Outbox), MaxOutbox)
	}
	return s.checkActing()
}

// Follows says whether a write that replaces was by next may be made at all, whatever stands in the store: the version is higher, and
// the epoch is higher with another tenure (a claim), or both are as they were.
func Follows(was At, next *State) error {
	is := next.At()
	if is.Version <= was.Version {
		return fmt.Errorf("version: %d after %d, want a higher one", is.Version, was.Version)
	}
	switch {
	case was.Version == 0: // the first one may come from a backup
	case is.Epoch < was.Epoch:
		return fmt.Errorf("epoch: %d after %d", is.Epoch, was.Epoch)
	case (is.Epoch == was.Epoch) != (is.Tenure == was.Tenure):
		return fmt.Errorf("tenure: %q at epoch %d after %q at epoch %d", routing.Escape(is.Tenure), is.Epoch, routing.Escape(was.Tenure), was.Epoch)
	}
	return nil
}
