package routing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hostile draws any bytes, with those that mean something to this package more often than chance has them.
func hostile(minLen, maxLen int) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		piece := rapid.OneOf(
			rapid.SampledFrom([]string{"#", "{", "}", "\\", "\\x", "0", "7", "/", "\xff", "\x00", "\uFFFD", "é", "a", "user:"}),
			rapid.Map(rapid.Byte(), func(b byte) string { return string([]byte{b}) }),
		)
		var out []byte
		for range rapid.IntRange(minLen, maxLen).Draw(t, "pieces") {
			out = append(out, piece.Draw(t, "piece")...)
		}
		return out
	})
}

// drawDocument draws a valid document with any placement and any exceptions.
func drawDocument(t *rapid.T) *Document {
	n := rapid.IntRange(1, 9).Draw(t, "shards")
	shards := NumberedShards(n)
	for i := range rapid.IntRange(0, 2).Draw(t, "extra") {
		role := rapid.SampledFrom([]Role{Spare, Dedicated, RoleUnknown}).Draw(t, "role")
		shards = append(shards, Shard{Name: "extra\xff" + strconv.Itoa(i), Role: role, Capacity: float64(i) * 1.5})
	}
	d, err := Adopt(string(hostile(1, 5).Draw(t, "fleet")), drawPlacement(t, n), shards)
	if err != nil {
		t.Fatalf("Adopt: %v", err)
	}
	d.Epoch = rapid.Uint64().Draw(t, "epoch")
	d.Version = rapid.Uint64Range(1, 1<<64-1).Draw(t, "version")
	d.Tenure = string(hostile(0, 5).Draw(t, "tenure"))
	d.Stop = rapid.Bool().Draw(t, "stop")
	drawExceptions(t, d)
	d.Normalize()
	return d
}

func drawPlacement(t *rapid.T, n int) Placement {
	p := Placement{
		Bytes: rapid.SampledFrom([]string{"key", "tenant", "tenant,key", "{tenant}:{key}", "k{{{key}}}"}).Draw(t, "bytes"),
		Map:   rapid.SampledFrom([]OwnerMap{ModN, Ranges, Ring, List, Explicit}).Draw(t, "map"),
		Function: rapid.SampledFrom([]Function{
			XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, CassandraMurmur3,
		}).Draw(t, "function"),
		TenantKeys: rapid.Bool().Draw(t, "tenantKeys"),
		Separator:  rapid.SampledFrom([]string{"#", "##", "~-"}).Draw(t, "separator"),
	}
	switch p.Map {
	case ModN:
		if rapid.Bool().Draw(t, "jump") {
			p.Function = Jump
		}
	case Ranges:
		if rapid.Bool().Draw(t, "identity") {
			p.Function = Identity
		}
		for i := 1; i < n; i++ {
			p.Bounds = append(p.Bounds, []byte(strconv.Itoa(i)))
		}
	case Ring:
		p.VirtualNodes = rapid.IntRange(1, 5).Draw(t, "nodes")
	case Explicit:
		if p.Bytes == "tenant" {
			p.Bytes = "tenant,key"
		}
	case List, MapUnknown:
	}
	return p
}

