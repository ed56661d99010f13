package operation

import (
	"fmt"
	"time"

	"firebreak/routing/control"
)

// patience is how long an operation that has begun waits for the same thing before a person is called.
const patience = 10 * time.Minute

// couldNot begins the call for an operation whose way back was tried and failed: it is not tried again by itself.
const couldNot = "it could not be taken back: "

// stand is what an operation waits for.
type stand struct {
	version uint64 // of its phase
	wait    Wait
	since   time.Time
}

// called is a step with what it means for who must act on the operation. A person is called where its effect is none, or is not what was
// meant, where it cannot be taken back, and where it has waited for the same thing for 10 minutes. The call is over with the next step of the
// operation, where a person holds it, and where the hotspot of one that is judged is over.
//
//	nobody --no effect, misrouted, no way back, stuck--> needed --next step, hold of a person, judged and its hotspot is over--> nobody
func (e *Executor) called(s *control.State, op *control.Operation, step Step, v *View) (Step, error) {
	why, since := e.stuck(op, step, v)
	n := step.Write
	switch {
	case n != nil && op.Phase == Stay:
		why = op.Needs // it serves on, which was not what was wanted
	case n != nil:
		why = needed(s, n)
	case op.Needs == "" && (why == "" || v.Now.Sub(since) < patience):
		return step, nil
	case op.Needs != "" && op.Held == "" && (op.Phase != Grace || op.Hotspot == "" || v.Needed):
		return step, nil
	case op.Needs != "":
		why = ""
	}
	if why == op.Needs { // nobody was called, and nobody is
		return step, nil
	}
	if n == nil {
		n = s.Next()
	}
	return Step{Write: n}, tellCall(s, n, op, why, v.Now)
}

// needed is why a step that was taken needs a person; empty = it does not.
func needed(s, n *control.State) string {
	if len(n.Outbox) <= len(s.Outbox) {
		return ""
	}
	note := &n.Outbox[len(s.Outbox)]
	switch {
	case note.Refused != "":
		return "it cannot be taken back: " + note.Refused
	case note.Act.Phase == Stay:
		return couldNot + note.Act.Text
	case note.Act.Phase == Grace && note.Act.Outcome == NoEffect:
		return "it had no effect: " + note.Act.Text
	case note.Act.Phase == Grace && note.Act.Outcome == Misrouted:
		return "traffic does not follow it: " + note.Act.Text
	}
	return ""
}

// stuck is what an operation that has begun waits for, if somebody can do something about it, and since when.
func (e *Executor) stuck(op *control.Operation, step Step, v *View) (why string, since time.Time) {
	if step.Write != nil || len(step.Waits) == 0 || op.Phase == Planned {
		delete(e.waits, op.Number)
		return "", time.Time{}
	}
	w := step.Waits[0]
	switch w.Condition {
	case InTurn, Free, Fresh, Minute, Settled, Graced: // they pass, or people know
		delete(e.waits, op.Number)
		return "", time.Time{}
	case Fits, Confirmed, Able, Guarded, Acknowledged, Asked:
	}
	is, known := e.waits[op.Number]
	same := known && is.version == op.Version && is.wait.Condition == w.Condition && (w.Condition != Asked || is.wait.Why == w.Why) // what is done elsewhere may say how far it is
	if !same {
		is = stand{op.Version, w, v.Now}
		if e.waits == nil {
			e.waits = map[uint64]stand{}
		}
		e.waits[op.Number] = is
	}
	return fmt.Sprintf("it waits in phase %s for longer than %d minutes: %s", op.Phase, int(patience.Minutes()), w.Why), is.since
}

// tellCall says in a state that a person must act, or that nobody must any more.
func tellCall(s, n *control.State, op *control.Operation, why string, now time.Time) error {
	is := *op
	if o := n.Operation(op.Number); o != nil {
		o.Needs = why
		is = *o
	}
	call, text, kind := control.CallNeeded, why, "needed"
	if why == "" {
		call, text, kind = control.CallOver, "it was so: "+op.Needs, "over"
	}
	note := control.Note{
		ID: fmt.Sprintf("op-%d-%d-%s", op.Number, n.Document.Version, kind), At: now, Do: control.DoAct, By: op.By, Plan: op.Plan, Hotspot: op.Hotspot, Operation: op.Number,
		Act: control.Act{Fix: op.Fix, Shard: op.Shard, Machine: op.Machine, Phase: is.Phase, Back: is.Back, Outcome: is.Outcome, Text: text, Call: call},
	}
	if len(n.Outbox) > len(s.Outbox) { // the step that ended it is the last of its phase
		last := &n.Outbox[len(n.Outbox)-1].Act
		note.Act.Phase, note.Act.Back, note.Act.Outcome = last.Phase, last.Back, last.Outcome
	}
	return n.Tell(note)
}
