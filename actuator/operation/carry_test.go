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

// TestCarry: data is copied, compared, drained in a fence that its shards have acknowledged, and deleted where it was after the grace.
func TestCarry(t *testing.T) {
	for name, step := range map[string]policy.Step{"split": split(), "isolate": whale()} {
		t.Run(name, func(t *testing.T) {
			r := carried(t)
			r.load(3, 0, 4, 8)
			r.plan(policy.FixSplit, step)
			r.carry(operation.Fence)
			if len(fenced(r.state)) == 0 {
				t.Error("nothing is fenced")
			}
			began := r.now
			r.carry(operation.Flip)
			if len(fenced(r.state)) > 0 || r.now.Sub(began) > 15*time.Second {
				t.Errorf("fenced after the flip: %v, and it took %s", fenced(r.state), r.now.Sub(began))
			}
			r.carry(operation.Over)
			if diff := cmp.Diff([]string{"copy", "verify", "drain", "clean"}, r.mover.asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
			want := []string{"planned", "copy", "verify", "fence", "flip", "settle"}
			if got := r.phases(1); !slices.Equal(got[:len(want)], want) {
				t.Errorf("phases %v, want %v and so on", got, want)
			}
		})
	}
}

// TestCarryBack from every phase that has a way back: the document is as it was, and the copy is deleted.
func TestCarryBack(t *testing.T) {
	for phase, asked := range map[string][]string{
		operation.Planned: nil,
		operation.Copy:    {"copy", "drop"}, operation.Verify: {"copy", "verify", "drop"}, operation.Fence: {"copy", "verify", "drain", "drop"},
		operation.Flip: {"copy", "verify", "drain", "return", "drop"}, operation.Settle: {"copy", "verify", "drain", "return", "drop"},
	} {
		t.Run(phase, func(t *testing.T) {
			r := carried(t)
			before := r.state.Document.Clone()
			r.plan(policy.FixSplit, split())
			r.carry(phase)
			if phase != operation.Planned && phase != operation.Flip {
				r.round() // so that it asks
			}
			if o := r.state.Operation(1); o.Phase != phase {
				t.Fatalf("it went on to %s", o.Phase)
			}
			r.ask(control.DoRollback, 1)
			r.carry(operation.Undone)
			if changes := routing.Diff(before, r.state.Document); len(changes) > 0 || len(fenced(r.state)) > 0 {
				t.Errorf("left behind: %v, fenced %v", changes, fenced(r.state))
			}
			if diff := cmp.Diff(asked, r.mover.asked); diff != "" && phase != operation.Planned {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoFenceWithoutGuards: what nobody would acknowledge is not begun, and what has begun waits outside of the fence.
func TestNoFenceWithoutGuards(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *rig)
		want   string
	}{
		"none": {func(r *rig) { r.guards = r.guards[1:] }, "no guard of shard-0 is known"},
		"of one that takes": {func(r *rig) {
			r.guards = slices.DeleteFunc(r.guards, func(c control.Confirmation) bool { return c.Shard == "shard-3" })
		}, "no guard of shard-3 is known"},
		"one is silent": {func(r *rig) {
			r.guards = append(r.guards, control.Confirmation{Client: "gone", Epoch: 1, Version: 1, Guard: true, Shard: "shard-0"})
			for range 20 {
				r.pass()
				r.confirmOnly("gone")
				r.roll.Observe(r.now, r.guards)
			}
		}, "guard gone of shard-0 has been silent"},
	} {
		t.Run(name, func(t *testing.T) {
			r := carried(t)
			r.mover.says[operation.Verify] = operation.Result{Why: "not yet"}
			r.plan(policy.FixSplit, split())
			r.carry(operation.Verify)
			r.mover.says[operation.Verify] = operation.Result{Done: true}
			c.change(r)
			var why string
			for range 30 {
				out := r.round()
				if len(fenced(r.state)) > 0 {
					t.Fatal("it is fenced")
				}
				for _, w := range out.Waits[1] {
					if w.Condition == operation.Guarded {
						why = w.Why
					}
				}
				r.pass()
				r.confirmOnly("gone")
			}
			if !strings.Contains(why, c.want) {
				t.Errorf("it waits because %q, want %q", why, c.want)
			}
			if r.state.Operation(1).Phase != operation.Verify {
				t.Errorf("it stands in %s", r.state.Operation(1).Phase)
			}
		})
	}
}

// confirmOnly is confirm of all clients but one.
func (r *rig) confirmOnly(but string) {
	for i := range r.guards {
		if g := &r.guards[i]; g.Client != but {
			g.Version, g.Beat = r.state.Document.Version, g.Beat+1
		}
	}
}

// TestFenceDoesNotRest: stopped, held, with a journal that takes nothing, or with a guard or a mover that does not answer, a fence is over
// within seconds.
func TestFenceDoesNotRest(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *rig)
		but    string
		want   string // where it is then
		why    string
	}{
		"stopped": {func(r *rig) { r.state.Document.Stop = true }, "", operation.Flip, ""},
		"held":    {func(r *rig) { r.state.Operations[0].Held = "ann: wait" }, "", operation.Flip, ""},
		"a full outbox": {func(r *rig) {
			for len(r.state.Outbox) < control.MaxOutbox {
				r.state.Outbox = append(r.state.Outbox, control.Note{ID: "n", By: "ann"})
			}
		}, "", operation.Flip, ""},
		"a guard that is behind":         {func(*rig) {}, "shard-0", operation.Drop, "guard guard of shard-0 of shard-0 has not acknowledged"},
		"a mover that does not finish":   {func(r *rig) { r.mover.says[operation.Fence] = operation.Result{Why: "3,000 rows"} }, "", operation.Drop, "3,000 rows"},
		"a mover that fails":             {func(r *rig) { r.mover.says[operation.Fence] = operation.Result{Failed: true, Why: "broken"} }, "", operation.Drop, "broken"},
		"another decider long afterward": {func(r *rig) { r.exec = operation.Executor{}; r.now = r.now.Add(time.Hour) }, "shard-0", operation.Drop, "not within 10s"},
	} {
		t.Run(name, func(t *testing.T) {
			r := carried(t)
			r.plan(policy.FixSplit, split())
			r.carry(operation.Fence, c.but)
			c.change(r)
			began := r.now
			for len(fenced(r.state)) > 0 && r.now.Sub(began) < time.Minute {
				r.confirm(c.but)
				r.round()
				r.now = r.now.Add(time.Second)
			}
			if took := r.now.Sub(began); took > 12*time.Second {
				t.Errorf("nobody served for %s", took)
			}
			if o := r.state.Operation(1); o.Phase != c.want || !strings.Contains(o.Why, c.why) || o.Back != (c.want == operation.Drop) {
				t.Errorf("it stands in %s, back %v, because %q; want %s, because %q", o.Phase, o.Back, o.Why, c.want, c.why)
			}
		})
	}
}

// TestWayBackThatNobodyAcknowledges: the new shards serve on, and the way back may be taken again, which drains again.
func TestWayBackThatNobodyAcknowledges(t *testing.T) {
	r := carried(t)
	r.plan(policy.FixSplit, split())
	r.carry(operation.Settle)
	r.ask(control.DoRollback, 1)
	r.carry(operation.Settle, "shard-1") // it stands there: first it leaves
	r.round()
	if o := r.state.Operation(1); o.Phase != operation.Return || len(fenced(r.state)) == 0 {
		t.Fatalf("it stands in %s, fenced %v", o.Phase, fenced(r.state))
	}
	r.carry(operation.Stay, "shard-1")
	if len(fenced(r.state)) > 0 || r.state.Document.Value(routing.VShardEntry(0)) != "shard-1" || r.state.Operation(1).Back {
		t.Errorf("fenced %v, at %q, back %v", fenced(r.state), r.state.Document.Value(routing.VShardEntry(0)), r.state.Operation(1).Back)
	}
	r.carry(operation.Settle)
	before := len(r.mover.asked)
	r.ask(control.DoRollback, 1)
	r.carry(operation.Undone)
	if got := r.mover.asked[before:]; !slices.Equal(got, []string{"return", "drop"}) {
		t.Errorf("the second way back asked for %v, want what came since to be brought back", got)
	}
}

// TestNothingIsDeletedThatSomebodyElseHas: where the place was given to another shard in the grace, the old data stays.
func TestNothingIsDeletedThatSomebodyElseHas(t *testing.T) {
	r := carried(t)
	r.plan(policy.FixSplit, split())
	r.carry(operation.Grace)
	next := r.state.Next()
	if err := next.Document.Set(routing.VShardEntry(0), ""); err != nil {
		t.Fatal(err)
	}
	r.write(next)
	r.carry(operation.Over)
	if slices.Contains(r.mover.asked, "clean") {
		t.Error("the old data was deleted, and is served")
	}
}

// TestCleanKeepsOthersAway: while old data is deleted, nobody else moves it.
func TestCleanKeepsOthersAway(t *testing.T) {
	r := carried(t)
	r.mover.says[operation.Clean] = operation.Result{Why: "not yet"}
	r.plan(policy.FixSplit, split())
	r.carry(operation.Clean)
	if o := r.state.Operation(1); !o.Works() || o.Outcome == "" {
		t.Errorf("it is %q, busy %v", o.Outcome, o.Busy)
	}
	req := &control.Request{ID: "1", By: "ann", Reason: "back", Do: control.DoSet, IfVersion: r.state.Document.Version, Edits: []control.Edit{{Entry: routing.VShardEntry(0)}}}
	if a, _ := r.state.Answer(req, r.now).Answered("1"); !strings.Contains(a.Refused, "operation 1 works on it") {
		t.Errorf("refused %q", a.Refused)
	}
	delete(r.mover.says, operation.Clean)
	r.carry(operation.Over)
}

// TestDataIsCarriedByOneAtATime: a tenant's data lies on virtual shards, so that the two are not carried at the same time.
func TestDataIsCarriedByOneAtATime(t *testing.T) {
	for _, moving := range []operation.Moving{operation.MovingCarried, operation.MovingDoubled} {
		r := carried(t)
		r.moving = moving
		r.plan(policy.FixSplit, policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}}})
		r.carry(operation.Verify)
		r.plan(policy.FixIsolate, whale())
		r.numbers.Decision.Plans[0].Hotspot = "another"
		r.numbers.Decision.Open = append(r.numbers.Decision.Open, policy.Verdict{Hotspot: "another", Shard: "shard-2"})
		for range 60 {
			out := r.round()
			if o := r.state.Operation(2); o != nil && o.Phase != operation.Planned && r.state.Operation(1).Outcome == "" {
				t.Fatalf("operation 2 stands in %s while 1 stands in %s: %v", o.Phase, r.state.Operation(1).Phase, out.Waits)
			}
			r.confirm()
			r.pass()
		}
		if o := r.state.Operation(2); o == nil || o.Phase != operation.Planned {
			t.Errorf("operation 2 is %+v", o)
		}
	}
}

