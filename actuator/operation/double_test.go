package operation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// doubled is a rig of a store that clients write twice to while data moves.
func doubled(t *testing.T) *rig {
	t.Helper()
	r := carried(t)
	r.moving = operation.MovingDoubled
	r.mover.unserved = nil // somebody always serves
	return r
}

// reach goes on until the first operation stands in a phase, and nobody has its document yet.
func (r *rig) reach(phase string) {
	r.t.Helper()
	for range 20_000 {
		r.round()
		if o := r.state.Operation(1); o != nil && o.Phase == phase {
			return
		}
		r.confirm()
		r.pass()
	}
	r.t.Fatalf("operation 1 never stood in %s: %+v", phase, r.state.Operation(1))
}

// TestDouble: what moves is written twice from the copy on, by both sides' word from before the comparison to after the flip, and once from
// the grace on. Nothing is fenced.
func TestDouble(t *testing.T) {
	for name, c := range map[string]struct {
		step  policy.Step
		entry routing.Entry
		to    string
	}{
		"split":   {split(), routing.VShardEntry(0), "shard-1"},
		"isolate": {whale(), routing.TenantEntry("mega"), "spare-0"},
	} {
		t.Run(name, func(t *testing.T) {
			r := doubled(t)
			r.load(3, 0, 4, 8)
			r.plan(policy.FixSplit, c.step)
			since := map[string]uint64{}
			for _, want := range []struct {
				phase, lies, also, since string
				both, twice              bool
			}{
				{phase: operation.Planned},
				{operation.Copy, "", c.to, "", false, true},
				{operation.Both, "", c.to, operation.Copy, true, true},
				{operation.Verify, "", c.to, operation.Both, true, true},
				{operation.Flip, c.to, "", operation.Both, true, true},
				{operation.Settle, c.to, "", operation.Both, false, true},
				{phase: operation.Grace, lies: c.to},
				{phase: operation.Clean, lies: c.to},
			} {
				r.reach(want.phase)
				d := r.state.Document
				since[want.phase] = r.state.Operation(1).Version
				if len(d.Fenced) > 0 || d.Value(c.entry) != want.lies {
					t.Errorf("in %s: fenced %v, at %q, want %q", want.phase, d.Fenced, d.Value(c.entry), want.lies)
				}
				var is *routing.Double
				if i := slices.IndexFunc(d.Doubled, func(is routing.Double) bool { return is.Entry == c.entry }); i >= 0 {
					is = &d.Doubled[i]
				}
				if (is != nil) != want.twice {
					t.Fatalf("in %s: written twice: %v", want.phase, d.Doubled)
				}
				if is != nil && *is != (routing.Double{Entry: c.entry, Value: want.also, Since: since[want.since], Both: want.both}) {
					t.Errorf("in %s: %+v, want also %q, since %d, both %v", want.phase, *is, want.also, since[want.since], want.both)
				}
			}
			r.carry(operation.Over)
			if twice := r.state.Document.Doubled; slices.ContainsFunc(twice, func(is routing.Double) bool { return is.Entry == c.entry }) {
				t.Errorf("written twice in the end: %v", twice)
			}
			if diff := cmp.Diff([]string{"copy", "verify", "clean"}, r.mover.asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDoubleBack from every phase that has a way back: the document is as it was, nothing is written twice, and once the new shards were
// read, what they took is brought back while a write is done by both sides' word.
func TestDoubleBack(t *testing.T) {
	early := []string{"copy", "drop"}
	compared := []string{"copy", "verify", "drop"}
	late := []string{"copy", "verify", "return", "drop"}
	for phase, asked := range map[string][]string{
		operation.Planned: nil, operation.Copy: early, operation.Both: early, operation.Verify: compared, operation.Flip: late, operation.Settle: late,
	} {
		t.Run(phase, func(t *testing.T) {
			r := doubled(t)
			before := r.state.Document.Clone()
			r.plan(policy.FixSplit, split())
			r.reach(phase)
			if phase == operation.Copy || phase == operation.Verify {
				r.confirm()
				r.round() // so that it asks
			}
			if o := r.state.Operation(1); o.Phase != phase {
				t.Fatalf("it went on to %s", o.Phase)
			}
			r.ask(control.DoRollback, 1)
			if phase == operation.Flip || phase == operation.Settle {
				since := r.state.Document.Doubled[0].Since
				r.reach(operation.Rejoin)
				rejoined := r.state.Operation(1).Version
				if is := r.state.Document.Doubled; len(is) != 3 || !is[0].Both || is[0].Since != since {
					t.Errorf("on the way back: %v, want both, since %d", is, since)
				}
				r.reach(operation.Return)
				if is := r.state.Document.Doubled; len(is) != 3 || !is[0].Both || is[0].Since != rejoined || is[0].Value != "" {
					t.Errorf("where it is brought back: %v, want both, since %d", is, rejoined)
				}
				r.reach(operation.Unflip)
				if is := r.state.Document.Doubled; len(is) != 3 || !is[0].Both || is[0].Value == "" {
					t.Errorf("after the flip back: %v", is)
				}
			}
			r.carry(operation.Undone)
			if changes := routing.Diff(before, r.state.Document); len(changes) > 0 || len(r.state.Document.Doubled) > 0 {
				t.Errorf("left behind: %v, written twice %v", changes, r.state.Document.Doubled)
			}
			if diff := cmp.Diff(asked, r.mover.asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDoubleRests: unlike a fence, no phase of it hurries: stopped, it stays where it is, and is written twice.
func TestDoubleRests(t *testing.T) {
	r := doubled(t)
	r.plan(policy.FixSplit, split())
	r.reach(operation.Verify)
	r.state.Document.Stop = true
	for range 100 {
		r.confirm()
		if out := r.round(); out.Soon || r.state.Operation(1).Phase != operation.Verify || len(r.state.Document.Doubled) != 3 {
			t.Fatalf("soon %v, it stands in %s", out.Soon, r.state.Operation(1).Phase)
		}
		r.pass()
	}
}

// doubleWaits are the conditions of its phases, and worlds in which nothing but one does not hold.
func doubleWaits() []carryWait {
	notYet := func(phase string) func(r *rig) {
		return func(r *rig) { r.mover.says[phase] = operation.Result{Why: "not yet"} }
	}
	behind := func(r *rig) { r.follow = false }
	nothing := func(*rig) {}
	return []carryWait{
		{operation.Copy, operation.Asked, notYet(operation.Copy), ""},
		{operation.Copy, operation.Confirmed, behind, ""},
		{operation.Both, operation.Confirmed, behind, ""},
		{operation.Verify, operation.Acknowledged, nothing, "shard-0"},
		{operation.Verify, operation.Asked, notYet(operation.Verify), ""},
		{operation.Flip, operation.Acknowledged, nothing, "shard-0"},
		{operation.Flip, operation.Confirmed, behind, ""},
		{operation.Clean, operation.Asked, notYet(operation.Clean), ""},
		{operation.Rejoin, operation.Confirmed, behind, ""},
		{operation.Return, operation.Acknowledged, nothing, "shard-1"},
		{operation.Return, operation.Asked, notYet(operation.Return), ""},
		{operation.Unflip, operation.Acknowledged, nothing, "shard-1"},
		{operation.Unflip, operation.Confirmed, behind, ""},
		{operation.Drop, operation.Asked, notYet(operation.Drop), ""},
		{operation.Drop, operation.Confirmed, behind, ""},
	}
}

// TestDoubleWaits: each condition keeps an operation in its phase while it does not hold, and without it the operation goes on all the same.
func TestDoubleWaits(t *testing.T) {
	leaves := func(t *testing.T, w *carryWait, tables []operation.Machine) bool {
		t.Helper()
		r := doubled(t)
		r.exec = operation.With(tables)
		r.load(3, 0)
		step := split()
		step.Moves = step.Moves[:1]
		r.plan(policy.FixSplit, step)
		if slices.Contains([]string{operation.Rejoin, operation.Return, operation.Unflip, operation.Drop}, w.phase) {
			r.reach(operation.Settle)
			r.ask(control.DoRollback, 1)
		}
		r.reach(w.phase)
		w.world(r)
		for range 5 {
			r.round()
			r.confirm(w.but)
			r.now = r.now.Add(30 * time.Second) // nobody waits for a client that is silent for a minute, but for a guard
			if o := r.state.Operation(1); o == nil || o.Phase != w.phase {
				return true
			}
		}
		return false
	}
	for _, w := range doubleWaits() {
		t.Run(named(w.phase, w.c), func(t *testing.T) {
			if leaves(t, &w, operation.Machines()) {
				t.Error("it goes on although the condition does not hold")
			}
			if !leaves(t, &w, operation.Without(w.phase, w.c)) {
				t.Error("it waits without the condition too: nothing shows that it is looked at")
			}
		})
	}
}
