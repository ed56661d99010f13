package client

import (
	"fmt"
	"testing"
	"time"

	"firebreak/routing"
)

// deciding is what a Router of a fleet with exceptions of all kinds decides. None of it may allocate.
func deciding(t testing.TB) map[string]func() {
	d := fleet(t, 64)
	for i := range 20 {
		key := fmt.Sprint("count:", i)
		d.Salts = append(d.Salts, routing.Salt{Key: key, Suffixes: []uint32{0, 3, 9, 12, 1, 2, 4, 5}, Read: 8, Write: 8})
		d.Cached = append(d.Cached, routing.CachedKey{Key: fmt.Sprint("page:", i), Staleness: time.Second})
		d.Quotas = append(d.Quotas, routing.Quota{Tenant: fmt.Sprint("tenant-", i), Rate: 1})
		d.Tenants = append(d.Tenants, routing.TenantPlacement{Tenant: fmt.Sprint("placed-", i), Shards: []routing.ShardID{1, 2}})
	}
	r := open(t, newStore(d), counts)
	bare := open(t, newStore(fleet(t, 64)), nil)
	tenant := []byte("tenant-17")
	paths := map[string]func(){}
	for name, key := range map[string]string{"plain": "user:1234567:cart", "salted": "count:7", "cached": "page:7"} {
		key := []byte(key)
		for _, op := range []Op{Read, Write} {
			paths[fmt.Sprint(name, "/", [2]string{"read", "write"}[op])] = func() { r.Decide(op, tenant, key) }
		}
	}
	paths["no exceptions"] = func() { bare.Decide(Write, tenant, []byte("user:1234567:cart")) }
	paths["placed"] = func() { r.Decide(Write, []byte("placed-7"), []byte("user:1234567:cart")) }
	dec := r.Decide(Write, tenant, []byte("count:7"))
	paths["check"] = func() { _, _ = r.Check(&dec) }
	return paths
}

func TestDecideAllocatesNothing(t *testing.T) {
	for name, decide := range deciding(t) {
		if got := testing.AllocsPerRun(200, decide); got != 0 {
			t.Errorf("%s: %v allocations a decision, want 0", name, got)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for name, decide := range deciding(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decide()
			}
		})
	}
}

func BenchmarkGuard(b *testing.B) {
	s := newStore(fleet(b, 64))
	g, err := OpenGuard(b.Context(), s, "shard-1", testConfig())
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	key := keyOn(b, s.doc, 1)
	until(b, time.Second, "the document", func() bool { return g.Check(nil, key) == nil })
	b.ReportAllocs()
	for b.Loop() {
		_ = g.Check(nil, key)
	}
}
