package quality

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
	"firebreak/routing"
)

// hand builds a fleet by hand: n shards, placement by key, every shard with the same cold load of 50 keys.
func hand(t testing.TB, n int, cold float64) *Fleet {
	t.Helper()
	return handPlaced(t, n, cold, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN})
}

func handPlaced(t testing.TB, n int, cold float64, p routing.Placement) *Fleet {
	t.Helper()
	doc, err := routing.Adopt("hand", p, routing.NumberedShards(n))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fleet{Header: Header{Shards: n, Rate: 1, Clump: 1, Panes: 72, Planted: routing.NoShard}, Table: table}
	for i := range 50 * n {
		f.Tenants = append(f.Tenants, fmt.Sprint("small-", i))
		f.Keys = append(f.Keys, Key{
			Name: fmt.Sprint("cold-", i), Tenant: int32(i), VShard: routing.VShard(i), Before: cold / 50, After: cold / 50,
		})
	}
	return f
}

// heat adds a key of that load to shard 0 and returns its name.
func (f *Fleet) heat(tenant string, load, reads float64) string {
	p := &planter{f: f, shard: 0}
	for f.byTenant() && !p.home(f.place(0, tenant, "")) {
		tenant += "'"
	}
	t := int32(-1)
	for i, name := range f.Tenants {
		if name == tenant {
			t = int32(i)
		}
	}
	if t < 0 {
		t = p.tenant(tenant)
	}
	name, v := p.seekKey(fmt.Sprint("hot-", len(f.Keys), "-"), t, p.home)
	p.add(Key{Name: name, Tenant: t, VShard: v, Reads: reads}, load)
	return name
}

func (f *Fleet) judge() *Truth { return f.truth(f.bearing([]routing.ShardID{0})[0]) }

// fixes lists the admissible ones.
func fixes(t *Truth) string { return t.Admissible.String() }

// TestTwelvePercent is the worked example: f = 12 % of 100,000/s on 16 shards, written.
func TestTwelvePercent(t *testing.T) {
	f := hand(t, 16, 5500)
	name := f.heat("acme", 12_000, 0)
	got := f.judge()
	if math.Abs(got.Load-17_500) > 1e-6 || math.Abs(got.Target-9_375) > 1e-6 {
		t.Errorf("load %v, target %v, want 17,500 and 9,375", got.Load, got.Target)
	}
	want := []Object{{Cause: policy.CauseHotKey, Key: name, Tenant: "acme"}}
	if diff := cmp.Diff(want, got.Contributors); diff != "" {
		t.Errorf("contributors (-want +got):\n%s", diff)
	}
	if fixes(got) != "salt isolate" {
		t.Errorf("admissible %q, want salt isolate: the floor of 12,000/s stays at any shard count", fixes(got))
	}
	// Nearest boundary: without the key the shard is at 5,500 of 9,375.
	if want := 1 - 5500./9375; math.Abs(got.Margin-want) > 1e-9 {
		t.Errorf("margin %v, want %v", got.Margin, want)
	}
}

// TestRemoval walks the rules one by one. The target is 1,000 with a capacity of 1,000/0.65.
func TestRemoval(t *testing.T) {
	capacity := 1000 / policy.Default().Lines.Target
	for _, test := range []struct {
		name   string
		place  string
		cold   float64
		heat   func(f *Fleet)
		cause  policy.Cause
		listed int
		fixes  string
	}{
		{"a: key is a quarter, cool without it", "key", 800, func(f *Fleet) { f.heat("a", 500, 0) }, policy.CauseHotKey, 1, "split salt isolate"},
		{"a: a read key may be cached", "key", 800, func(f *Fleet) { f.heat("a", 500, 1) }, policy.CauseHotKey, 1, "split cache isolate"},
		{"e: key is less than a quarter", "key", 950, func(f *Fleet) { f.heat("a", 200, 0) }, policy.CauseVolume, 0, "split salt isolate scale_out"},
		{"b: two keys over the target", "key", 500, func(f *Fleet) { f.heat("a", 1500, 0); f.heat("b", 1400, 0) }, policy.CauseHotKey, 2, "salt"},
		{"c: tenant of many keys", "key", 600, func(f *Fleet) {
			for range 40 {
				f.heat("whale", 20, 0)
			}
		}, policy.CauseWhaleTenant, 1, "split isolate quota"},
		{"d: tenant over the target, and more than that", "key", 600, func(f *Fleet) {
			for range 60 {
				f.heat("whale", 30, 0)
			}
			for i := range 40 {
				f.heat(fmt.Sprint("other-", i), 20, 0)
			}
		}, policy.CauseWhaleTenant, 1, "split isolate"},
		{"d: that tenant is cool without its heaviest key", "tenant", 1100, func(f *Fleet) {
			f.heat("whale", 900, 0)
			f.heat("whale", 300, 0)
		}, policy.CauseHotKey, 1, ""},
		{"e: one virtual shard of small tenants", "tenant", 300, func(f *Fleet) { f.pile(40, 40) }, policy.CauseVolume, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := handPlaced(t, 16, test.cold, routing.Placement{Bytes: test.place, Function: routing.XXH64, Map: routing.ModN})
			f.Capacity = capacity
			test.heat(f)
			got := f.judge()
			if got.Cause != test.cause || len(got.Contributors) != test.listed {
				t.Errorf("cause %s with %v, want %s with %d", got.Cause, got.Contributors, test.cause, test.listed)
			}
			if fixes(got) != test.fixes {
				t.Errorf("admissible %q, want %q", fixes(got), test.fixes)
			}
		})
	}
}

// pile puts n tenants of that load on one virtual shard of shard 0.
func (f *Fleet) pile(n int, load float64) {
	for i := range n {
		f.Tenants = append(f.Tenants, fmt.Sprint("piled-", i))
		f.Keys = append(f.Keys, Key{Name: "k", Tenant: int32(len(f.Tenants) - 1), VShard: 0, After: load, Before: load})
	}
}

// TestAnyTrueContributorMayStandFirst: with two keys either of which would be enough, both are accepted; a third is not.
func TestAnyTrueContributorMayStandFirst(t *testing.T) {
	f := hand(t, 16, 300)
	f.Capacity = 1000 / policy.Default().Lines.Target
	a, b, c := f.heat("a", 400, 0), f.heat("b", 410, 0), f.heat("c", 60, 0)
	got := f.judge()
	for name, want := range map[string]bool{a: true, b: true, c: false} {
		if got.accepts(policy.CauseHotKey, name, "") != want {
			t.Errorf("accepts %s: %v, want %v", name, !want, want)
		}
	}
	if got.accepts(policy.CauseVolume, "", "") || got.accepts(policy.CauseUnknown, a, "a") {
		t.Error("another cause is accepted")
	}
}

// TestCallerLimit: limiting the caller is admissible where it sends half, and enough is left off.
func TestCallerLimit(t *testing.T) {
	for share, want := range map[float64]string{0.4: "salt isolate", 0.9: "salt isolate limit_caller"} {
		f := hand(t, 16, 5500)
		f.heat("acme", 12_000, 0)
		f.Callers, f.Caller, f.CallerShare = true, "batch", share
		f.Keys[len(f.Keys)-1].Called = true
		if got := f.judge(); fixes(got) != want {
			t.Errorf("a caller with %v of the key: admissible %q, want %q", share, fixes(got), want)
		}
	}
}
