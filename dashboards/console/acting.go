package console

import (
	"context"
	"errors"
	"time"

	"firebreak/routing/control"
)

// Actor is what a process knows of how its fleets are acted on, and the way by which a person is heard there. Every method is called from
// any goroutine. Names that are to be hidden are hidden already.
type Actor interface {
	// Acting is how a fleet stands; nil = nothing of it is known here: it is not routed by a document, or that was not read yet.
	Acting(fleet string) *Acting
	// Lines are the writes that a plan would make now. The error is why it cannot be carried out, for people.
	Lines(fleet, plan string) ([]Line, error)
	// Say has who decides carry a request out, and waits for the answer. The error is for people, and wraps ErrUnanswered where nothing
	// was answered.
	Say(ctx context.Context, fleet string, r *control.Request) (control.Answer, error)
}

// ErrUnanswered says that nobody answered a request, which was taken back.
var ErrUnanswered = errors.New("nobody answered")

// Acting is how a fleet is acted on, as an instance saw it last. It is read only.
type Acting struct {
	At         time.Time // when it was seen
	Epoch      uint64    // of the document
	Version    uint64
	Base       string // the base map in a few words
	Decides    bool   // this instance: it alone knows what operations wait for
	Stop       *Held  // acting is stopped; By is empty where nobody knows who did it
	Approvers  []string
	Entries    []Entry // of the document, in its order
	Fenced     []string
	Doubled    []Doubled // places that are written twice just now
	Clients    []Client  // that confirmed of late, by name
	Operations []Operation
	Approvals  []Approval
	Held       []Held            // hotspots for which nothing is begun
	Barred     map[string]string // why plans that are ready are not begun, by id
}

// Entry is an exception of the document.
type Entry struct{ Name, Value string }

// Doubled is a place that is written twice while its data moves.
type Doubled struct {
	Name  string // of its entry
	Value string // the entry's other value, by which it is written too; empty = by the map
	Both  bool   // a write is done when both sides have it; otherwise the owner's word counts
}

// Client is one that routes by the document.
type Client struct {
	Name    string
	Version uint64 // that it holds
	Guard   bool   // it guards a shard
	Live    bool   // it confirmed within a minute
}

// Approval is a person's word on a plan that counts until it is used up.
type Approval struct {
	Plan, By, Reason string
	At               time.Time
	Rejected         bool
}

// Held is that a person wants nothing done, of a hotspot or of the fleet.
type Held struct {
	Hotspot, By, Reason string
	At                  time.Time
}

// Operation is a plan that is carried out, or was of late.
type Operation struct {
	Number             uint64
	Plan, Hotspot, Fix string
	Shard              string // empty = none
	By                 string // who approved it; empty = nobody had to
	Phase              string
	Since              time.Time // when it entered its phase
	Outcome            string    // empty = it is not judged yet
	Back               bool      // it is on its way back, and Why is why
	Why                string
	Held               string  // by whom and why; empty = it may go on
	Stages             []Stage // of its way; none = this version does not know it
	Waits              []string
	Behind             []string // live clients that hold an older document than the one it waits for
	Changes            []Change // that it is about
	Undo               []Line   // what a roll-back would write now
	NoUndo             string   // why there is none; empty = there is one
}

// Stage is a phase on the way of an operation; neither done nor now = it is to come.
type Stage struct {
	Name, Does string
	Done, Now  bool
	Until      []string // what must hold before it is left
}

// Line is a write: the phase that it enters, what that does, and the entries that it changes.
type Line struct {
	Operation   uint64 // of a plan its place in it, from 1
	Phase, Does string
	Changes     []Change
}

// Change is an entry that differs; an empty value = it is not there.
type Change struct{ Entry, Was, Is string }
