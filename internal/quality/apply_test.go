package quality

import (
	"math"
	"slices"
	"testing"

	"firebreak/policy"
	"firebreak/routing"
)

// saltStep salts a key over s pieces on distinct shards.
func (f *Fleet) saltStep(tenant, name string, s int) policy.Step {
	salt := &routing.Salt{Key: name, Suffixes: []uint32{0}, Read: s, Write: s}
	taken := []routing.ShardID{0}
	for suffix := uint32(1); len(salt.Suffixes) < s; suffix++ {
		if at := f.Table.PieceShard([]byte(tenant), []byte(name), suffix); !slices.Contains(taken, at) {
			taken, salt.Suffixes = append(taken, at), append(salt.Suffixes, suffix)
		}
	}
	return policy.Step{Kind: policy.StepSalt, Key: name, Tenant: tenant, Salt: salt}
}

func (f *Fleet) try(steps ...policy.Step) Applied {
	b := f.bearing([]routing.ShardID{0})[0]
	return f.apply(b, f.Exact().Target, steps)
}

// TestApplySalt has the published figures: 12 % of 100,000/s on 16 shards.
func TestApplySalt(t *testing.T) {
	for _, test := range []struct {
		reads   float64
		pieces  int
		hottest float64
		meets   bool
	}{{0, 3, 9_500, false}, {0, 4, 8_500, true}, {0, 8, 7_000, true}, {0, 16, 6_250, true}, {0.1, 4, 9_400, false}} {
		f := hand(t, 16, 5500)
		name := f.heat("acme", 12_000, test.reads)
		got := f.try(f.saltStep("acme", name, test.pieces))
		if math.Abs(got.Worst*9_375-test.hottest) > 1e-6 || got.Meets != test.meets {
			t.Errorf("salt %d at %v reads: hottest %v, meets %v, want %v and %v",
				test.pieces, test.reads, got.Worst*9_375, got.Meets, test.hottest, test.meets)
		}
	}
}

// TestApplyBlindSalt: pieces that collide are counted where they land.
func TestApplyBlindSalt(t *testing.T) {
	f := hand(t, 16, 5500)
	name := f.heat("acme", 12_000, 0)
	salt := &routing.Salt{Key: name, Read: 8, Write: 8}
	want := make([]float64, 16)
	for s := range want {
		want[s] = 5500
	}
	for i := range uint32(8) {
		salt.Suffixes = append(salt.Suffixes, i)
		at := routing.ShardID(0)
		if i > 0 {
			at = f.Table.PieceShard(nil, []byte(name), i)
		}
		want[at] += 1500
	}
	got := f.try(policy.Step{Kind: policy.StepSalt, Key: name, Tenant: "acme", Salt: salt})
	if worst := slices.Max(want); math.Abs(got.Worst*9_375-worst) > 1e-6 {
		t.Errorf("hottest %v, want %v", got.Worst*9_375, worst)
	}
}

// TestApplySteps carries out each kind of step on 16 shards of 500/s with a whale of 1,200/s in 40 keys and a key of
// 300/s, half reads, on shard 0; the capacity puts the target at 1,000/s.
func TestApplySteps(t *testing.T) {
	build := func() (*Fleet, string) {
		f := hand(t, 16, 500)
		f.Capacity = 1000 / policy.Default().Lines.Target
		for range 40 {
			f.heat("whale", 30, 0)
		}
		f.Callers, f.Caller, f.CallerShare = true, "batch", 0.8
		name := f.heat("acme", 300, 0.5)
		f.Keys[len(f.Keys)-1].Called = true
		return f, name
	}
	f, key := build()
	vshard := f.Keys[len(f.Keys)-1].VShard
	for _, test := range []struct {
		name  string
		steps []policy.Step
		shard float64
		worst float64 // x target
	}{
		{"nothing", nil, 2000, 2},
		{"cache takes reads", []policy.Step{{Kind: policy.StepCache, Key: key, Tenant: "acme"}}, 1850, 1.85},
		{"caller", []policy.Step{{Kind: policy.StepLimitCaller, Key: key, Tenant: "acme", Caller: "batch"}}, 1760, 1.76},
		{"another caller", []policy.Step{{Kind: policy.StepLimitCaller, Key: key, Tenant: "acme", Caller: "x"}}, 2000 - 300*0.2/50, 1.9988},
		{"quota clips", []policy.Step{{Kind: policy.StepQuota, Tenant: "whale", Rate: 120}}, 920, 0.92},
		{"a quota above the load does nothing", []policy.Step{{Kind: policy.StepQuota, Tenant: "whale", Rate: 9999}}, 2000, 2},
		{"isolation is judged without its quota", []policy.Step{
			{Kind: policy.StepQuota, Tenant: "whale", Rate: 120},
			{Kind: policy.StepPlaceTenant, Tenant: "whale", Shards: []string{"new-1"}},
		}, 800, 1.2},
		{"key on a shard of its own", []policy.Step{{
			Kind: policy.StepPlaceKey, Key: key, Tenant: "acme", Shards: []string{"new-1"}, Moves: []routing.Move{{VShard: vshard, To: 16}},
		}}, 1700 - f.others(vshard), 1.7 - f.others(vshard)/1000},
		{"move to a receiver", []policy.Step{{Kind: policy.StepMove, Moves: []routing.Move{{VShard: vshard, To: 3}}}}, 1700 - f.others(vshard), 1.7 - f.others(vshard)/1000},
		{"scale out", []policy.Step{
			{Kind: policy.StepAddShards, Shards: []string{"new-1"}},
			{Kind: policy.StepMove, Moves: f.everything(16)},
		}, 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := f.try(test.steps...)
			if math.Abs(got.Shard-test.shard) > 1e-6 || math.Abs(got.Worst-test.worst) > 1e-9 || got.Broken != "" {
				t.Errorf("shard %v, worst %v on %s %s, want %v and %v", got.Shard, got.Worst, got.Where, got.Broken, test.shard, test.worst)
			}
		})
	}
}

