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

func saltOf8() policy.Step {
	return policy.Step{Kind: policy.StepSalt, Key: "feed", Salt: &routing.Salt{Key: "feed", Suffixes: []uint32{0, 1, 2, 3}, Read: 4, Write: 4}}
}

func split() policy.Step {
	return policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 1}, {VShard: 4, To: 2}, {VShard: 8, To: 3}}}
}

// phases are what the journal is told of an operation, in order.
func (r *rig) phases(number uint64) []string {
	var out []string
	for _, n := range r.notes {
		if n.Operation == number && n.Act.Call == "" {
			out = append(out, strings.TrimSuffix(n.Act.Phase+" "+n.Act.Outcome, " "))
		}
	}
	return out
}

func TestForward(t *testing.T) {
	for _, c := range []struct {
		name string
		fix  policy.Fix
		step policy.Step
		want []string
		at   map[routing.Entry]string
	}{
		{"split", policy.FixSplit, split(), []string{"planned", "flip", "settle", "grace effective"}, map[routing.Entry]string{routing.VShardEntry(4): "shard-2"}},
		{"salt", policy.FixSalt, saltOf8(), []string{"planned", "readers", "writers", "settle", "grace no_effect"}, map[routing.Entry]string{routing.SaltEntry("", "feed"): "write=4,read=4,suffixes=0+1+2+3"}},
		{"quota", policy.FixQuota, policy.Step{Kind: policy.StepQuota, Tenant: "mega", Rate: 120}, []string{"planned", "apply", "settle", "grace unverified"}, map[routing.Entry]string{routing.QuotaEntry("mega"): "120"}},
		{"isolate", policy.FixIsolate, policy.Step{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}, []string{"planned", "flip", "settle", "grace no_effect"}, map[routing.Entry]string{routing.TenantEntry("mega"): "spare-0", routing.ShardEntry("spare-0"): "dedicated"}},
		{"scale out", policy.FixScaleOut, policy.Step{Kind: policy.StepAddShards, Shards: []string{"spare-0"}}, []string{"planned", "apply", "settle", "grace effective"}, map[routing.Entry]string{routing.ShardEntry("spare-0"): "serving"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.load(3, 0, 4, 8)
			r.plan(c.fix, c.step)
			r.until(1, operation.Grace)
			if diff := cmp.Diff(c.want, r.phases(1)); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
			for e, want := range c.at {
				if got := r.state.Document.Value(e); got != want {
					t.Errorf("%s is %q, want %q", e, got, want)
				}
			}
			r.until(1, operation.Over)
			if r.state.Operation(1) != nil {
				t.Error("it is kept for ever")
			}
		})
	}
}

// TestBackFromAnyPhase rolls back from every phase that has a way back, and wants the document as it was.
func TestBackFromAnyPhase(t *testing.T) {
	for _, c := range []struct {
		fix   policy.Fix
		step  policy.Step
		phase string
		stays string // of the salt, which remembers its tombstones
	}{
		{policy.FixSplit, split(), operation.Planned, ""},
		{policy.FixSplit, split(), operation.Flip, ""},
		{policy.FixSplit, split(), operation.Settle, ""},
		{policy.FixSplit, split(), operation.Grace, ""},
		{policy.FixQuota, policy.Step{Kind: policy.StepQuota, Tenant: "mega", Rate: 120}, operation.Grace, ""},
		{policy.FixSalt, saltOf8(), operation.Readers, ""},
		{policy.FixSalt, saltOf8(), operation.Writers, "write=1,read=1,suffixes=0,tombstones=1+2+3"},
		{policy.FixSalt, saltOf8(), operation.Settle, "write=1,read=1,suffixes=0,tombstones=1+2+3"},
		{policy.FixSalt, saltOf8(), operation.Grace, "write=1,read=1,suffixes=0,tombstones=1+2+3"},
	} {
		t.Run(c.fix.String()+" "+c.phase, func(t *testing.T) {
			r := newRig(t)
			r.folder = true
			r.plan(c.fix, c.step)
			before := r.state.Document.Clone()
			r.until(1, c.phase)
			r.ask(control.DoRollback, 1)
			for range 10_000 {
				r.pass()
				out := r.round()
				for _, task := range out.Tasks {
					if s, ok := r.state.Document.SaltOf(routing.SaltEntry("", "feed")); !ok || !slices.Equal(s.Tombstones, []uint32{1, 2, 3}) || s.Read != 4 {
						t.Fatalf("a fold is asked for of %+v", s)
					}
					r.folded["1 "+task.Phase], r.folded["1"+task.Phase] = true, true
				}
				if o := r.state.Operation(1); o == nil || o.Phase == operation.Undone {
					break
				}
			}
			changes := routing.Diff(before, r.state.Document)
			if c.stays != "" && len(changes) == 1 && changes[0].Is == c.stays {
				changes = nil
			}
			if len(changes) > 0 {
				t.Errorf("left behind: %v", changes)
			}
			if got := r.phases(1); !strings.HasSuffix(got[len(got)-1], operation.Reverted) {
				t.Errorf("it ended as %v", got)
			}
		})
	}
}

func TestReadersFirst(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSalt, saltOf8())
	r.until(1, operation.Readers)
	r.follow = false
	r.holds = r.state.Document.Version - 1
	for range 100 {
		r.pass()
		out := r.round()
		if r.state.Operation(1).Phase != operation.Readers {
			t.Fatal("writers were raised before a client that lives has confirmed")
		}
		if w := out.Waits[1]; len(w) == 0 || w[0].Condition != operation.Confirmed || !strings.Contains(w[0].Why, "app-1") {
			t.Fatalf("it waits for %v, want the client's name", w)
		}
	}
	r.follow = true
	entered := r.now
	r.exec = operation.Executor{} // another process decides from here on
	r.until(1, operation.Writers)
	if took := r.now.Sub(entered); took < time.Minute {
		t.Errorf("who takes over waited %s, want a minute from when it knows of the phase", took)
	}
}
