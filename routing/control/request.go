package control

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"firebreak/routing"
)

const (
	// maxText bounds ids, names and regions, in bytes.
	maxText = 255
	// maxReason bounds a reason, in bytes.
	maxReason = 500
	// maxEdits bounds what one request sets.
	maxEdits = 1000
)

// Do is what a request asks for. The zero value is nothing and is refused.
type Do uint8

// What can be asked for.
const (
	DoUnknown  Do = iota
	DoSet         // set single entries
	DoImport      // take over the exceptions of a document
	DoStop        // freeze acting
	DoResume      // act again
	DoApprove     // carry a plan out, or let a held operation go on
	DoReject      // do not carry a plan out
	DoHold        // begin nothing for a hotspot, or keep an operation where it is
	DoRollback    // take an operation back
	DoAct         // a step of an operation: of notes, and never asked for
)

func doNames() [10]string {
	return [10]string{"unknown", "set", "import", "stop", "resume", "approve", "reject", "hold", "rollback", "act"}
}

// String returns the one spelling of d; a value outside the set prints as do(n).
func (d Do) String() string {
	names := doNames()
	if int(d) < len(names) {
		return names[d]
	}
	return "do(" + strconv.Itoa(int(d)) + ")"
}

// MarshalText writes the one spelling of d.
func (d Do) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Do) UnmarshalText(text []byte) error {
	for i, name := range doNames() {
		if i > 0 && string(text) == name {
			*d = Do(i)
			return nil
		}
	}
	return fmt.Errorf("do: %q is none of set, import, stop, resume, approve, reject, hold, rollback, act", text)
}

// Edit sets one entry of a document: Value as Document.Value writes it, empty = the entry goes.
type Edit struct {
	Entry routing.Entry
	Value string
}

// Request is what a person asks the decider for. It is an item of its own that any instance may put and only the decider answers.
type Request struct {
	// ID is random and names the item: 1 to 255 bytes.
	ID string
	// By is who asks, as far as it was authenticated.
	By string
	// At is when, by the clock of who put it; for people, and it decides nothing.
	At time.Time
	// Reason is why: 1 to 500 bytes.
	Reason string
	Do     Do
	// IfVersion is the version that the request was made for; DoSet and DoImport are refused at any other. 0 = any, for DoStop and DoResume.
	IfVersion uint64
	// Plan is the one that is approved or rejected, for Hotspot; without a plan Hotspot is the one for which nothing is begun.
	Plan, Hotspot string
	// Operation is the number of the one that is approved, held or taken back.
	Operation uint64
	// Edits are of DoSet, at least one.
	Edits []Edit
	// Document is of DoImport.
	Document *routing.Document
}

// Validate says whether r may be put. Whether it can be carried out is seen where it is answered.
func (r *Request) Validate() error {
	switch {
	case r.ID == "" || len(r.ID) > maxText:
		return fmt.Errorf("id: %d bytes, want 1 to %d", len(r.ID), maxText)
	case r.By == "" || len(r.By) > maxText:
		return fmt.Errorf("by: %d bytes, want who asks, 1 to %d", len(r.By), maxText)
	case r.Reason == "" || len(r.Reason) > maxReason:
		return fmt.Errorf("reason: %d bytes, want why, 1 to %d", len(r.Reason), maxReason)
	}
	switch r.Do {
	case DoSet:
		if len(r.Edits) == 0 || len(r.Edits) > maxEdits {
			return fmt.Errorf("edits: %d, want 1 to %d", len(r.Edits), maxEdits)
		}
	case DoImport:
		if r.Document == nil {
			return errors.New("document: none to import")
		}
		if err := r.Document.Validate(); err != nil {
			return err
		}
	case DoStop, DoResume:
		return nil
	case DoApprove, DoReject, DoHold, DoRollback:
		return r.checkSubject()
	case DoAct:
		return errors.New("do: act is not asked for")
	case DoUnknown:
		return errors.New("do: nothing is asked for")
	}
	if r.IfVersion == 0 {
		return errors.New("if_version: want the version that the change was made for")
	}
	return nil
}

// checkSubject wants one subject, of a kind that can be asked about.
func (r *Request) checkSubject() error {
	given, subjects := 0, [...]bool{r.Plan != "", r.Hotspot != "" && r.Plan == "", r.Operation != 0}
	for _, is := range subjects {
		if is {
			given++
		}
	}
	may := map[Do][3]bool{DoApprove: {true, false, true}, DoReject: {true, false, false}, DoHold: {false, true, true}, DoRollback: {false, false, true}}[r.Do]
	for i, is := range subjects {
		if is && !may[i] {
			return fmt.Errorf("%s: not of a %s", r.Do, [...]string{"plan", "hotspot", "operation"}[i])
		}
	}
	if given != 1 || len(r.Plan) > maxText || len(r.Hotspot) > maxText {
		return fmt.Errorf("%s: want one plan, hotspot or operation, of at most %d bytes", r.Do, maxText)
	}
	return nil
}

// Answer is what became of a request.
type Answer struct {
	Request string // its id
	Version uint64 // of the state that answered it
	Refused string // why it was refused; empty = it was done
}

// Note is what people are told of a change, for the journal.
type Note struct {
	// ID is the same whoever writes it into the journal: 1 to 64 bytes.
	ID string
	At time.Time
	// Do is what was asked for; DoUnknown = a claim.
	Do Do
	// By and Reason are of the request; of a claim, who claimed.
	By, Reason string
	// Version is that of the state that the change made, Epoch its epoch.
	Epoch, Version uint64
	// Refused is why nothing was changed; empty = it was.
	Refused string
	// Changes are the entries that differ, at most maxChanges; More is how many others.
	Changes []routing.Change
	More    int
	// Plan, Hotspot and Operation are what the request was about, or of DoAct the operation's.
	Plan, Hotspot string
	Operation     uint64
	// Act is of DoAct.
	Act Act
}

// Act is a step of an operation, for people.
type Act struct {
	Fix, Shard string
	// Phase is the one that was entered, Machine the table that has it.
	Machine, Phase string
	// Back says that it is on its way back.
	Back bool
	// Outcome is how it ended; empty = it goes on.
	Outcome string
	// Text is a sentence.
	Text string
	// Call is CallNeeded where a person must act from now on, CallOver where nobody must any more; empty = nothing changed about that.
	Call string
	// Before and After are the load of Shard in shares of its target on the same loads of now, without the operation and with it: of the
	// note that judges its effect; 0 = not known.
	Before, After float64
}

// Whether a person must act on an operation.
const (
	CallNeeded = "needed"
	CallOver   = "over"
)
