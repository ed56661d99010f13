package history

import (
	"math"
	"testing"

	"firebreak/policy"
	"firebreak/routing"
)

// TestShardsApart: where reads and writes have capacities of their own the line is that of the fuller one, and load is all.
func TestShardsApart(t *testing.T) {
	judged := story(t, 6, config(policy.Capacity{Reads: 100, Writes: 1000}), unchanged)
	for i, sh := range shardsOf(&judged[5], 0, 6) {
		if line := sh.Line / 0.7; math.Abs(line-100) > 1e-3 || math.Abs(sh.Full-sh.Reads/70) > 1e-6 || math.Abs(sh.Load-sh.Reads-sh.Writes) > 1e-3 || sh.Critical < 79.9 {
			t.Errorf("shard %d: %+v", i, sh)
		}
	}
	judged = story(t, 6, config(policy.Capacity{}), unchanged)
	for i, sh := range shardsOf(&judged[5], 0, 6) {
		if sh.Critical != 0 || sh.Line == 0 || sh.Capacity != 0 {
			t.Errorf("shard %d without a capacity: %+v", i, sh)
		}
	}
}

// TestShardsWithExceptions: a placed tenant and a salted key are counted where they lie, in every part of the load.
func TestShardsWithExceptions(t *testing.T) {
	cfg := config(policy.Capacity{})
	change := func(doc *routing.Document) {
		doc.Shards = append(doc.Shards, routing.Shard{Name: "own", Role: routing.Dedicated})
		doc.Tenants = []routing.TenantPlacement{{Tenant: "t-29", Shards: []routing.ShardID{4}}}
		doc.Salts = []routing.Salt{{Tenant: "t-28", Key: "k", Suffixes: []uint32{0, 1, 2, 3}, Read: 4, Write: 4}}
	}
	with, without := story(t, 6, cfg, change), story(t, 6, cfg, unchanged)
	got, before := shardsOf(&with[5], 0, 6), shardsOf(&without[5], 0, 6)
	var own, salted, sum, was policy.Sums
	for i, c := range with[5].Snapshot.Tenants {
		for _, p := range c.Panes {
			switch i {
			case 29:
				own.Load += p.Load / 60
				own.Throttled += p.Throttled / 60
			case 28:
				salted.Load += p.Load / 60
				salted.Reads += p.Reads / 60
			}
		}
	}
	if math.Abs(got[4].Load-own.Load) > 1e-3 || math.Abs(got[4].Throttled-own.Throttled) > 1e-3 || math.Abs(got[4].Reads-own.Load/4) > 1e-3 {
		t.Errorf("the tenant's own shard %+v, want %+v", got[4], own)
	}
	for i := range got {
		if math.Abs(got[i].Load-got[i].Reads-got[i].Writes) > 1e-2 {
			t.Errorf("shard %d: %v is not %v + %v", i, got[i].Load, got[i].Reads, got[i].Writes)
		}
		sum.Load += got[i].Load
		sum.Writes += got[i].Writes
	}
	for i := range before {
		was.Load += before[i].Load
		was.Writes += before[i].Writes
	}
	if math.Abs(sum.Load-was.Load-3*salted.Reads) > 1e-2 || math.Abs(sum.Writes-was.Writes) > 1e-2 {
		t.Errorf("load %v and writes %v, want %v more reads than %v and %v", sum.Load, sum.Writes, 3*salted.Reads, was.Load, was.Writes)
	}
}
