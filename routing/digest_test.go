package routing

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDigestSeesItsEntries: each change is seen by the digest of the entry it touches and by no other.
func TestDigestSeesItsEntries(t *testing.T) {
	entries := []Entry{
		VShardEntry(12), VShardEntry(13), SaltEntry("acme", "cart"), SaltEntry("acme", "none"), TenantEntry("whale"),
		TenantEntry("none"), QuotaEntry("whale"), QuotaEntry("none"), CacheEntry("acme", "home\xff"), CacheEntry("acme", "none"),
		ShardEntry("spare"), ShardEntry("none"),
	}
	salt := Salt{Tenant: "acme", Key: "none", Suffixes: []uint32{0}, Read: 1, Write: 1}
	for name, tc := range map[string]struct {
		touched Entry
		change  func(d *Document)
	}{
		"move elsewhere": {VShardEntry(12), func(d *Document) { d.Moves[0].To = 5 }},
		"move undone":    {VShardEntry(12), func(d *Document) { d.Moves = d.Moves[1:] }},
		"new move":       {VShardEntry(13), func(d *Document) { d.Moves = append(d.Moves, Move{13, 0}) }},
		"suffix":         {SaltEntry("acme", "cart"), func(d *Document) { d.Salts[0].Suffixes[1] = 8 }},
		"readers":        {SaltEntry("acme", "cart"), func(d *Document) { d.Salts[0].Read = 2 }},
		"writers":        {SaltEntry("acme", "cart"), func(d *Document) { d.Salts[0].Write = 1 }},
		"tombstone":      {SaltEntry("acme", "cart"), func(d *Document) { d.Salts[0].Tombstones = nil }},
		"new salt":       {SaltEntry("acme", "none"), func(d *Document) { d.Salts = append(d.Salts, salt) }},
		"tenant":         {TenantEntry("whale"), func(d *Document) { d.Tenants[0].Shards = []ShardID{4, 5} }},
		"new tenant": {TenantEntry("none"), func(d *Document) {
			d.Tenants = append(d.Tenants, TenantPlacement{"none", []ShardID{5}})
		}},
		"quota":     {QuotaEntry("whale"), func(d *Document) { d.Quotas[0].Rate++ }},
		"new quota": {QuotaEntry("none"), func(d *Document) { d.Quotas = append(d.Quotas, Quota{"none", 1}) }},
		"staleness": {CacheEntry("acme", "home\xff"), func(d *Document) { d.Cached[0].Staleness = time.Second }},
		"new cache": {CacheEntry("acme", "none"), func(d *Document) {
			d.Cached = append(d.Cached, CachedKey{"acme", "none", time.Second})
		}},
		"role":      {ShardEntry("spare"), func(d *Document) { d.Shards[4].Role = Serving }},
		"capacity":  {ShardEntry("spare"), func(d *Document) { d.Shards[4].WriteCapacity = 5 }},
		"new shard": {ShardEntry("none"), func(d *Document) { d.Shards = append(d.Shards, Shard{Name: "none"}) }},
	} {
		before, after := example(t), example(t)
		tc.change(after)
		for _, e := range entries {
			changed := before.Digest([]Entry{e}) != after.Digest([]Entry{e})
			if changed != (e == tc.touched) {
				t.Errorf("%s: digest of %s changed: %v, want %v", name, e, changed, e == tc.touched)
			}
		}
		if before.Digest(entries) == after.Digest(entries) {
			t.Errorf("%s: the digest of all entries did not change", name)
		}
	}
}

func TestDigestIgnoresOrder(t *testing.T) {
	d := example(t)
	rapid.Check(t, func(t *rapid.T) {
		entry := rapid.Custom(func(t *rapid.T) Entry {
			kind := EntryKind(rapid.IntRange(0, 6).Draw(t, "kind"))
			return Entry{kind, string(hostile(0, 3).Draw(t, "tenant")), string(hostile(0, 3).Draw(t, "name"))}
		})
		entries := rapid.SliceOfN(entry, 1, 6).Draw(t, "entries")
		before := slices.Clone(entries)
		shuffled := append(rapid.Permutation(entries).Draw(t, "order"), entries[0])
		if a, b := d.Digest(entries), d.Digest(shuffled); a != b {
			t.Fatalf("digest %x in one order, %x in another with a repetition", a, b)
		}
		if !slices.Equal(entries, before) {
			t.Fatal("Digest reordered its argument")
		}
		other := slices.Clone(entries)
		other[0].Name += "\x00"
		if !slices.Contains(entries, other[0]) && d.Digest(other) == d.Digest(entries) {
			t.Fatalf("%v and %v have one digest", entries, other)
		}
	})
}

// TestEntryNames: no two entries print alike, though tenants and keys may hold slashes.
func TestEntryNames(t *testing.T) {
	for want, e := range map[string]Entry{
		"vshard/12":         VShardEntry(12),
		"salt/cart":         SaltEntry("", "cart"),
		"salt/acme/cart":    SaltEntry("acme", "cart"),
		`salt/acme\x2fcart`: SaltEntry("", "acme/cart"),
		`cache/\xff/\\xff`:  CacheEntry("\xff", `\xff`),
		"tenant/whale":      TenantEntry("whale"),
		"quota/whale":       QuotaEntry("whale"),
		"shard/spare":       ShardEntry("spare"),
	} {
		if got := e.String(); got != want {
			t.Errorf("%#v prints as %s, want %s", e, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func() Entry {
			return SaltEntry(string(hostile(0, 2).Draw(t, "tenant")), string(hostile(1, 2).Draw(t, "key")))
		}
		if a, b := draw(), draw(); a != b && a.String() == b.String() {
			t.Fatalf("%#v and %#v both print as %s", a, b, a)
		}
	})
}
