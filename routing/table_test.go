package routing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestOneOwner: every virtual shard has exactly one owner, which exists and may be placed on, and it is the move's or the
// base map's.
func TestOneOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		table, err := NewTable(d)
		if err != nil {
			t.Fatal(err)
		}
		bare := d.Clone()
		bare.Moves = nil
		base, err := NewTable(bare)
		if err != nil {
			t.Fatal(err)
		}
		moves := map[VShard]ShardID{}
		for _, m := range d.Moves {
			moves[m.VShard] = m.To
		}
		for v := range table.VShards() {
			want, ok := moves[VShard(v)]
			if !ok {
				want = base.Owner(VShard(v))
			}
			got := table.Owner(VShard(v))
			if got != want || got < 0 || int(got) >= len(d.Shards) {
				t.Fatalf("Owner(%d) = %d, want %d", v, got, want)
			}
		}
		if a, b := table.Owner(-1), table.Owner(VShard(table.VShards())); a != NoShard || b != NoShard {
			t.Fatalf("owners outside the range: %d, %d, want NoShard", a, b)
		}
	})
}

// TestKeyLiesOnItsOwner: unless it is salted or its tenant is placed.
func TestKeyLiesOnItsOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		table, err := NewTable(d)
		if err != nil {
			t.Fatal(err)
		}
		tenant, key := hostile(0, 6).Draw(t, "tenant"), hostile(0, 8).Draw(t, "key")
		for _, s := range d.Salts {
			if rapid.Bool().Draw(t, "salted") {
				tenant, key = []byte(s.Tenant), []byte(s.Key)
			}
		}
		at := table.Locate(tenant, key)
		salt, salted := table.Salt(tenant, key)
		if want := salted && len(salt.Suffixes) > 1; at.Salted != want {
			t.Fatalf("Locate(%q, %q).Salted = %v, want %v", tenant, key, at.Salted, want)
		}
		pieces := table.Pieces(tenant, key, nil)
		if pieces[0].Shard != at.Shard || pieces[0].VShard != at.VShard {
			t.Fatalf("the bare piece lies on %+v, the key on %+v", pieces[0], at)
		}
		if shards, placed := table.PlacedTenant(tenant); placed {
			for _, p := range pieces {
				if !slices.Contains(shards, p.Shard) {
					t.Fatalf("piece %+v of a tenant placed on %v", p, shards)
				}
			}
			return
		}
		if d.Placement.Map == Explicit {
			if at.Shard != NoShard || at.VShard != NoVShard {
				t.Fatalf("Locate(%q, %q) = %+v where the log names the shard", tenant, key, at)
			}
			return
		}
		if v := table.VShard(tenant, key); at.VShard != v || at.Shard != table.Owner(v) {
			t.Fatalf("Locate(%q, %q) = %+v, want virtual shard %d on shard %d", tenant, key, at, v, table.Owner(v))
		}
		for _, p := range pieces {
			if p.Shard != table.Owner(p.VShard) {
				t.Fatalf("piece %+v, want shard %d", p, table.Owner(p.VShard))
			}
		}
	})
}

// TestWithEqualsNew: a candidate compiled beside a table answers as one compiled alone, and leaves the table as it was.
func TestWithEqualsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		table, err := NewTable(d)
		if err != nil {
			t.Fatal(err)
		}
		candidate := d.Clone()
		candidate.Moves, candidate.Salts, candidate.Tenants, candidate.Quotas, candidate.Cached = nil, nil, nil, nil, nil
		candidate.Shards = append(candidate.Shards, Shard{Name: "added", Role: Spare})
		if rapid.Bool().Draw(t, "rename") {
			candidate.Shards[0].Name = "renamed"
		}
		drawExceptions(t, candidate)
		got, err := table.With(candidate)
		if err != nil {
			t.Fatal(err)
		}
		want, err := NewTable(candidate)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			tenant, key := hostile(0, 3).Draw(t, "tenant"), hostile(0, 3).Draw(t, "key")
			if g, w := got.Locate(tenant, key), want.Locate(tenant, key); g != w {
				t.Fatalf("Locate(%q, %q) = %+v, want %+v", tenant, key, g, w)
			}
		}
		if !slices.Equal(got.owners, want.owners) {
			t.Fatal("owners differ")
		}
		if diff := cmp.Diff(d, table.Document()); diff != "" {
			t.Fatalf("the table's document changed (-want +got):\n%s", diff)
		}
	})
}

