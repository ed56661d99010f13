package news

import (
	"cmp"
	"fmt"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/routing/control"
)

// Step is what an operation is told of.
type Step struct {
	Phase, Outcome, Text, Call string
	Back                       bool
	Shard                      string // empty = shard-7
	Before, After              float64
}

// Act is the entry of a step of an operation on a salt, or of the call of a person to it, some time after the start; the hotspot may be
// empty.
func Act(fleet, hotspot string, number uint64, act Step, after time.Duration) *actuator.Entry {
	is := control.Act{
		Fix: "salt", Machine: "salt", Shard: cmp.Or(act.Shard, "shard-7"), Phase: act.Phase, Back: act.Back, Outcome: act.Outcome, Text: act.Text, Call: act.Call,
		Before: act.Before, After: act.After,
	}
	return noted(fleet, &control.Note{
		ID: fmt.Sprintf("op-%d-%d-%s-%s", number, after, act.Phase, act.Call), At: Start().Add(after), Do: control.DoAct, By: "ann", Plan: "7c1f0a4be2d95a36",
		Hotspot: hotspot, Operation: number, Act: is, Epoch: 1, Version: 2,
	})
}

// Approve is the entry of what ann said of a plan of a hotspot, some time after the start.
func Approve(fleet, hotspot, plan string, after time.Duration) *actuator.Entry {
	return noted(fleet, &control.Note{ID: fmt.Sprint("approve", after), At: Start().Add(after), Do: control.DoApprove, By: "ann", Reason: "seen", Plan: plan, Hotspot: hotspot})
}

// HoldOperation is the entry of what bob said of an operation.
func HoldOperation(fleet, hotspot string, number uint64, after time.Duration) *actuator.Entry {
	return noted(fleet, &control.Note{ID: fmt.Sprint("hold", after), At: Start().Add(after), Do: control.DoHold, By: "bob", Reason: "wait", Operation: number, Hotspot: hotspot})
}

func noted(fleet string, note *control.Note) *actuator.Entry {
	e, err := actuator.NewRouted(fleet, note, false, nil)
	if err != nil {
		panic(err) // a note that this package made
	}
	return &e
}

// Plan is the entry of a plan that stands for a hotspot.
func Plan(fleet, hotspot, id string, after time.Duration) *actuator.Entry {
	return Entry(fmt.Sprint(fleet, hotspot, id, after), actuator.KindPlan, actuator.PhaseBegun, fleet, hotspot, Start().Add(after), &line.Plan{
		Head: line.NewHead("plan", fleet, line.Stamp(Start().Add(after))), Hotspot: line.Name(hotspot), ID: line.Name(id), Ready: false, Expires: line.Stamp(Start().Add(after + 30*time.Minute)),
		Steps: []line.Step{{Kind: "salt", Key: "cart:42", Operations: 1}}, Projection: line.Projection{Fix: "salt", Shard: 2928, Hottest: 2928, Feasible: true},
	})
}

// Hold is the entry of a reason to wait with the plan of a hotspot.
func Hold(fleet, hotspot, reason, detail string, after time.Duration) *actuator.Entry {
	return Entry(fmt.Sprint(fleet, hotspot, reason, after), actuator.KindHold, actuator.PhaseBegun, fleet, hotspot, Start().Add(after), &line.Hold{
		Head: line.NewHead("hold", fleet, line.Stamp(Start().Add(after))), Hotspot: line.Name(hotspot), Reason: reason, Detail: line.Prose(detail),
	})
}
