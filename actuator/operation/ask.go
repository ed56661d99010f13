package operation

import (
	"fmt"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Ask is what a phase wants done outside the document.
type Ask uint8

// What can be asked for.
const (
	AskNothing Ask = iota
	AskFold        // add the values of pieces to what stays, and name them there, in one conditional write each
)

// String is the word for it, as movers get it.
func (a Ask) String() string {
	if a == AskFold {
		return "fold"
	}
	return "nothing"
}

// Task is one thing to do. It may arrive late, and twice: who does it goes by Operation and Phase.
type Task struct {
	Fleet     string
	Operation uint64
	Phase     string
	Ask       Ask
	// Salt is of AskFold: the pieces that are among its tombstones are folded.
	Salt routing.Salt
}

// Result is what became of it.
type Result struct {
	Done bool
	// Why it is not done yet; empty = it was not asked for.
	Why string
}

func (p *Phase) ask(s *control.State, op *control.Operation) *Task {
	_, _, now, err := salts(s.Document, op)
	if p.Asks == AskNothing || err != nil {
		return nil
	}
	return &Task{Fleet: s.Document.Fleet, Operation: op.Number, Phase: op.Phase, Ask: p.Asks, Salt: now}
}

func (v *View) asked(op *control.Operation) (string, bool) {
	if v.Result == nil {
		return "nobody is configured any more who folds", false
	}
	r := v.Result(op.Number, op.Phase)
	return orText(r.Why, "it is being asked for"), r.Done
}

// told is a state with what people are told of its operation.
func told(s, n *control.State, o *control.Operation, text string, now time.Time) (Step, error) {
	note := control.Note{
		ID: fmt.Sprintf("op-%d-%d", o.Number, n.Document.Version), At: now, Do: control.DoAct, By: o.By, Plan: o.Plan, Hotspot: o.Hotspot, Operation: o.Number,
		Act: control.Act{Fix: o.Fix, Shard: o.Shard, Machine: o.Machine, Phase: o.Phase, Back: o.Back, Outcome: o.Outcome, Text: text},
	}
	if err := n.Tell(note.Changed(s.Document, n.Document)); err != nil {
		return Step{}, err
	}
	return Step{Write: n}, nil
}
