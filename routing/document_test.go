package routing

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// example is a document with every kind of exception, of a fleet placed by tenant and key.
func example(t testing.TB) *Document {
	t.Helper()
	shards := append(NumberedShards(4),
		Shard{Name: "spare", Role: Spare, Capacity: 9000}, Shard{Name: "dedicated", Role: Dedicated}, Shard{Name: "new"})
	d := mustAdopt(t, Placement{Bytes: "{tenant}:{key}", Function: XXH64, Map: ModN}, shards)
	d.Epoch, d.Version, d.Tenure = 3, 17, "b7e1"
	d.Moves = []Move{{12, 4}, {40, 1}}
	d.Salts = []Salt{{Tenant: "acme", Key: "cart", Suffixes: []uint32{0, 3, 9}, Read: 3, Write: 2, Tombstones: []uint32{4}}}
	d.Tenants = []TenantPlacement{{"whale", []ShardID{5, 4}}}
	d.Quotas = []Quota{{"whale", 1200.5}}
	d.Cached = []CachedKey{{"acme", "home\xff", 1500 * time.Millisecond}}
	return d
}

func TestCloneSharesNothing(t *testing.T) {
	d := example(t)
	d.Placement.Owners = []OwnerRun{{0, 1, 2}}
	d.Placement.Bounds = [][]byte{[]byte("a")}
	before := d.Clone()
	c := d.Clone()
	c.Placement.Owners[0].Shard, c.Placement.Bounds[0][0] = 9, 'z'
	c.Shards[0].Name, c.Moves[0].To = "x", 9
	c.Salts[0].Suffixes[1], c.Salts[0].Tombstones[0] = 77, 77
	c.Tenants[0].Shards[0], c.Quotas[0].Rate, c.Cached[0].Key = 9, 9, "x"
	if diff := cmp.Diff(before, d); diff != "" {
		t.Errorf("changing a clone changed the document (-want +got):\n%s", diff)
	}
}

func TestValidateErrors(t *testing.T) {
	long := strings.Repeat("k", maxKey+1)
	for _, tc := range []struct {
		want   string
		change func(d *Document)
	}{
		{"schema: 2", func(d *Document) { d.Schema = 2 }},
		{"version: 0", func(d *Document) { d.Version = 0 }},
		{"fleet: 0 bytes", func(d *Document) { d.Fleet = "" }},
		{"tenure: 256 bytes", func(d *Document) { d.Tenure = strings.Repeat("t", 256) }},
		{"shards: 0", func(d *Document) { d.Shards = nil }},
		{"shards[1].name: 0 bytes", func(d *Document) { d.Shards[1].Name = "" }},
		{`shards[4].name: "shard-1"`, func(d *Document) { d.Shards[4].Name = "shard-1" }},
		{"shards[0].role: role(9)", func(d *Document) { d.Shards[0].Role = 9 }},
		{"shards[0].role", func(d *Document) { d.Shards[0].Role = RoleUnknown }},
		{"shards[2].read_capacity: NaN", func(d *Document) { d.Shards[2].ReadCapacity = math.NaN() }},
		{"shards[2].capacity: -1", func(d *Document) { d.Shards[2].Capacity = -1 }},
		{"placement.shards: 9", func(d *Document) { d.Placement.Shards = 9 }},
		{"placement.vshards: 0", func(d *Document) { d.Placement.VShards = 0 }},
		{"moves[1].vshard: 10240", func(d *Document) { d.Moves[1].VShard = 10240 }},
		{"moves[0].vshard: -1", func(d *Document) { d.Moves[0].VShard = -1 }},
		{"moves[1].vshard: 12 is moved twice", func(d *Document) { d.Moves[1].VShard = 12 }},
		{"moves[0].to: shard 7", func(d *Document) { d.Moves[0].To = 7 }},
		{"moves[0].to: shard -1", func(d *Document) { d.Moves[0].To = NoShard }},
		{`moves[0].to: shard "new" is unknown`, func(d *Document) { d.Moves[0].To = 6 }},
		{"salts[0].key: 0 bytes", func(d *Document) { d.Salts[0].Key = "" }},
		{"salts[0].key: 1025 bytes", func(d *Document) { d.Salts[0].Key = long }},
		{"salts[0].tenant: 1025 bytes", func(d *Document) { d.Salts[0].Tenant = long }},
		{`salts[0].key: "cart#1" contains the separator "#"`, func(d *Document) { d.Salts[0].Key = "cart#1" }},
		{`salts[1].key: "cart" has two`, func(d *Document) { d.Salts = append(d.Salts, d.Salts[0]) }},
		{"salts[0].suffixes: 0", func(d *Document) { d.Salts[0].Suffixes = nil }},
		{"salts[0].suffixes[2]: 3", func(d *Document) { d.Salts[0].Suffixes[2] = 3 }},
		{"salts[0].write: 0", func(d *Document) { d.Salts[0].Write = 0 }},
		{"salts[0].write: 3 with read 2", func(d *Document) { d.Salts[0].Read, d.Salts[0].Write = 2, 3 }},
		{"salts[0].write: 2 with read 4", func(d *Document) { d.Salts[0].Read = 4 }},
		{"salts[0].tombstones[0]: 3 is in use", func(d *Document) { d.Salts[0].Tombstones[0] = 3 }},
		{"salts[0].tombstones[1]: 4", func(d *Document) { d.Salts[0].Tombstones = []uint32{4, 4} }},
		{"tenants[0].tenant: 0 bytes", func(d *Document) { d.Tenants[0].Tenant = "" }},
		{"tenants[0].shards: none", func(d *Document) { d.Tenants[0].Shards = nil }},
		{"tenants[0].shards[1]: 5 is listed twice", func(d *Document) { d.Tenants[0].Shards[1] = 5 }},
		{`tenants[0].shards[1]: shard "new"`, func(d *Document) { d.Tenants[0].Shards[1] = 6 }},
		{`tenants[1].tenant: "whale" has two`, func(d *Document) { d.Tenants = append(d.Tenants, d.Tenants[0]) }},
		{"quotas[0].rate: 0 requests/s", func(d *Document) { d.Quotas[0].Rate = 0 }},
		{"quotas[0].rate: NaN", func(d *Document) { d.Quotas[0].Rate = math.NaN() }},
		{"quotas[0].rate: +Inf", func(d *Document) { d.Quotas[0].Rate = math.Inf(1) }},
		{"cached[0].staleness: 0s", func(d *Document) { d.Cached[0].Staleness = 0 }},
		{"cached[0].staleness: 1ns", func(d *Document) { d.Cached[0].Staleness = 1 }},
		{"cached[0].key: 0 bytes", func(d *Document) { d.Cached[0].Key = "" }},
	} {
		d := example(t)
		if err := d.Validate(); err != nil {
			t.Fatalf("the example is not valid: %v", err)
		}
		base := mustTable(t, d)
		tc.change(d)
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Validate() = %v, want an error that says %q", err, tc.want)
		}
		if _, err := base.With(d); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("With() = %v, want an error that says %q", err, tc.want)
		}
	}
}

