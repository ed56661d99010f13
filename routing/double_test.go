package routing

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDoubledIsWhatEntriesSay compares the look-up with a walk over the list, and the other table with a document that has the other values.
func TestDoubledIsWhatEntriesSay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawDocument(rt)
		drawDoubled(rt, d)
		table, err := NewTable(d)
		if err != nil {
			rt.Fatal(err)
		}
		if (table.Other() == nil) != (len(d.Doubled) == 0) {
			rt.Fatalf("another table %v, written twice %v", table.Other() != nil, d.Doubled)
		}
		tenants, vshards := []string{"", "a"}, []VShard{NoVShard, 0}
		set := d.Clone()
		for _, is := range d.Doubled {
			if v, ok := is.Entry.VShard(); ok && is.Entry.Kind == EntryVShard {
				vshards = append(vshards, v)
			} else {
				tenants = append(tenants, is.Entry.Name)
			}
			if err := set.Set(is.Entry, is.Value); err != nil {
				rt.Fatal(err)
			}
		}
		for _, p := range d.Tenants {
			tenants = append(tenants, p.Tenant)
		}
		of := func(e Entry) *Double {
			if i := slices.IndexFunc(d.Doubled, func(is Double) bool { return is.Entry == e }); i >= 0 {
				return &d.Doubled[i]
			}
			return nil
		}
		for _, tenant := range tenants {
			for _, v := range vshards {
				want := of(TenantEntry(tenant))
				placed := slices.ContainsFunc(d.Tenants, func(p TenantPlacement) bool { return p.Tenant == tenant })
				if want == nil && !placed {
					want = of(VShardEntry(v))
				}
				got := table.Doubled([]byte(tenant), v)
				if (got == nil) != (want == nil) || got != nil && *got != *want {
					rt.Fatalf("%q on %d: %+v, want %+v", tenant, v, got, want)
				}
			}
		}
		set.Doubled = nil
		moved, err := NewTable(set)
		if err != nil || table.Other() == nil {
			return
		}
		for _, tenant := range tenants {
			key := []byte(rapid.String().Draw(rt, "key"))
			if got, want := table.Other().Locate([]byte(tenant), key), moved.Locate([]byte(tenant), key); got != want {
				rt.Fatalf("the second write of %q goes to %+v, want %+v", key, got, want)
			}
		}
	})
}

func TestDoubledIsChecked(t *testing.T) {
	d, err := Adopt("orders", Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	d.Version, d.Moves, d.Fenced = 9, []Move{{VShard: 1, To: 2}}, []Entry{VShardEntry(3)}
	one := func(e Entry, value string) []Double { return []Double{{Entry: e, Value: value}} }
	for name, tc := range map[string]struct {
		doubled []Double
		want    string
	}{
		"elsewhere":      {one(VShardEntry(0), "shard-3"), ""},
		"back home":      {one(VShardEntry(1), ""), ""},
		"a tenant":       {one(TenantEntry("acme"), "shard-1,shard-2"), ""},
		"where it lies":  {one(VShardEntry(1), "shard-2"), ""},
		"no such shard":  {one(VShardEntry(0), "shard-9"), "no shard is called"},
		"two shards":     {one(VShardEntry(0), "shard-1,shard-2"), "want one shard"},
		"beyond the map": {one(VShardEntry(VShard(d.Placement.VShards)), "shard-3"), "from 0 to"},
		"a quota":        {one(QuotaEntry("acme"), "17"), "a virtual shard or a tenant"},
		"twice":          {append(one(VShardEntry(0), "shard-3"), Double{Entry: VShardEntry(0), Value: "shard-2"}), "listed twice"},
		"fenced":         {one(VShardEntry(3), "shard-1"), "is fenced"},
		"to come":        {[]Double{{Entry: VShardEntry(0), Value: "shard-3", Since: 10}}, "since: 10"},
		"twice a shard":  {one(TenantEntry("acme"), "shard-1,shard-1"), "listed twice"},
	} {
		d.Doubled = tc.doubled
		err := d.Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	named, err := Adopt("orders", Placement{Map: Explicit}, NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	named.Doubled = one(VShardEntry(0), "shard-3")
	if err := named.Validate(); err == nil || !strings.Contains(err.Error(), "the log names the shards") {
		t.Errorf("where the log names the shards: %v", err)
	}
}

// TestDoubleReplaces: a place is written twice in one way, and only what is named ends.
func TestDoubleReplaces(t *testing.T) {
	var d Document
	d.Double(Double{Entry: VShardEntry(1), Value: "shard-3"})
	d.Double(Double{Entry: TenantEntry("acme")})
	d.Double(Double{Entry: VShardEntry(1), Value: "shard-3", Both: true})
	d.Undouble(TenantEntry("acme"), VShardEntry(2))
	if want := []Double{{Entry: VShardEntry(1), Value: "shard-3", Both: true}}; !slices.Equal(d.Doubled, want) {
		t.Errorf("written twice: %v, want %v", d.Doubled, want)
	}
}

// TestDoubledOnTheWire pins the form: clients in other languages read it.
func TestDoubledOnTheWire(t *testing.T) {
	d := example(t)
	d.Double(Double{Entry: VShardEntry(12), Since: 9, Both: true})
	d.Double(Double{Entry: VShardEntry(3), Value: "spare"})
	got, err := d.Encode()
	want := `"doubled":[{"entry":"vshard/12","since":9,"both":true},{"entry":"vshard/3","value":"spare"}]}`
	if err != nil || !strings.HasSuffix(string(got), want) {
		t.Errorf("%s, %v, want %s at its end", got, err, want)
	}
}
