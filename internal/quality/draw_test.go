package quality

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/routing"
)

func mustDraw(t testing.TB, seed uint64) *Fleet {
	t.Helper()
	f, err := Draw(seed)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDrawRanges draws fleets and checks that every stated range is kept and used.
func TestDrawRanges(t *testing.T) {
	var planted, between int
	kinds, placements := map[Kind]int{}, map[string]int{}
	for seed := range uint64(120) {
		f := mustDraw(t, 1000+seed)
		kinds[f.Kind]++
		placements[strings.Fields(f.Placement)[0]]++
		if f.Shards < leastShards || f.Shards > mostShards || f.Rate < leastRate || f.Rate > 1 || f.Clump < 1 || f.Clump > mostClump {
			t.Errorf("fleet %d: %d shards, rate %v, clumps of %d", f.Seed, f.Shards, f.Rate, f.Clump)
		}
		if f.ZipfKeys < leastZipf || f.ZipfKeys > mostZipf || f.Samples < leastSamples || f.Samples > mostSamples {
			t.Errorf("fleet %d: Zipf %v, %v samples/s a shard", f.Seed, f.ZipfKeys, f.Samples)
		}
		if f.Kind == KindHeavyVShard && !f.byTenant() {
			t.Errorf("fleet %d: a heavy virtual shard of small tenants on placement %s", f.Seed, f.Placement)
		}
		if f.Planted == routing.NoShard {
			continue
		}
		planted++
		if x := f.Exact().Ratio(f.Planted); x >= 0.7 && x < 2 {
			between++
		}
	}
	if 100*between < 40*planted {
		t.Errorf("%d of %d planted shards lie between 0.7 and 2 x the line, want 40 %%", between, planted)
	}
	for k := KindCalm; k <= KindHeavyVShard; k++ {
		if kinds[k] == 0 && k != KindEvenlyHot {
			t.Errorf("kind %s was never drawn", k)
		}
	}
	for _, p := range []string{"key", "tenant", "tenant,key", "explicit"} {
		if placements[p] == 0 {
			t.Errorf("placement %s was never drawn", p)
		}
	}
}

// TestDrawPlaces checks that names lie where routing puts them: a salt or a move of theirs would be judged wrongly else.
func TestDrawPlaces(t *testing.T) {
	for seed := range uint64(30) {
		f := mustDraw(t, 1+seed)
		explicit := f.Table.Document().Placement.Map == routing.Explicit
		for i := range f.Keys {
			k := &f.Keys[i]
			if want := f.place(f.shardOf(k), f.Tenants[k.Tenant], k.Name); k.VShard != want {
				t.Fatalf("fleet %d (%s, explicit %v): key %q of %q on virtual shard %d, routing says %d",
					seed, f.Placement, explicit, k.Name, f.Tenants[k.Tenant], k.VShard, want)
			}
		}
	}
}

func TestDrawIsDeterministic(t *testing.T) {
	a, b := mustDraw(t, 42), mustDraw(t, 42)
	if diff := cmp.Diff(a.Header, b.Header); diff != "" {
		t.Errorf("header (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(a.Keys, b.Keys); diff != "" {
		t.Errorf("keys (-first +second):\n%s", diff)
	}
}

// TestOnsetChangesOnlyThePlanted compares both phases.
func TestOnsetChangesOnlyThePlanted(t *testing.T) {
	checked := 0
	for seed := uint64(1); checked < 5; seed++ {
		f := mustDraw(t, seed)
		if f.Onset == 0 || f.Kind == KindWhale || f.Kind == KindWhaleKey || f.Kind == KindSeveral {
			continue // a whale may have keys elsewhere
		}
		checked++
		before := f.sum(func(k *Key) float64 { return k.Before })
		for s, after := range f.Exact().Shards {
			if routing.ShardID(s) != f.Planted && after != before.Shards[s] {
				t.Errorf("fleet %d: shard %d changes from %v to %v", seed, s, before.Shards[s], after)
			}
		}
		if f.Exact().Shards[f.Planted] <= before.Shards[f.Planted] {
			t.Errorf("fleet %d: nothing happens at the onset", seed)
		}
	}
}