// TestNothingMovesWhereNobodySaysHow the data comes along.
func TestNothingMovesWhereNobodySaysHow(t *testing.T) {
	r := newRig(t)
	plan := r.plan(policy.FixSplit, split())
	if _, err := operation.Begin(r.state, plan, &operation.Terms{Mode: policy.ModeAuto, Cut: func(m []routing.Move) [][]routing.Move { return [][]routing.Move{m} }}, r.now); err == nil || !strings.Contains(err.Error(), "mover.moves") {
		t.Errorf("%v", err)
	}
}

// TestAddedShardsAreMadeFirst, by their names, and then take what moves.
func TestAddedShardsAreMadeFirst(t *testing.T) {
	r := carried(t)
	r.load(3, 0, 4, 8)
	r.plan(policy.FixScaleOut, policy.Step{Kind: policy.StepAddShards, Shards: []string{"new-0"}}, policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 5}}})
	r.numbers.Decision.Plans[0].Added = []string{"new-0"}
	r.carry(operation.Make)
	r.mover.of = 2
	if len(r.state.Document.Shards) != 5 {
		t.Error("a shard is in the document before it is made")
	}
	r.guards = append(r.guards, control.Confirmation{Client: "g5", Epoch: 1, Version: 1, Guard: true, Shard: "new-0"})
	for range 20_000 {
		if o := r.state.Operation(2); o != nil && o.Phase == operation.Settle {
			break
		}
		r.round()
		r.confirm()
		r.pass()
	}
	d := r.state.Document
	if diff := cmp.Diff([]string{"copy", "verify", "drain"}, r.mover.asked); diff != "" || d.Value(routing.VShardEntry(0)) != "new-0" || d.Shards[5].Role != routing.Serving {
		t.Errorf("asked for (-want +got):\n%s\nat %q, %s", diff, d.Value(routing.VShardEntry(0)), d.Shards[5].Role)
	}
	r.mover.cannot = []operation.Ask{operation.AskProvision}
	if _, err := operation.Steps(control.First(d), &policy.Plan{Added: []string{"x"}, Steps: []policy.Step{whale()}}, &operation.Terms{}); err == nil {
		t.Error("shards are added that nobody makes")
	}
}
