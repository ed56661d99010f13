package operation

import (
	"fmt"
	"slices"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Ask is what a phase wants done outside the document.
type Ask uint8

// What can be asked for.
const (
	AskNothing   Ask = iota
	AskFold          // add the values of pieces to what stays, and name them there, in one conditional write each
	AskCopy          // catch changes at the old shards from now on, copy, and let the changes follow, in their order: done when they are close
	AskVerify        // compare the copy with what it was made of
	AskDrain         // nobody serves: bring over what has not followed yet, and catch changes at the new shards from now on, for the old ones
	AskReturn        // nobody serves: bring back what has not followed back yet
	AskDrop          // end all of it, and delete the copy at the new shards
	AskClean         // end all of it, and delete the data at the old shards
	AskProvision     // make shards
)

func askNames() [9]string {
	return [9]string{"nothing", "fold", "copy", "verify", "drain", "return", "drop", "clean", "provision"}
}

// String is the word for it, as movers get it.
func (a Ask) String() string {
	names := askNames()
	if int(a) < len(names) {
		return names[a]
	}
	return fmt.Sprintf("ask(%d)", uint8(a))
}

// Task is one thing to do. It may arrive late, and twice. Versions rise: what was done for a place by a higher one is not undone, and what
// was done by this one not done again.
type Task struct {
	Fleet     string
	Operation uint64
	Phase     string
	// Version is that of the document that entered the phase, and Document that document or a later one.
	Version  uint64
	Document *routing.Document
	Ask      Ask
	// Salt is of AskFold: the pieces that are among its tombstones are folded.
	Salt routing.Salt
	// Carries are what moves, of those from AskCopy to AskClean.
	Carries []Carry
	// Shards are the names of those to be made, of AskProvision.
	Shards []string
}

// Carry is data that moves between shards. Of a tenant, each key goes from where it lies to where it will.
type Carry struct {
	Entry    routing.Entry // of a virtual shard or a tenant
	From, To []string      // shards by name, whatever the direction is now: of AskReturn too the old ones, and the new ones
}

// Result is what became of it.
type Result struct {
	Done bool
	// Failed says that it never will be, and Why is why.
	Failed bool
	// Why it is not done yet; empty = it was not asked for.
	Why string
}

func (p *Phase) ask(s *control.State, op *control.Operation) *Task {
	t := &Task{Fleet: s.Document.Fleet, Operation: op.Number, Phase: op.Phase, Version: op.Version, Document: s.Document, Ask: p.Asks}
	var err error
	switch p.Asks {
	case AskNothing:
		return nil
	case AskFold:
		_, _, t.Salt, err = salts(s.Document, op)
	case AskCopy, AskVerify, AskDrain, AskReturn, AskDrop, AskClean:
		t.Carries, err = carries(s.Document, op)
	case AskProvision:
		for _, e := range op.Do {
			t.Shards = append(t.Shards, e.Entry.Name)
		}
	}
	if err != nil {
		return nil
	}
	return t
}

// carries are what an operation moves.
func carries(d *routing.Document, op *control.Operation) ([]Carry, error) {
	was, err := laid(d, op.Was)
	if err != nil {
		return nil, err
	}
	is, err := laid(d, op.Do)
	if err != nil {
		return nil, err
	}
	var out []Carry
	for _, e := range places(op) {
		out = append(out, Carry{e, holding(was, e), holding(is, e)})
	}
	return out, nil
}

// laid is the table of a document with other entries.
func laid(d *routing.Document, edits []control.Edit) (*routing.Table, error) {
	n := d.Clone()
	if err := lay(n, edits); err != nil {
		return nil, err
	}
	return routing.NewTable(n)
}

// able says whether somebody is configured for all that the operation may ask for.
func (v *View) able(op *control.Operation) (string, bool) {
	m, _ := machineOf(Machines(), op.Machine)
	for _, p := range m.Phases {
		if p.Asks != AskNothing && !v.can(p.Asks) {
			if p.Asks == AskFold {
				return "nobody is configured who folds the pieces: they stay, and are read", false
			}
			return fmt.Sprintf("nobody is configured who does %s", p.Asks), false
		}
	}
	return "", true
}

func (v *View) can(a Ask) bool {
	return v.Result != nil && (a == AskFold && v.Can == nil || v.Can != nil && v.Can(a))
}

func (v *View) asked(op *control.Operation) (string, bool) {
	if v.Result == nil {
		return "nobody is configured any more who does it", false
	}
	r := v.Result(op.Number, op.Phase)
	return orText(r.Why, "it is being asked for"), r.Done
}

// brief says that an operation stands where nobody serves.
func brief(tables []Machine, o *control.Operation) bool {
	m, _ := machineOf(tables, o.Machine)
	return slices.ContainsFunc(m.Phases, func(p Phase) bool { return p.Name == o.Phase && p.Within > 0 })
}
