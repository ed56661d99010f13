package operation_test

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing/control"
)

// carriedTo is a carry in a phase, with the hot places that it moved.
func carriedTo(t *testing.T, phase string) *rig {
	t.Helper()
	r := carried(t)
	r.load(3, 0, 4, 8)
	r.plan(policy.FixSplit, split())
	r.carry(phase)
	return r
}

// goesOn lets rounds pass in which some guards are silent, and counts how often the operation fences.
func (r *rig) goesOn(rounds int, silent ...string) (fences int) {
	r.t.Helper()
	last := ""
	for range rounds {
		r.round()
		r.confirm(silent...)
		r.pass()
		o := r.state.Operation(1)
		if o == nil {
			break
		}
		if o.Phase != last && o.Phase == operation.Return {
			fences++
		}
		last = o.Phase
	}
	return fences
}

// TestGraceIsKnownFirst: a decider that has judged nothing yet does not know how long the fleet's grace is, and deletes nothing.
func TestGraceIsKnownFirst(t *testing.T) {
	r := carriedTo(t, operation.Grace)
	r.numbers.Config.Grace = 72 * time.Hour
	r.now = r.now.Add(25 * time.Hour)
	var fresh operation.Executor
	fresh.Observe(r.state, r.now)
	out := fresh.Round(r.state, &operation.Around{Now: r.now, Moving: operation.MovingCarried, Roll: &r.roll, Result: r.mover.result(r.state), Can: r.mover.can})
	if out.Write != nil || len(out.Tasks) > 0 {
		t.Errorf("before its first judgement it enters %s", out.Write.Operation(1).Phase)
	}
}

// TestReturnWaitsForGuards: a person's roll-back fences nothing while a guard that would have to acknowledge is silent; it says so, and goes
// on when the guard is back.
func TestReturnWaitsForGuards(t *testing.T) {
	r := carriedTo(t, operation.Settle)
	r.goesOn(24, "shard-1")
	r.ask(control.DoRollback, 1)
	if n := r.goesOn(200, "shard-1"); n > 0 {
		t.Errorf("it fenced %d times for nothing", n)
	}
	if o := r.state.Operation(1); !o.Back || !strings.Contains(o.Needs, "shard-1") {
		t.Errorf("it stands as %+v", o)
	}
	if n := r.goesOn(200); n != 1 || r.state.Operation(1) != nil && r.state.Operation(1).Phase != operation.Undone {
		t.Errorf("with its guard it fenced %d times, and stands as %+v", n, r.state.Operation(1))
	}
}

// TestReturnIsTriedOnce: what is worse, and cannot be taken back in time, calls a person and is not tried again by itself.
func TestReturnIsTriedOnce(t *testing.T) {
	r := carriedTo(t, operation.Settle)
	r.load(10, 0, 1, 5, 9, 13)
	r.mover.says = map[string]operation.Result{operation.Return: {Why: "it is under way"}}
	if n := r.goesOn(500); n > 1 {
		t.Errorf("it fenced %d times", n)
	}
	calls := r.calls(1)
	if len(calls) == 0 || !strings.Contains(calls[0], "it could not be taken back") {
		t.Errorf("calls: %v", calls)
	}
}
