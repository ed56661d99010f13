package policy

import (
	"math"
	"testing"

	"firebreak/routing"
)

// TestSplitBesideALimit: most of a whale comes from one caller; without that caller the shard is a fifth over its target, and a
// split is to move that fifth. What the whale leaves behind of virtual shards tells nothing of how fast the shard is: two
// warm keys beside it are no heavier than they are.
func TestSplitBesideALimit(t *testing.T) {
	f := newTestFleet(t, 8, "key", even(1000, 16000)...)
	f.cfg.Capacity.Total = 10000
	whale := f.many(2, 300, "acme", 40000, 0.5, 0)
	for i := range whale {
		whale[i].caller, whale[i].callers = "batch-7", 0.86
	}
	f.streams = append(f.streams, whale...)
	for _, key := range f.on(2, 2, "warm", "warm-") {
		f.streams = append(f.streams, stream{tenant: "warm", key: key, rate: 200, reads: 0.5})
	}
	v, p := f.lastPlan(20)
	if p.Fix != FixLimitCaller {
		t.Fatalf("fix %s, want limit_caller", p.Fix)
	}
	moves := 0
	for i := range p.Steps {
		moves += len(p.Steps[i].Moves)
	}
	if moves < 10 {
		t.Errorf("%d virtual shards move, which hold next to nothing", moves)
	}
	if p.Projection.Shard > v.Target {
		t.Errorf("the plan leaves %.0f/s by its own projection, target %.0f/s", p.Projection.Shard, v.Target)
	}
}

// TestSpreadOfFewShards: shards whose readings are equal by chance are not known to be equal. Of five shards with 16 samples
// each a spread of 0.7 of the noise is one standard error away from none, of a thousand 0.04.
func TestSpreadOfFewShards(t *testing.T) {
	for _, n := range []int{5, 1001} {
		w, ids := span{seconds: 1}, make([]routing.ShardID, n)
		for i := range ids {
			ids[i] = routing.ShardID(i)
			w.shards = append(w.shards, amount{load: 16, variance: 16})
		}
		mean, between := spread(w, ids)
		if want := 16 * math.Sqrt(2/float64(n-1)); mean != 16 || math.Abs(between-want) > 1e-9 {
			t.Errorf("%d shards: mean %g, spread %g, want 16 and %g", n, mean, between, want)
		}
		for i := range ids {
			w.shards[i].load += float64(i%2) * 40
		}
		if _, between = spread(w, ids); between < 300 {
			t.Errorf("%d shards of 16 and 56: spread %g, want about 400", n, between)
		}
	}
}
