package routing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFencedIsWhatEntriesSay compares the look-up with a walk over the list.
func TestFencedIsWhatEntriesSay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := drawDocument(rt)
		table, err := NewTable(d)
		if err != nil {
			rt.Fatal(err)
		}
		tenants := []string{"", "a"}
		for _, p := range d.Tenants {
			tenants = append(tenants, p.Tenant)
		}
		vshards := []VShard{NoVShard, 0}
		for _, e := range d.Fenced {
			if v, ok := e.VShard(); ok {
				vshards = append(vshards, v)
			} else {
				tenants = append(tenants, e.Name)
			}
		}
		for _, tenant := range tenants {
			for _, v := range vshards {
				placed := slices.ContainsFunc(d.Tenants, func(p TenantPlacement) bool { return p.Tenant == tenant })
				want := slices.Contains(d.Fenced, TenantEntry(tenant)) || !placed && slices.Contains(d.Fenced, VShardEntry(v))
				if got := table.Fenced([]byte(tenant), v); got != want {
					rt.Fatalf("%q on %d: fenced is %v, want %v by %v", tenant, v, got, want, d.Fenced)
				}
			}
		}
	})
}

func TestFenceIsChecked(t *testing.T) {
	d, err := Adopt("orders", Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		fenced []Entry
		want   string
	}{
		"both":           {[]Entry{VShardEntry(17), TenantEntry("acme")}, ""},
		"beyond the map": {[]Entry{VShardEntry(VShard(d.Placement.VShards))}, "from 0 to"},
		"below 0":        {[]Entry{VShardEntry(-1)}, "from 0 to"},
		"no number":      {[]Entry{{Kind: EntryVShard, Name: "017"}}, "from 0 to"},
		"a key":          {[]Entry{SaltEntry("", "cart")}, "a virtual shard or a tenant"},
		"nobody":         {[]Entry{TenantEntry("")}, "0 bytes"},
		"twice":          {[]Entry{VShardEntry(1), VShardEntry(1)}, "twice"},
	} {
		d.Fenced = tc.fenced
		err := d.Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// TestFenceComesAndGoes: fencing twice is fencing once, and only what is named is lifted.
func TestFenceComesAndGoes(t *testing.T) {
	var d Document
	d.Fence(VShardEntry(1), TenantEntry("acme"))
	d.Fence(VShardEntry(1))
	d.Unfence(TenantEntry("acme"), VShardEntry(2))
	if want := []Entry{VShardEntry(1)}; !slices.Equal(d.Fenced, want) {
		t.Errorf("fenced: %v, want %v", d.Fenced, want)
	}
}

func BenchmarkFenced(b *testing.B) {
	for _, fenced := range []int{0, 1, 1000} {
		d, err := Adopt("orders", Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(64))
		if err != nil {
			b.Fatal(err)
		}
		for v := range fenced {
			d.Fence(VShardEntry(VShard(v)))
		}
		table, err := NewTable(d)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(fenced), func(b *testing.B) {
			key := []byte("customer:1234567")
			b.ReportAllocs()
			for b.Loop() {
				table.Fenced(nil, table.Locate(nil, key).VShard)
			}
		})
	}
}