// TestTableKeepsItsDocument: changing the document afterwards changes nothing.
func TestTableKeepsItsDocument(t *testing.T) {
	d := example(t)
	table := mustTable(t, d)
	d.Moves[0].To, d.Tenants[0].Shards[0], d.Salts[0].Suffixes[1] = 0, 0, 99
	if got := table.Owner(12); got != 4 {
		t.Errorf("Owner(12) = %d, want 4", got)
	}
	if got, _ := table.PlacedTenant([]byte("whale")); !slices.Equal(got, []ShardID{5, 4}) {
		t.Errorf("PlacedTenant(whale) = %v, want [5 4]", got)
	}
	if got := table.Pieces([]byte("acme"), []byte("cart"), nil)[1].Suffix; got != 3 {
		t.Errorf("suffix of piece 1 = %d, want 3", got)
	}
}

func TestExplicit(t *testing.T) {
	d := mustAdopt(t, Placement{Bytes: "tenant,key", Map: Explicit}, NumberedShards(3))
	d.Moves = []Move{{70, 2}}
	d.Tenants = []TenantPlacement{{"whale", []ShardID{1}}}
	table := mustTable(t, d)
	tenant := []byte("t")
	buckets := map[VShard]int{}
	for i := range 6400 {
		key := fmt.Appendf(nil, "key-%d", i)
		v := table.ExplicitVShard(1, tenant, key)
		if v < 64 || v >= 128 {
			t.Fatalf("ExplicitVShard(1, %q) = %d, want 64 to 127", key, v)
		}
		buckets[v]++
		if at := table.Locate(tenant, key); at.Shard != NoShard || at.VShard != NoVShard {
			t.Fatalf("Locate(%q) = %+v, want no shard", key, at)
		}
		if at := table.Locate([]byte("whale"), key); at.Shard != 1 || at.VShard/64 != 1 {
			t.Fatalf("Locate of a placed tenant = %+v, want shard 1 and one of its buckets", at)
		}
	}
	if len(buckets) != 64 {
		t.Errorf("%d buckets in use, want 64", len(buckets))
	}
	if got := []ShardID{table.Owner(69), table.Owner(70), table.Owner(191)}; !slices.Equal(got, []ShardID{1, 2, 2}) {
		t.Errorf("owners of 69, 70, 191 = %v, want [1 2 2]", got)
	}
	for _, s := range []ShardID{-1, 3} {
		if got := table.ExplicitVShard(s, tenant, tenant); got != NoVShard {
			t.Errorf("ExplicitVShard(%d) = %d, want NoVShard", s, got)
		}
	}
	if !table.SeparatesKeys() || !table.PlacesByTenant() {
		t.Error("explicit placement by tenant and key: want keys separated and tenants placed")
	}
	d.Shards = append(d.Shards, Shard{Name: "fourth", Role: Spare})
	if wider := mustTable(t, d); wider.VShards() != 256 || wider.Owner(255) != 3 {
		t.Errorf("with a fourth shard: V = %d, owner of the last %d, want 256, 3", wider.VShards(), wider.Owner(255))
	}
}

func TestPlacementQuestions(t *testing.T) {
	for bytes, want := range map[string][2]bool{
		"key": {true, false}, "tenant": {false, true}, "tenant,key": {true, true}, "{tenant}:{key}": {true, true},
		"u{{{tenant}}}": {false, true},
	} {
		table := mustTable(t, mustAdopt(t, Placement{Bytes: bytes, Function: XXH64, Map: ModN}, NumberedShards(2)))
		if got := [2]bool{table.SeparatesKeys(), table.PlacesByTenant()}; got != want {
			t.Errorf("%q: separates keys, places by tenant = %v, want %v", bytes, got, want)
		}
	}
}

// TestTenantKeysDoNotMerge: the salt of one tenant's key is not the salt of another's.
func TestTenantKeysDoNotMerge(t *testing.T) {
	table := mustTable(t, example(t))
	if _, ok := table.Salt([]byte("acme"), []byte("cart")); !ok {
		t.Error("the salt of acme's cart is not found")
	}
	for _, tenant := range []string{"", "acm", "acmec", "other"} {
		if s, ok := table.Salt([]byte(tenant), []byte("cart")); ok {
			t.Errorf("Salt(%q, cart) = %+v, want none", tenant, s)
		}
	}
	if s, ok := table.Salt([]byte("acmec"), []byte("art")); ok {
		t.Errorf("Salt(acmec, art) = %+v, want none", s)
	}
	if _, err := NewTable(nil); err == nil {
		t.Error("NewTable(nil) succeeded, want an error")
	}
}
