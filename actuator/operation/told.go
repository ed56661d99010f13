package operation

import (
	"fmt"
	"time"

	"firebreak/routing/control"
)

// told is a state with what people are told of its operation.
func told(s, n *control.State, o *control.Operation, text string, now time.Time) (Step, error) {
	note := control.Note{
		ID: fmt.Sprintf("op-%d-%d", o.Number, n.Document.Version), At: now, Do: control.DoAct, By: o.By, Plan: o.Plan, Hotspot: o.Hotspot, Operation: o.Number,
		Act: control.Act{Fix: o.Fix, Shard: o.Shard, Machine: o.Machine, Phase: o.Phase, Back: o.Back, Outcome: o.Outcome, Text: text},
	}
	if err := n.Tell(note.Changed(s.Document, n.Document)); err != nil && len(n.Document.Fenced) >= len(s.Document.Fenced) {
		return Step{}, err // what lifts a fence does not wait for the journal
	}
	return Step{Write: n}, nil
}