// others is what shares a virtual shard with the last key.
func (f *Fleet) others(v routing.VShard) float64 {
	return f.Exact().VShards[v] - f.Keys[len(f.Keys)-1].After
}

// everything moves all of shard 0 to another.
func (f *Fleet) everything(to routing.ShardID) []routing.Move {
	var out []routing.Move
	for v := range routing.VShard(f.Table.VShards()) {
		if f.Table.Owner(v) == 0 {
			out = append(out, routing.Move{VShard: v, To: to})
		}
	}
	return out
}

// TestDedicatedMayRunHot: without a capacity a shard of its own has no target.
func TestDedicatedMayRunHot(t *testing.T) {
	f := hand(t, 16, 500)
	for range 40 {
		f.heat("whale", 30, 0)
	}
	got := f.try(policy.Step{Kind: policy.StepPlaceTenant, Tenant: "whale", Shards: []string{"new-1"}})
	if !got.Meets || math.Abs(got.Shard-500) > 1e-6 {
		t.Errorf("%+v, want shard 0 at 500 and the target met", got)
	}
}

// TestBrokenPlans: a plan that routing refuses, or that names what is not there, is broken and never right.
func TestBrokenPlans(t *testing.T) {
	f := hand(t, 16, 500)
	for i, step := range []policy.Step{
		{Kind: policy.StepCache, Key: "no such key"},
		{Kind: policy.StepQuota, Tenant: "no such tenant", Rate: 1},
		{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 99}}},
	} {
		if got := f.try(step); got.Broken == "" || got.Meets {
			t.Errorf("step %d: %+v, want broken", i, got)
		}
	}
}

// TestOutcomes scores made-up events.
func TestOutcomes(t *testing.T) {
	fired := []Line{{At: Pane, Phase: policy.PhaseFiring, Cause: policy.CauseVolume}}
	bad, good := Proposal{Applied: Applied{Worst: 1.1}}, Proposal{Applied: Applied{Worst: 0.9, Meets: true}}
	able := Admissible{policy.FixSplit: true}
	truth := func(a Admissible) Truth {
		return Truth{Ratio: 2, Admissible: a, Accepted: []Object{{Cause: policy.CauseVolume}}}
	}
	for i, test := range []struct {
		event Event
		cause CauseOutcome
		fix   FixOutcome
	}{
		{Event{Truth: truth(able)}, CauseSilent, FixSilent},
		{Event{Truth: truth(able), Lines: fired}, CauseCorrect, FixAbstained},
		{Event{Truth: truth(Admissible{}), Lines: fired}, CauseCorrect, FixCorrect},
		{Event{Truth: truth(able), Lines: fired, Proposals: []Proposal{good, bad, good}}, CauseCorrect, FixWrong},
		{Event{Truth: truth(Admissible{}), Lines: fired, Proposals: []Proposal{bad}}, CauseCorrect, FixFutile},
		{Event{Truth: truth(Admissible{}), Lines: fired, Proposals: []Proposal{bad, good}}, CauseCorrect, FixWrong},
		{Event{Truth: truth(able), Lines: append(slices.Clone(fired), Line{Phase: policy.PhaseFiring, Cause: policy.CauseHotKey, Key: "k"}), Proposals: []Proposal{good}}, CauseWrong, FixCorrect},
		{Event{Truth: truth(able), Lines: []Line{{Phase: policy.PhaseFiring}}, Proposals: []Proposal{good}}, CauseUnsure, FixCorrect},
	} {
		if c, f := test.event.CauseOutcome(), test.event.FixOutcome(); c != test.cause || f != test.fix {
			t.Errorf("event %d: cause %s, fix %s, want %s and %s", i, c, f, test.cause, test.fix)
		}
	}
}
