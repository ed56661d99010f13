package operation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// calls are what the journal is told of who must act on an operation: "needed phase: text" or "over phase".
func (r *rig) calls(number uint64) []string {
	var out []string
	for _, n := range r.notes {
		if n.Operation != number || n.Act.Call == "" {
			continue
		}
		text := n.Act.Call + " " + n.Act.Phase
		if n.Act.Call == control.CallNeeded {
			text += ": " + n.Act.Text
		}
		out = append(out, text)
	}
	return out
}

// wait lets rounds pass without an end.
func (r *rig) wait(d time.Duration) {
	r.t.Helper()
	for end := r.now.Add(d); r.now.Before(end); r.pass() {
		r.round()
	}
}

func (r *rig) wants(number uint64, want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.calls(number)); diff != "" {
		r.t.Errorf("calls (-want +got):\n%s", diff)
	}
}

const stuck = "needed flip: it waits in phase flip for longer than 10 minutes: waiting for app-1"

// TestStuckOperationCallsSomebody: one that waits 10 minutes for the same client calls a person once, also where another process decides by
// then, and its next step ends the call.
func TestStuckOperationCallsSomebody(t *testing.T) {
	r := newRig(t)
	r.load(3, 0, 4, 8)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Flip)
	r.follow = false
	r.wait(9*time.Minute + 50*time.Second)
	r.wants(1)
	r.wait(20 * time.Second)
	r.wants(1, stuck)
	if o := r.state.Operation(1); o.Phase != operation.Flip || o.Needs == "" {
		t.Errorf("the operation is in %s and needs %q", o.Phase, o.Needs)
	}
	r.exec = operation.Executor{}
	r.wait(30 * time.Minute)
	r.wants(1, stuck)
	r.follow = true
	r.until(1, operation.Grace)
	r.wants(1, stuck, "over settle")
	if needs := r.state.Operation(1).Needs; needs != "" {
		t.Errorf("it needs %q still", needs)
	}
}

// TestHoldEndsTheCall: who holds an operation knows of it.
func TestHoldEndsTheCall(t *testing.T) {
	r := newRig(t)
	r.load(3, 0, 4, 8)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Flip)
	r.follow = false
	r.wait(11 * time.Minute)
	r.ask(control.DoHold, 1)
	r.wait(30 * time.Minute)
	r.wants(1, stuck, "over flip")
}

// TestEffectCallsSomebody: no effect and traffic elsewhere call a person until the operation is taken back, or its hotspot is over; an
// effect calls nobody, and is told in numbers.
func TestEffectCallsSomebody(t *testing.T) {
	begin := func(step policy.Step, disagree float64) *rig {
		r := newRig(t)
		r.load(3, 0, 4, 8)
		r.plan(policy.FixSplit, step)
		r.until(1, operation.Settle)
		r.numbers.Snapshot.Inputs.Disagree = disagree
		r.until(1, operation.Grace)
		return r
	}
	r := begin(split(), 0)
	r.wants(1)
	act := r.notes[len(r.notes)-1].Act
	if act.Before <= act.After || act.After <= 0 {
		t.Errorf("before %v, after %v: want both, and less after", act.Before, act.After)
	}

	idle := policy.Step{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}
	r = begin(idle, 0)
	const none = "needed grace: it had no effect: the hottest shard is at "
	if got := r.calls(1); len(got) != 1 || !strings.HasPrefix(got[0], none) {
		t.Fatalf("calls %v, want one of %q", got, none)
	}
	r.ask(control.DoRollback, 1)
	r.until(1, operation.Undone)
	if got := r.calls(1); len(got) != 2 || got[1] != "over restore" {
		t.Errorf("calls %v, want the second to be over with the way back", got)
	}

	r = begin(split(), 0.2)
	const misrouted = "needed grace: traffic does not follow it: 20.0 % of the load is logged on other shards"
	if got := r.calls(1); len(got) != 1 || !strings.HasPrefix(got[0], misrouted) {
		t.Fatalf("calls %v, want one of %q", got, misrouted)
	}
	r.wait(time.Hour)
	r.numbers.Decision = &policy.Decision{} // its hotspot is over
	r.wait(time.Hour)
	if got := r.calls(1); len(got) != 2 || got[1] != "over grace" {
		t.Errorf("calls %v, want the second to be over with the hotspot", got)
	}
}

// TestNoWayBackCallsSomebody: what was asked to be taken back and cannot be is told as refused, with a call.
func TestNoWayBackCallsSomebody(t *testing.T) {
	r := newRig(t)
	r.load(3, 0, 4, 8)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Grace)
	next := r.state.Next()
	if err := next.Document.Set(routing.VShardEntry(0), "shard-3"); err != nil {
		t.Fatal(err)
	}
	r.write(next)
	r.ask(control.DoRollback, 1)
	r.round()
	r.round()
	got := r.calls(1)
	if len(got) != 1 || !strings.Contains(got[0], "it cannot be taken back: somebody changed vshard/0 since") {
		t.Fatalf("calls %v", got)
	}
	at := slices.IndexFunc(r.notes, func(n control.Note) bool { return n.Act.Call != "" })
	if n := r.notes[at-1]; n.Refused == "" || n.Act.Back || n.Operation != 1 {
		t.Errorf("the step before the call is %+v, want one that says why", n)
	}
	if o := r.state.Operation(1); o.Back || o.Phase != operation.Grace {
		t.Errorf("it stands in %s, back %v", o.Phase, o.Back)
	}
}
