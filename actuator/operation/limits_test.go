package operation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// waits are why an operation waits.
func waits(out operation.Round, number uint64) string {
	var why []string
	for _, w := range out.Waits[number] {
		why = append(why, w.Condition.String()+": "+w.Why)
	}
	return strings.Join(why, "; ")
}

// stays wants an operation to stay in its phase for a while, for a reason.
func (r *rig) stays(number uint64, d time.Duration, why string) {
	r.t.Helper()
	phase := r.state.Operation(number).Phase
	for end := r.now.Add(d); r.now.Before(end); r.pass() {
		out := r.round()
		if got := r.state.Operation(number).Phase; got != phase {
			r.t.Fatalf("it went from %s to %s", phase, got)
		}
		if out.Write != nil { // somebody is called
			continue
		}
		if got := waits(out, number); !strings.Contains(got, why) {
			r.t.Fatalf("it waits for %q, want %q", got, why)
		}
	}
}

// TestWhatANewerVersionLeft is left alone, and named; the others go on.
func TestWhatANewerVersionLeft(t *testing.T) {
	r := newRig(t)
	r.spent(1, "teleport")
	r.state.Operations[0].Held = ""
	r.plan(policy.FixSplit, split())
	left := r.state.Operations[0]
	for range 1000 {
		r.exec.Observe(r.state, r.now)
		r.fresh()
		r.beat++
		r.roll.Observe(r.now, []control.Confirmation{{Client: "app-1", Version: r.state.Document.Version, Beat: r.beat}})
		out := r.exec.Round(r.state, &operation.Around{Now: r.now, Moving: operation.MovingRouting, Roll: &r.roll, Numbers: r.numbers})
		if len(out.Faults) != 1 || !strings.Contains(out.Faults[0].Error(), "move/teleport is no phase that this version knows") {
			t.Fatalf("faults: %v", out.Faults)
		}
		if out.Write != nil {
			r.write(out.Write)
		}
		r.pass()
	}
	if got := r.state.Operation(1); got.Phase != left.Phase || got.Version != left.Version {
		t.Errorf("it was touched: %+v", got)
	}
	if got := r.phases(2); got[len(got)-1] != "over effective" {
		t.Errorf("the other one: %v", got)
	}
}

// TestFullOutbox: with 64 notes that nobody took nothing goes on; then it does, and every note is there.
func TestFullOutbox(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Flip)
	for i := range control.MaxOutbox {
		if err := r.state.Tell(control.Note{ID: fmt.Sprint("old ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.state.Tell(control.Note{ID: "one more"}); err == nil {
		t.Error("a note more is taken")
	}
	r.stays(1, time.Minute, "64 changes are not in the journal yet")
	r.state.Outbox = nil
	r.through()
	if got, want := r.phases(1), []string{"planned", "flip", "settle", "grace effective", "over effective"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

// TestCapIsLookedAtAgain: what moves has grown since the plan was made, also where a person approved it; one tenant or virtual shard may be
// more where a person did.
func TestCapIsLookedAtAgain(t *testing.T) {
	one := policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}}}
	for name, c := range map[string]struct {
		step   policy.Step
		by     string
		begins bool
	}{
		"many, by nobody": {split(), "", false}, "many, by ann": {split(), "ann", false}, "one, by nobody": {one, "", false}, "one, by ann": {one, "ann", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			p := r.plan(policy.FixSplit, c.step)
			if c.by != "" {
				r.word(c.by, control.DoApprove, p)
				r.numbers.Decision.Plans[0].Ready = true
			}
			r.until(1, operation.Planned)
			r.load(6, 0) // more than a tenth of all
			for _, v := range []routing.VShard{1, 2, 3} {
				r.load(0.2, v, v+4, v+8, v+12) // no receiver is over its target
			}
			if !c.begins {
				r.stays(1, time.Minute, "it would move")
				return
			}
			r.until(1, operation.Grace)
		})
	}
}

