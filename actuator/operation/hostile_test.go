package operation_test

import (
	"fmt"
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

// parts is a split of two parts, of three virtual shards each.
func parts() policy.Step {
	s := policy.Step{Kind: policy.StepMove}
	for i := range 6 {
		s.Moves = append(s.Moves, routing.Move{VShard: routing.VShard(4 * i), To: routing.ShardID(1 + i%3)})
	}
	return s
}

// TestPartsEndTogether: where one part of a plan is taken back, or fails, those behind it never begin, also where nobody decided for hours.
func TestPartsEndTogether(t *testing.T) {
	for name, c := range map[string]struct {
		until string
		harm  func(r *rig)
		first string // what becomes of the first part
	}{
		"planned, taken back":       {operation.Planned, func(r *rig) { r.ask(control.DoRollback, 1) }, "undone " + operation.Reverted},
		"begun, taken back":         {operation.Flip, func(r *rig) { r.ask(control.DoRollback, 1) }, "undone " + operation.Reverted},
		"an entry changed at first": {operation.Planned, func(r *rig) { r.state.Document.Moves = []routing.Move{{VShard: 0, To: 3}} }, "undone " + operation.Overtaken},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.plan(policy.FixSplit, parts())
			r.until(1, c.until)
			if r.state.Operation(2) == nil {
				t.Fatal("the split is one operation")
			}
			c.harm(r)
			for range 20 {
				r.round()
				r.pass()
			}
			r.now = r.now.Add(5 * time.Hour)
			r.through()
			if got := r.phases(1); got[len(got)-1] != c.first {
				t.Errorf("the first part: %v", got)
			}
			if got := r.phases(2); !slices.Equal(got, []string{"undone given_up"}) {
				t.Errorf("the second part: %v", got)
			}
		})
	}
}

// TestPartOvertaken: only the part whose entries somebody changed, and those behind it.
func TestPartOvertaken(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSplit, parts())
	r.until(1, operation.Flip)
	r.state.Document.Moves = append(r.state.Document.Moves, routing.Move{VShard: 20, To: 3})
	r.until(1, operation.Grace)
	if got := r.phases(2); !slices.Equal(got, []string{"undone overtaken"}) || r.state.Operation(1).Outcome == "" {
		t.Errorf("the second part: %v", got)
	}
}

// TestTakenBackStaysSo: what a person took back is not begun again by itself, however long the hotspot is open; an approval lifts that.
func TestTakenBackStaysSo(t *testing.T) {
	for _, phase := range []string{operation.Planned, operation.Flip} {
		r := newRig(t)
		p := *r.plan(policy.FixSplit, split())
		r.until(1, phase)
		r.ask(control.DoRollback, 1)
		for range 200 {
			r.pass()
			again := p
			again.Expires, again.Ready = r.now.Add(time.Minute), true
			r.numbers.Decision.Plans = []policy.Plan{again}
			r.round()
		}
		if r.state.Operated != 1 {
			t.Fatalf("taken back in %s, and begun again %d times", phase, r.state.Operated-1)
		}
		w := operation.World(r.state, &r.roll, r.now)
		if len(w.Operator.Hotspots) != 1 || !strings.Contains(w.Operator.Hotspots[0].Reason, "ann: because") {
			t.Errorf("held by %+v", w.Operator.Hotspots)
		}
		r.word("ann", control.DoApprove, &p)
		r.numbers.Decision.Plans[0].Ready = true
		if r.round(); r.state.Operated != 2 {
			t.Error("a person's word does not lift it")
		}
	}
}

// TestUnsaltRaised takes an unsalt back from lower: the writers return, and nothing else.
func TestUnsaltRaised(t *testing.T) {
	r := newRig(t)
	r.folder = true
	r.state.Document.PutSalt(*saltOf8().Salt)
	before := r.state.Document.Clone()
	r.plan(policy.FixSalt, policy.Step{Kind: policy.StepUnsalt, Key: "feed"})
	r.until(1, operation.Lower)
	r.ask(control.DoRollback, 1)
	r.through()
	if got, want := r.phases(1), []string{"planned", "lower", "raise", "undone undone"}; !slices.Equal(without(got, " "), want) {
		t.Errorf("phases %q, want %q", got, want)
	}
	if d := routing.Diff(before, r.state.Document); len(d) > 0 {
		t.Errorf("left behind: %v", d)
	}
}

// without leaves out what is empty, as the phase of a request is.
func without(list []string, empty string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.Trim(s, empty) == "" })
}

