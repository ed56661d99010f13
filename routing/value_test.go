package routing

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSetTakesWhatValueWrites: two documents of a fleet differ in what Diff lists, and setting that makes one of the other.
func TestSetTakesWhatValueWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := drawDocument(t)
		is := was.Clone()
		is.Moves, is.Tenants, is.Quotas, is.Cached = nil, nil, nil, nil
		drawExceptions(t, is)
		is.Salts, is.Fenced = was.Salts, was.Fenced
		if err := is.Validate(); err != nil {
			t.Skip(err.Error())
		}
		got := was.Clone()
		for _, c := range Diff(was, is) {
			if v := was.Value(c.Entry); v != c.Was {
				t.Fatalf("%s was %q, and the difference says %q", c.Entry, v, c.Was)
			}
			back, err := ParseEntry(c.Entry.String())
			if err != nil || back != c.Entry {
				t.Fatalf("%s reads back as %+v: %v", c.Entry, back, err)
			}
			if err := got.Set(c.Entry, c.Is); err != nil {
				t.Fatal(err)
			}
		}
		got.Normalize()
		is.Normalize()
		if diff := cmp.Diff(is, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestEntriesReadBack: whatever their names, no two entries are written alike.
func TestEntriesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Entry{
			Kind: rapid.SampledFrom([]EntryKind{EntryVShard, EntrySalt, EntryTenant, EntryQuota, EntryCache, EntryShard}).Draw(t, "kind"),
			Name: string(hostile(1, 6).Draw(t, "name")),
		}
		if e.Kind == EntrySalt || e.Kind == EntryCache {
			e.Tenant = string(hostile(0, 3).Draw(t, "tenant"))
		}
		got, err := ParseEntry(e.String())
		if err != nil || got != e {
			t.Fatalf("%q: %+v, want %+v: %v", e.String(), got, e, err)
		}
	})
}

func TestValues(t *testing.T) {
	d := example(t)
	d.Shards[4] = Shard{Name: "a,b", Role: Dedicated, Capacity: 8000, WriteCapacity: 0.5}
	d.Tenants = []TenantPlacement{{Tenant: "whale", Shards: []ShardID{4, 0}}}
	for e, want := range map[Entry]string{
		TenantEntry("whale"): `a\x2cb,` + d.Shards[0].Name, ShardEntry("a,b"): "dedicated,capacity=8000,write_capacity=0.5", QuotaEntry("none"): "", {}: "",
	} {
		if got := d.Value(e); got != want {
			t.Errorf("%s: %q, want %q", e, got, want)
		}
	}
	for _, s := range []Salt{{Key: "k", Suffixes: []uint32{0, 7, 9}, Write: 2, Read: 3, Tombstones: []uint32{9, 11}}} {
		if got, want := s.Value(), "write=2,read=3,suffixes=0+7+9,tombstones=9+11"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSetRefuses: what is not a value is refused with the entry's name.
func TestSetRefuses(t *testing.T) {
	for entry, value := range map[string]string{
		"vshard/x": "shard-0", "vshard/017": "shard-0", "vshard/1": "nowhere", "vshard/2": "shard-0,shard-1", "tenant/a": `\q`, "quota/a": "-1", "quota/b": "NaN",
		"quota/c": "Inf", "cache/k": "5", "shard/shard-0": "", "shard/s": "king", "shard/t": "spare,", "shard/u": "spare,price=3", "shard/v": "spare,capacity",
		"shard/w": "spare,capacity=x", "salt/k": "write=1,read=1,suffixes=0",
	} {
		d := example(t)
		e, err := ParseEntry(entry)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Set(e, value); err == nil {
			t.Errorf("%s = %q was taken: %q", entry, value, d.Value(e))
		}
	}
	for _, s := range []string{"", "vshard", "vshard/", "king/a", "tenant/a/b", "salt//k", "salt/a/", `quota/a\x2c`, `quota/\`, "cache/a/b/c"} {
		if e, err := ParseEntry(s); err == nil {
			t.Errorf("%q was read as %+v", s, e)
		}
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add(`salt/a\x2fb/\\x2f`)
	f.Fuzz(func(t *testing.T, s string) {
		if e, err := ParseEntry(s); err == nil && e.String() != s {
			t.Errorf("%q is written %q", s, e.String())
		}
	})
}
