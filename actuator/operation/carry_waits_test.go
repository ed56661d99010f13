package operation_test

import (
	"slices"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing/control"
)

// carryWait is a condition of the tables that carry data and add shards, and a world in which nothing but it does not hold.
type carryWait struct {
	phase string
	c     operation.Condition
	world func(r *rig)
	but   string // a shard whose guard takes no documents
}

func carryWaits() []carryWait {
	notYet := func(phase string) func(r *rig) {
		return func(r *rig) { r.mover.says[phase] = operation.Result{Why: "not yet"} }
	}
	unguarded := func(r *rig) {
		r.guards = slices.DeleteFunc(r.guards, func(c control.Confirmation) bool { return c.Shard == "shard-0" })
	}
	nothing := func(*rig) {}
	return []carryWait{
		{operation.Planned, operation.Guarded, unguarded, ""},
		{operation.Copy, operation.Asked, notYet(operation.Copy), ""},
		{operation.Verify, operation.Asked, notYet(operation.Verify), ""},
		{operation.Verify, operation.Fresh, func(r *rig) { r.numbers.Decision.Blind = true }, ""},
		{operation.Verify, operation.Fits, func(r *rig) { r.load(100, 1, 5, 9) }, ""},
		{operation.Verify, operation.Guarded, unguarded, ""},
		{operation.Fence, operation.Acknowledged, nothing, "shard-0"},
		{operation.Fence, operation.Asked, notYet(operation.Fence), ""},
		{operation.Grace, operation.Able, func(r *rig) { r.mover.cannot = []operation.Ask{operation.AskClean} }, ""},
		{operation.Clean, operation.Asked, notYet(operation.Clean), ""},
		{operation.Return, operation.Acknowledged, nothing, "shard-1"},
		{operation.Return, operation.Asked, notYet(operation.Return), ""},
		{operation.Drop, operation.Asked, notYet(operation.Drop), ""},
		{operation.Drop, operation.Confirmed, func(r *rig) { r.follow = false }, ""},
		{operation.Make, operation.Asked, notYet(operation.Make), ""},
	}
}

// TestCarryWaits: each condition keeps an operation in its phase while it does not hold, and without it the operation goes on all the same.
func TestCarryWaits(t *testing.T) {
	for _, w := range carryWaits() {
		t.Run(named(w.phase, w.c), func(t *testing.T) {
			if got := w.leaves(t, operation.Machines()); got {
				t.Error("it goes on although the condition does not hold")
			}
			if got := w.leaves(t, operation.Without(w.phase, w.c)); !got {
				t.Error("it waits without the condition too: nothing shows that it is looked at")
			}
		})
	}
}

// leaves says whether an operation leaves the phase in the world of a wait.
func (w *carryWait) leaves(t *testing.T, tables []operation.Machine) bool {
	t.Helper()
	r := w.stands(t, tables)
	steps, step := 5, time.Second
	if w.phase == operation.Grace {
		steps, step = 30, time.Hour
	}
	for range steps {
		r.round()
		r.confirm(w.but)
		r.now = r.now.Add(step)
		if o := r.state.Operation(1); o == nil || o.Phase != w.phase {
			return true
		}
	}
	return false
}

// stands is the world of a wait, in which an operation just stands in its phase.
func (w *carryWait) stands(t *testing.T, tables []operation.Machine) *rig {
	t.Helper()
	r := carried(t)
	r.exec = operation.With(tables)
	r.mover.unserved = nil
	r.load(3, 0)
	if w.phase == operation.Make {
		r.plan(policy.FixScaleOut, policy.Step{Kind: policy.StepAddShards, Shards: []string{"new-0"}})
		r.numbers.Decision.Plans[0].Added = []string{"new-0"}
	} else {
		step := split()
		step.Moves = step.Moves[:1]
		r.plan(policy.FixSplit, step)
	}
	if w.phase == operation.Return || w.phase == operation.Drop {
		r.carry(operation.Settle)
		r.ask(control.DoRollback, 1)
	}
	if w.phase != operation.Verify && w.phase != operation.Drop && w.phase != operation.Grace {
		w.world(r)
		r.carry(w.phase, w.but)
	} else {
		r.mover.says[w.phase] = operation.Result{Why: "not yet"}
		r.carry(w.phase, w.but)
		delete(r.mover.says, w.phase)
		w.world(r)
	}
	return r
}
