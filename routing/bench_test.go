package routing

import (
	"fmt"
	"strings"
	"testing"
)

// hotPaths are look-ups that clients and the pipeline do for every request. They may not allocate.
func hotPaths(t testing.TB) map[string]func() {
	t.Helper()
	paths := map[string]func(){}
	tenant, key, long := []byte("tenant-17"), []byte("user:1234567:cart"), []byte(strings.Repeat("k", 1000))
	add := func(name string, d *Document, tenant, key []byte) {
		table := mustTable(t, d)
		paths[name] = func() { table.Locate(tenant, key) }
	}
	fleet := func(bytes string, f Function, m OwnerMap) *Document {
		return mustAdopt(t, Placement{Bytes: bytes, Function: f, Map: m}, NumberedShards(16))
	}
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, CassandraMurmur3, Jump} {
		add("key/"+f.String(), fleet("key", f, ModN), tenant, key)
		add("template/"+f.String(), fleet("{tenant}:{key}", f, ModN), tenant, key)
	}
	add("long/template", fleet("{tenant}:{key}", XXH64, ModN), tenant, long)
	add("ring/xxh64", fleet("key", XXH64, Ring), tenant, key)
	add("ring/md5", fleet("key", MD5, Ring), tenant, key)
	d := fleet("tenant,key", XXH64, ModN)
	d.Moves = []Move{{1, 2}, {3, 4}}
	d.Tenants = []TenantPlacement{{"whale", []ShardID{1, 2}}}
	for i := range 20 {
		d.Salts = append(d.Salts, Salt{
			Tenant: "tenant-17", Key: fmt.Sprint("hot", i), Suffixes: []uint32{0, 3, 9, 12}, Read: 4, Write: 4,
		})
	}
	add("exceptions/none", d, tenant, key)
	add("exceptions/salted", d, tenant, []byte("hot7"))
	add("exceptions/placed", d, []byte("whale"), key)
	table := mustTable(t, d)
	var route Route
	paths["route/salted"] = func() { table.Route(&route, tenant, []byte("hot7")) }
	pieces := make([]Piece, 0, 8)
	paths["pieces"] = func() { pieces = table.Pieces(tenant, []byte("hot7"), pieces[:0]) }
	physical := []byte("user:1234567:cart#31")
	paths["logical-key"] = func() { table.LogicalKey(physical) }
	buf := make([]byte, 0, 64)
	paths["piece-key"] = func() { buf = table.AppendPieceKey(buf[:0], key, 31) }
	paths["piece-shard"] = func() { table.PieceShard(tenant, key, 31) }
	return paths
}

func TestLookUpAllocatesNothing(t *testing.T) {
	for name, look := range hotPaths(t) {
		if got := testing.AllocsPerRun(200, look); got != 0 {
			t.Errorf("%s: %v allocations a look-up, want 0", name, got)
		}
	}
}

func BenchmarkLookUp(b *testing.B) {
	for name, look := range hotPaths(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				look()
			}
		})
	}
}

// BenchmarkCandidate compiles a candidate table, as the policy does dozens of times an evaluation.
func BenchmarkCandidate(b *testing.B) {
	for _, n := range []int{16, 512} {
		d := mustAdopt(b, Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(n))
		table := mustTable(b, d)
		salted := d.Clone()
		salted.Salts = []Salt{{Key: "hot", Suffixes: []uint32{0, 1, 2, 3, 4, 5, 6, 7}, Read: 8, Write: 8}}
		moved := d.Clone()
		for v := range 64 {
			moved.Moves = append(moved.Moves, Move{VShard(v * 16), 1})
		}
		for name, candidate := range map[string]*Document{"salt": salted, "moves": moved} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := table.With(candidate); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	ring := mustAdopt(b, Placement{Bytes: "key", Function: MD5, Map: Ring}, NumberedShards(64))
	table := mustTable(b, ring)
	b.Run("ring/64", func(b *testing.B) {
		for b.Loop() {
			if _, err := table.With(ring); err != nil {
				b.Fatal(err)
			}
		}
	})
	mod := mustAdopt(b, Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(16))
	b.Run("new/16", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewTable(mod); err != nil {
				b.Fatal(err)
			}
		}
	})
}