// TestOldNumbers: no write on numbers that do not come any more; what watches waits too.
func TestOldNumbers(t *testing.T) {
	for _, phase := range []string{operation.Planned, operation.Readers, operation.Settle} {
		r := newRig(t)
		r.plan(policy.FixSalt, saltOf8())
		r.until(1, phase)
		r.old = true
		r.now = r.now.Add(70*time.Second + time.Second)
		r.stays(1, 20*time.Minute, "the newest numbers are")
	}
}

// TestReceiverThatDrains: a shard that was to receive takes no load any more.
func TestReceiverThatDrains(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Planned)
	r.say(&control.Request{By: "ann", Do: control.DoSet, IfVersion: r.state.Document.Version, Edits: []control.Edit{{Entry: routing.ShardEntry("shard-2"), Value: "draining"}}})
	r.stays(1, time.Minute, "vshard/4 would go to shard/shard-2, which is draining now")
}

// TestTimeToBegin: what cannot begin for half an hour is given up; a hold stops that clock, and who lifts it starts it anew.
func TestTimeToBegin(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Planned)
	r.load(4, 1, 5, 9, 13, 17, 21, 25, 29, 33, 37)
	r.stays(1, 30*time.Minute, "above its target")
	r.ask(control.DoHold, 1)
	r.stays(1, 3*time.Hour, "held by ann")
	r.ask(control.DoApprove, 1)
	r.stays(1, 30*time.Minute, "above its target")
	r.through()
	if got := r.phases(1); got[len(got)-1] != "undone given_up" {
		t.Errorf("it ended as %v", got)
	}
}

// TestHotspotIsOver before the first write, and after it.
func TestHotspotIsOver(t *testing.T) {
	for phase, want := range map[string]string{operation.Planned: "undone not_needed", operation.Flip: "over effective"} {
		r := newRig(t)
		r.load(2, 0, 4, 8)
		r.plan(policy.FixSplit, split())
		r.until(1, phase)
		r.numbers.Decision.Open = nil
		r.through()
		if got := r.phases(1); got[len(got)-1] != want {
			t.Errorf("over in %s: %v", phase, got)
		}
	}
}

// TestChangedInTheGrace: the way back is refused with the reason, once, and the operation stays as it is.
func TestChangedInTheGrace(t *testing.T) {
	for name, change := range map[string]func(r *rig) *control.Request{
		"set": func(r *rig) *control.Request {
			return &control.Request{By: "ann", Do: control.DoSet, IfVersion: r.state.Document.Version, Edits: []control.Edit{{Entry: routing.VShardEntry(4), Value: "shard-3"}}}
		},
		"import": func(r *rig) *control.Request {
			d := r.state.Document.Clone()
			d.Moves = nil
			return &control.Request{By: "ann", Do: control.DoImport, IfVersion: r.state.Document.Version, Document: d}
		},
	} {
		r := newRig(t)
		r.plan(policy.FixSplit, split())
		r.until(1, operation.Settle)
		early := change(r)
		early.ID, early.Reason = "early", "because"
		if next := r.state.Answer(early, r.now); next.Outbox[0].Refused == "" {
			t.Errorf("%s: done while the operation is open", name)
		}
		r.until(1, operation.Grace)
		r.say(change(r))
		if _, err := operation.Back(r.state, 1); err == nil || !strings.Contains(err.Error(), "somebody changed") {
			t.Errorf("%s: a way back is shown: %v", name, err)
		}
		r.ask(control.DoRollback, 1)
		r.round()
		if o := r.state.Operation(1); o.Back || o.Phase != operation.Grace || !strings.Contains(r.notes[len(r.notes)-2].Act.Text, "it is not taken back: somebody changed") || r.notes[len(r.notes)-1].Act.Call == "" {
			t.Errorf("%s: %+v, the last notes are %+v", name, o, r.notes[len(r.notes)-2:])
		}
		if out := r.round(); out.Write != nil {
			t.Errorf("%s: it is written again and again", name)
		}
	}
}