// TestTenantNeedsIdentity refuses a tenant on a key's entry where the same key of all tenants is one key.
func TestTenantNeedsIdentity(t *testing.T) {
	d := mustAdopt(t, Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(3))
	d.Salts = []Salt{{Tenant: "acme", Key: "k", Suffixes: []uint32{0, 1}, Read: 2, Write: 2}}
	if err := d.Validate(); err == nil || !strings.Contains(err.Error(), `salts[0].tenant: "acme"`) {
		t.Errorf("Validate() = %v, want an error that names the tenant", err)
	}
	d.Placement.TenantKeys = true
	if err := d.Validate(); err != nil {
		t.Errorf("Validate() with tenant_keys = %v, want nil", err)
	}
}

// TestFoldedPieceStaysReadable allows a tombstone for a piece that readers still list and writers have left.
func TestFoldedPieceStaysReadable(t *testing.T) {
	d := example(t)
	d.Salts[0].Tombstones = []uint32{9}
	if err := d.Validate(); err != nil {
		t.Errorf("Validate() with piece 2 folded and read = %v, want nil", err)
	}
	d.Salts[0].Write = 3
	if err := d.Validate(); err == nil {
		t.Error("Validate() with piece 2 folded and written = nil, want an error")
	}
}

func TestDocumentSize(t *testing.T) {
	d := example(t)
	for i := range 95 {
		d.Quotas = append(d.Quotas, Quota{strings.Repeat("t", 1000) + string(rune('A'+i)), 1})
	}
	encoded, err := d.Encode()
	if err != nil || len(encoded) > MaxDocumentBytes {
		t.Fatalf("Encode() = %d bytes, %v, want at most %d", len(encoded), err, MaxDocumentBytes)
	}
	if err := d.Validate(); err != nil {
		t.Errorf("Validate() of %d bytes = %v, want nil", len(encoded), err)
	}
	for i := range 10 {
		d.Quotas = append(d.Quotas, Quota{strings.Repeat("u", 1000) + string(rune('A'+i)), 1})
	}
	if err := d.Validate(); err == nil || !strings.Contains(err.Error(), "want at most 102400") {
		t.Errorf("Validate() of a document that is too large = %v, want an error", err)
	}
	if _, err := ParseDocument(make([]byte, MaxDocumentBytes+1)); err == nil {
		t.Error("ParseDocument of too many bytes = nil, want an error")
	}
}

func TestEnumsRoundTrip(t *testing.T) {
	for i := range 256 {
		if r, err := ParseRole(Role(i).String()); (err == nil) != (i < 5) || (err == nil && r != Role(i)) {
			t.Errorf("ParseRole(%q) = %v, %v", Role(i), r, err)
		}
		if f, err := ParseFunction(Function(i).String()); (err == nil) != (i < 10) || (err == nil && f != Function(i)) {
			t.Errorf("ParseFunction(%q) = %v, %v", Function(i), f, err)
		}
		if m, err := ParseOwnerMap(OwnerMap(i).String()); (err == nil) != (i < 6) || (err == nil && m != OwnerMap(i)) {
			t.Errorf("ParseOwnerMap(%q) = %v, %v", OwnerMap(i), m, err)
		}
	}
	if _, err := Role(200).MarshalText(); err == nil {
		t.Error("Role(200).MarshalText() succeeded, want an error")
	}
}
