package operation_test

import (
	"strings"
	"testing"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestFiresNow: a plan of the tick at which its hotspot fires is carried out: its hotspot is open, and not over.
func TestFiresNow(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}}})
	d := r.numbers.Decision
	d.Verdicts, d.Open = []policy.Verdict{{Hotspot: "h", Shard: "shard-0", Phase: policy.PhaseFiring}}, nil
	r.round()
	r.round()
	if o := r.state.Operation(1); o == nil || o.Phase != operation.Flip || o.Shard != "shard-0" {
		t.Errorf("%+v, want it to flip, for shard-0", o)
	}
}

// TestFitsNow: a receiver that became hot a minute ago takes nothing more, although over the long window it was cool.
func TestFitsNow(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}}})
	panes := r.numbers.Snapshot.Panes
	for _, p := range panes[len(panes)-6:] {
		for v := 1; v < 40; v += 4 {
			p.VShards[v].Load *= 1.9
		}
	}
	out := r.round()
	if err := out.Holds["plan-split"]; err == nil || !strings.Contains(err.Error(), "above its target") {
		t.Errorf("%v, want that shard-1 would get too much", err)
	}
}

// TestRoomIsTaken: what was planned first has its room, although nothing of it has moved yet.
func TestRoomIsTaken(t *testing.T) {
	for _, held := range []bool{true, false} {
		r := newRig(t)
		r.load(1.3, 1, 5, 9, 13, 17, 21, 25, 29, 33, 37) // shard-1 has room for three virtual shards more
		if held {
			r.plan(policy.FixSplit, policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}, {VShard: 4, To: 1}, {VShard: 8, To: 1}}})
			r.round()
			r.ask(control.DoHold, 1)
		}
		second := r.plan(policy.FixSplit, policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 2, To: 1}}})
		plans := r.numbers.Decision.Plans
		plans[0].ID, plans[0].Hotspot = "second", "h2"
		r.numbers.Decision.Open = append(r.numbers.Decision.Open, policy.Verdict{Hotspot: "h2", Shard: "shard-2"})
		if err := r.round().Holds["second"]; held != (err != nil && strings.Contains(err.Error(), "above its target")) {
			t.Errorf("with one planned before %v: %v (%s)", held, err, second.ID)
		}
	}
}
