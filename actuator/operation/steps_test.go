package operation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// terms are those that the rig's executor makes.
func (r *rig) terms() *operation.Terms {
	return &operation.Terms{
		Moving: operation.MovingRouting,
		Cut: func(moves []routing.Move) [][]routing.Move {
			return policy.CutMoves(r.numbers.Snapshot, r.numbers.Config, moves, 0.9*r.numbers.Config.MovedAtMost)
		},
		Staleness: r.numbers.Config.StalenessOf,
		Merges:    func(tenant, key string) bool { return r.numbers.Config.MergeOf(tenant, key) != "" },
		Mode:      policy.ModeAuto, Approvers: r.numbers.Config.Approvers, Expiry: r.numbers.Config.Expiry,
	}
}

// told are the writes of operations as the notes tell them, from a note on; what plans them is none.
func (r *rig) told(from int) []operation.Line {
	words := map[string]string{}
	for _, m := range operation.Machines() {
		for _, p := range m.Phases {
			words[m.Name+p.Name] = p.Does
		}
	}
	var out []operation.Line
	for _, n := range r.notes[from:] {
		if n.Do == control.DoAct && n.Act.Call == "" && n.Act.Phase != operation.Planned {
			out = append(out, operation.Line{Operation: n.Operation, Machine: n.Act.Machine, Phase: n.Act.Phase, Does: words[n.Act.Machine+n.Act.Phase], Changes: n.Changes})
		}
	}
	return out
}

// everyFix is a plan of each kind that operations can carry out.
func everyFix() map[policy.Fix][]policy.Step {
	return map[policy.Fix][]policy.Step{
		policy.FixSplit:    {split()},
		policy.FixSalt:     {saltOf8(), {Kind: policy.StepCache, Key: "feed"}},
		policy.FixQuota:    {{Kind: policy.StepQuota, Tenant: "mega", Rate: 120}},
		policy.FixIsolate:  {{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}},
		policy.FixCache:    {{Kind: policy.StepCache, Key: "feed"}},
		policy.FixScaleOut: {{Kind: policy.StepAddShards, Shards: []string{"spare-0"}}, {Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 4}, {VShard: 4, To: 4}, {VShard: 8, To: 4}, {VShard: 12, To: 4}}}},
	}
}

// TestDryRun compares what a plan would write with what it wrote, line by line.
func TestDryRun(t *testing.T) {
	for fix, steps := range everyFix() {
		t.Run(fix.String(), func(t *testing.T) {
			r := newRig(t)
			r.load(3, 0, 4, 8)
			r.state.Operated = 41 // of before
			would, err := operation.Steps(r.state, r.plan(fix, steps...), r.terms())
			if err != nil {
				t.Fatal(err)
			}
			if len(would) < 4 || would[0].Operation != 42 {
				t.Fatalf("%d lines: %v", len(would), would)
			}
			before := r.state.Document.Clone()
			r.through()
			if diff := cmp.Diff(byOperation(would), byOperation(r.told(0))); diff != "" {
				t.Errorf("lines (-would +did):\n%s", diff)
			}
			if len(routing.Diff(before, r.state.Document)) == 0 {
				t.Error("nothing was changed")
			}
		})
	}
}

// TestDryRunOfAWayBack does so for what is taken back, from each phase that an operation gets to.
func TestDryRunOfAWayBack(t *testing.T) {
	for fix, step := range map[policy.Fix]policy.Step{policy.FixSplit: split(), policy.FixSalt: saltOf8(), policy.FixQuota: {Kind: policy.StepQuota, Tenant: "mega", Rate: 120}} {
		for _, phase := range []string{operation.Planned, operation.Readers, operation.Writers, operation.Flip, operation.Apply, operation.Settle, operation.Grace} {
			r := newRig(t)
			r.folder = true
			lines, err := operation.Steps(r.state, r.plan(fix, step), r.terms())
			if err != nil {
				t.Fatal(err)
			}
			reached := phase == operation.Planned
			for _, l := range lines {
				reached = reached || l.Phase == phase
			}
			if !reached {
				continue
			}
			r.until(1, phase)
			would, err := operation.Back(r.state, 1)
			if err != nil {
				t.Fatal(err)
			}
			from := len(r.notes)
			r.ask(control.DoRollback, 1)
			r.through()
			if diff := cmp.Diff(would, r.told(from)); diff != "" {
				t.Errorf("%s from %s (-would +did):\n%s", fix, phase, diff)
			}
		}
	}
}

func byOperation(lines []operation.Line) map[uint64][]operation.Line {
	out := map[uint64][]operation.Line{}
	for _, l := range lines {
		out[l.Operation] = append(out[l.Operation], l)
	}
	return out
}

// TestLineForPeople is how a write is shown.
func TestLineForPeople(t *testing.T) {
	r := newRig(t)
	lines, err := operation.Steps(r.state, r.plan(policy.FixIsolate, everyFix()[policy.FixIsolate]...), r.terms())
	if err != nil {
		t.Fatal(err)
	}
	want := "operation 1, flip: clients are sent to the new shards\n  tenant/mega: not there -> \"spare-0\"\n  shard/spare-0: \"spare\" -> \"dedicated\""
	if got := lines[0].String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