// TestSpareThatBearsLoad is no spare again by a roll-back.
func TestSpareThatBearsLoad(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixScaleOut, everyFix()[policy.FixScaleOut]...)
	r.until(3, operation.Grace)
	if _, err := operation.Back(r.state, 1); err == nil || !strings.Contains(err.Error(), "other load lies there") {
		t.Errorf("back: %v", err)
	}
	r.ask(control.DoRollback, 1)
	r.round()
	if got := r.state.Document.Value(routing.ShardEntry("spare-0")); got != "serving" {
		t.Fatalf("the shard is %s", got)
	}
	for number := r.state.Operated; number > 1; number-- {
		r.ask(control.DoRollback, number)
	}
	for range 100 {
		r.round()
		r.now = r.now.Add(5 * time.Second)
	}
	r.ask(control.DoRollback, 1)
	r.through()
	if got := r.state.Document.Value(routing.ShardEntry("spare-0")); got != "spare" {
		t.Errorf("the shard is %s", got)
	}
}

// TestWorse is taken back after five minutes, by firebreak itself, and only where it may act.
func TestWorse(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Settle)
	r.load(9, 4) // it lies on shard-2 now, which is far over its target; at home it would be less
	r.load(0.1, 0, 8, 12, 16, 20, 24, 28, 32, 36)
	r.say(&control.Request{By: "ann", Do: control.DoStop})
	r.stays(1, 6*time.Minute, "of watching")
	r.say(&control.Request{By: "ann", Do: control.DoResume})
	r.until(1, operation.Restore)
	if o := r.state.Operation(1); !strings.Contains(o.Why, "the hottest shard is at") {
		t.Errorf("why: %q", o.Why)
	}
	r.until(1, operation.Undone)
}

// TestGraceOfTheFleet: a way back is kept for a day, and longer where the configuration says so.
func TestGraceOfTheFleet(t *testing.T) {
	r := newRig(t)
	r.numbers.Config.Grace = 30 * time.Hour
	r.plan(policy.FixSplit, split())
	r.until(1, operation.Grace)
	from := r.now
	r.until(1, operation.Over)
	if took := r.now.Sub(from); took < 30*time.Hour-10*time.Minute || took > 31*time.Hour {
		t.Errorf("it took %s", took)
	}
}

// TestNobodyFolds: a salt that is taken back rests, whole, and after 15 minutes holds up no other operation; no unsalt begins.
func TestNobodyFolds(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSalt, saltOf8())
	r.until(1, operation.Grace)
	r.ask(control.DoRollback, 1)
	r.until(1, operation.Lower)
	if _, open := operation.Spent(r.state, r.now); open != 1 {
		t.Errorf("%d are open", open)
	}
	r.now = r.now.Add(time.Minute)
	r.stays(1, 15*time.Minute, "nobody is configured who folds")
	if got := r.state.Document.Value(routing.SaltEntry("", "feed")); got != "write=1,read=4,suffixes=0+1+2+3" {
		t.Errorf("it rests as %s", got)
	}
	if _, open := operation.Spent(r.state, r.now); open != 0 {
		t.Errorf("%d are open", open)
	}
	r.folder = true
	r.through()

	r = newRig(t)
	r.state.Document.PutSalt(*saltOf8().Salt)
	r.plan(policy.FixSalt, policy.Step{Kind: policy.StepUnsalt, Key: "feed"})
	r.until(1, operation.Planned)
	r.stays(1, 10*time.Minute, "nobody is configured who folds")
}

// TestReadersThatNeverFit: a salt whose writers would put a shard over its target for half an hour goes back by itself.
func TestReadersThatNeverFit(t *testing.T) {
	w := newWalk(newRig(t), func(int) int { return 1 }, operation.Machines())
	w.plan(policy.FixSalt, saltOf8())
	w.until(1, operation.Readers)
	w.loads["tight 0"], w.loads["tight 1"], w.loads["tight 2"], w.loads["tight 3"] = true, true, false, false
	w.lay()
	w.stays(1, 30*time.Minute, "above its target")
	w.until(1, operation.Undone)
	if got := w.phases(1); !strings.HasSuffix(got[len(got)-1], operation.Reverted) || w.state.Document.Value(routing.SaltEntry("", "feed")) != "" {
		t.Errorf("it ended as %v", got)
	}
}