// TestUnsaltFolded goes to its end, with suffixes in no order: nothing takes it back from the fold on.
func TestUnsaltFolded(t *testing.T) {
	r := newRig(t)
	r.folder = true
	r.state.Document.PutSalt(routing.Salt{Key: "feed", Suffixes: []uint32{0, 9, 3}, Tombstones: []uint32{5}, Read: 3, Write: 3})
	r.plan(policy.FixSalt, policy.Step{Kind: policy.StepUnsalt, Key: "feed"})
	r.until(1, operation.Fold)
	r.ask(control.DoRollback, 1)
	r.round()
	if o := r.state.Operation(1); o.Back || o.Phase != operation.Fold {
		t.Fatalf("turned in the fold: %+v", o)
	}
	if last := r.notes[len(r.notes)-1].Act.Text; !strings.Contains(last, "can only be finished") {
		t.Errorf("the note says %q", last)
	}
	r.through()
	if got := r.state.Document.Value(routing.SaltEntry("", "feed")); got != "write=1,read=1,suffixes=0,tombstones=3+5+9" {
		t.Errorf("it is %s", got)
	}
}

// TestRaisedSaltAndBack: from 4 pieces to 8 and back to 4, the tombstones of the four that went stay.
func TestRaisedSaltAndBack(t *testing.T) {
	r := newRig(t)
	r.folder = true
	r.state.Document.PutSalt(*saltOf8().Salt)
	r.plan(policy.FixSalt, policy.Step{Kind: policy.StepSalt, Key: "feed", Salt: &routing.Salt{Key: "feed", Suffixes: []uint32{0, 1, 2, 3, 9, 6, 7, 8}, Read: 8, Write: 8}})
	seen := []string{}
	watch := func(phase string) {
		r.until(1, phase)
		seen = append(seen, phase+": "+r.state.Document.Value(routing.SaltEntry("", "feed")))
	}
	watch(operation.Readers)
	watch(operation.Writers)
	watch(operation.Grace)
	r.ask(control.DoRollback, 1)
	watch(operation.Lower)
	watch(operation.Fold)
	r.fold(r.round().Tasks)
	watch(operation.Leave)
	watch(operation.Undone)
	want := []string{
		"readers: write=4,read=8,suffixes=0+1+2+3+9+6+7+8",
		"writers: write=8,read=8,suffixes=0+1+2+3+9+6+7+8",
		"grace: write=8,read=8,suffixes=0+1+2+3+9+6+7+8",
		"lower: write=4,read=8,suffixes=0+1+2+3+9+6+7+8",
		"fold: write=4,read=8,suffixes=0+1+2+3+9+6+7+8,tombstones=6+7+8+9",
		"leave: write=4,read=4,suffixes=0+1+2+3,tombstones=6+7+8+9",
		"undone: write=4,read=4,suffixes=0+1+2+3,tombstones=6+7+8+9",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStopAndHold: in each phase in which an operation can stand, stop and a hold keep it there, and a roll-back goes on.
func TestStopAndHold(t *testing.T) {
	r := newRig(t)
	lines, err := operation.Steps(r.state, r.plan(policy.FixSalt, saltOf8()), r.terms())
	if err != nil {
		t.Fatal(err)
	}
	phases := []string{operation.Planned}
	for _, l := range lines {
		if l.Phase != operation.Over && l.Phase != operation.Settle { // settling is judged, whatever is stopped
			phases = append(phases, l.Phase)
		}
	}
	for _, phase := range phases {
		for _, do := range []control.Do{control.DoStop, control.DoHold} {
			t.Run(fmt.Sprint(do, " in ", phase), func(t *testing.T) {
				r := newRig(t)
				r.folder = true
				r.plan(policy.FixSalt, saltOf8())
				r.until(1, phase)
				if do == control.DoStop {
					r.say(&control.Request{By: "ann", Do: do})
				} else {
					r.ask(do, 1)
				}
				for range 300 {
					r.round()
					if r.now = r.now.Add(5 * time.Second); phase == operation.Grace {
						r.now = r.now.Add(time.Hour)
					}
				}
				if got := r.state.Operation(1).Phase; got != phase {
					t.Fatalf("it went on to %s", got)
				}
				r.ask(control.DoRollback, 1)
				r.through()
				if got := r.phases(1); !strings.HasSuffix(got[len(got)-1], operation.Reverted) {
					t.Errorf("it ended as %v", got)
				}
			})
		}
	}
}