func drawExceptions(t *rapid.T, d *Document) {
	table, err := NewTable(d)
	if err != nil {
		t.Fatalf("NewTable: %v", err)
	}
	var targets []ShardID
	for i, s := range d.Shards {
		if s.Role != RoleUnknown {
			targets = append(targets, ShardID(i))
		}
	}
	target := rapid.SampledFrom(targets)
	vshard := rapid.IntRange(0, table.VShards()-1)
	for _, v := range rapid.SliceOfNDistinct(vshard, 0, min(5, table.VShards()), rapid.ID).Draw(t, "moves") {
		d.Moves = append(d.Moves, Move{VShard(v), target.Draw(t, "to")})
	}
	asString := func(b []byte) string { return string(b) }
	names := rapid.SliceOfNDistinct(rapid.Map(hostile(1, 6), asString), 0, 4, rapid.ID)
	for _, tenant := range names.Draw(t, "tenants") {
		on := rapid.SliceOfNDistinct(target, 1, len(targets), rapid.ID).Draw(t, "on")
		d.Tenants = append(d.Tenants, TenantPlacement{tenant, on})
		d.Quotas = append(d.Quotas, Quota{tenant, rapid.Float64Range(1e-9, 1e12).Draw(t, "rate")})
	}
	for _, v := range rapid.SliceOfNDistinct(vshard, 0, min(3, table.VShards()), rapid.ID).Draw(t, "fenced") {
		d.Fence(VShardEntry(VShard(v)))
	}
	for _, tenant := range names.Draw(t, "fenced tenants") {
		d.Fence(TenantEntry(tenant))
	}
	for _, key := range names.Draw(t, "keys") {
		tenant := ""
		if d.Placement.IdentifiesTenant() {
			tenant = string(hostile(0, 4).Draw(t, "tenant"))
		}
		stale := time.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "stale")) * time.Millisecond
		d.Cached = append(d.Cached, CachedKey{tenant, key, stale})
		if !strings.Contains(key, d.Placement.Separator) {
			d.Salts = append(d.Salts, drawSalt(t, tenant, key))
		}
	}
}

// drawDoubled writes some places of a drawn document twice, where it may.
func drawDoubled(t *rapid.T, d *Document) {
	if d.Placement.Map == Explicit {
		return
	}
	table, err := NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	vshards := rapid.Map(rapid.IntRange(0, table.VShards()-1), func(v int) Entry { return VShardEntry(VShard(v)) })
	tenants := rapid.Map(hostile(1, 6), func(b []byte) Entry { return TenantEntry(string(b)) })
	for _, e := range rapid.SliceOfNDistinct(rapid.OneOf(vshards, tenants), 0, 3, rapid.ID).Draw(t, "doubled") {
		value := ""
		if to := rapid.SampledFrom(d.Shards).Draw(t, "other"); to.Role != RoleUnknown {
			value = ShardNames(to.Name)
		}
		if !slices.Contains(d.Fenced, e) {
			d.Double(Double{e, value, rapid.Uint64Range(0, d.Version).Draw(t, "since"), rapid.Bool().Draw(t, "both")})
		}
	}
}

func drawSalt(t *rapid.T, tenant, key string) Salt {
	suffixes := rapid.SliceOfNDistinct(rapid.Uint32(), 1, 5, rapid.ID).Draw(t, "suffixes")
	read := rapid.IntRange(1, len(suffixes)).Draw(t, "read")
	s := Salt{Tenant: tenant, Key: key, Suffixes: suffixes, Read: read, Write: rapid.IntRange(1, read).Draw(t, "write")}
	for _, b := range rapid.SliceOfNDistinct(rapid.Uint32(), 0, 3, rapid.ID).Draw(t, "tombstones") {
		if !slices.Contains(suffixes, b) {
			s.Tombstones = append(s.Tombstones, b)
		}
	}
	return s
}

// TestGeneratorReachesEverything keeps the properties from passing on documents without exceptions.
func TestGeneratorReachesEverything(t *testing.T) {
	seen := map[string]bool{}
	documents := rapid.Custom(drawDocument)
	for seed := range 300 { // fixed, so that luck decides nothing
		d := documents.Example(seed)
		seen[d.Placement.Map.String()] = true
		seen[d.Placement.Function.String()] = true
		for name, n := range map[string]int{
			"moves": len(d.Moves), "salts": len(d.Salts), "tenants": len(d.Tenants), "cached": len(d.Cached),
		} {
			seen[fmt.Sprint(name, n > 0)] = true
		}
	}
	for _, want := range []string{
		"mod-n", "ranges", "ring", "list", "explicit", "jump", "identity", "redis-slot", "movestrue", "saltstrue", "tenantstrue",
		"cachedtrue",
	} {
		if !seen[want] {
			t.Errorf("no document with %s was drawn", want)
		}
	}
}
