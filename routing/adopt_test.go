package routing

import (
	"crypto/md5"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
)

func mustAdopt(t testing.TB, p Placement, shards []Shard) *Document {
	t.Helper()
	d, err := Adopt("orders", p, shards)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustTable(t testing.TB, d *Document) *Table {
	t.Helper()
	table, err := NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// fleetHash is how the existing fleet places a key: the function's value mod n, computed by other code than ours.
func fleetHash(f Function, key []byte, n int) int {
	switch f {
	case XXH64:
		return int(xxhash.Sum64(key) % uint64(n))
	case MD5:
		rest := 0 // long division of the digest, byte by byte
		for _, b := range md5.Sum(key) {
			rest = (rest<<8 | int(b)) % n
		}
		return rest
	case CRC32:
		return int(crc32.ChecksumIEEE(key) % uint32(n))
	case FNV1a:
		h := fnv.New64a()
		h.Write(key)
		return int(h.Sum64() % uint64(n))
	case KafkaMurmur2:
		return int(murmur2(key)&0x7fffffff) % n
	case RedisSlot:
		var c uint16 // bit by bit
		for _, b := range hashTag(key) {
			c ^= uint16(b) << 8
			for range 8 {
				c = c<<1 ^ 0x1021*(c>>15)
			}
		}
		return int(c%RedisSlots) % n
	case CassandraMurmur3:
		v := big.NewInt(cassandraToken(key))
		return int(v.Mod(v, big.NewInt(int64(n))).Int64())
	case Jump:
		return jump(xxhash.Sum64(key), n)
	case FunctionUnknown, Identity:
	}
	return -1
}

// TestAdoptMovesNothing places a million keys with each function that fleets take mod N, on fleets of
// awkward sizes.
func TestAdoptMovesNothing(t *testing.T) {
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, KafkaMurmur2, RedisSlot, CassandraMurmur3, Jump} {
		for n, keys := range map[int]int{12: 1_000_000, 7: 50_000, 512: 50_000} {
			if testing.Short() {
				keys /= 50
			}
			t.Run(fmt.Sprint(f, "/", n), func(t *testing.T) {
				table := mustTable(t, mustAdopt(t, Placement{Bytes: "key", Function: f, Map: ModN}, NumberedShards(n)))
				moved := 0
				var key []byte
				for i := range keys {
					key = strconv.AppendInt(append(key[:0], "user:"...), int64(i)*7919, 10)
					if got := table.Locate(nil, key).Shard; int(got) != fleetHash(f, key, n) {
						moved++
					}
				}
				if moved != 0 {
					t.Errorf("%d of %d keys moved, want 0", moved, keys)
				}
			})
		}
	}
}

func TestAdoptChoosesV(t *testing.T) {
	for _, tc := range []struct {
		p    Placement
		n    int
		want int
	}{
		{Placement{Function: XXH64, Map: ModN}, 16, 10240},
		{Placement{Function: XXH64, Map: ModN}, 1, 10240},
		{Placement{Function: MD5, Map: ModN}, 7, 10241},
		{Placement{Function: CRC32, Map: ModN}, 512, 10240},
		{Placement{Function: CRC32, Map: ModN}, 2000, 12000},
		{Placement{Function: RedisSlot, Map: ModN}, 7, 16384},
		{Placement{Function: RedisSlot, Map: List}, 3, 16384},
		{Placement{Function: CRC32, Map: List, Owners: []OwnerRun{{0, 2047, 0}, {2048, 4095, 1}}}, 2, 4096},
		{Placement{Function: XXH64, Map: Ring}, 4, 640},
		{Placement{Function: XXH64, Map: Ring, VirtualNodes: 3}, 5, 15},
		{Placement{Function: Identity, Map: Ranges, Bounds: [][]byte{[]byte("g"), []byte("p")}}, 3, 3},
		{Placement{Map: Explicit}, 5, 320},
	} {
		tc.p.Bytes = "key"
		table := mustTable(t, mustAdopt(t, tc.p, NumberedShards(tc.n)))
		if got := table.VShards(); got != tc.want {
			t.Errorf("%s over %s, %d shards: V = %d, want %d", tc.p.Map, tc.p.Function, tc.n, got, tc.want)
		}
	}
}

func TestAdoptRedisRuns(t *testing.T) {
	d := mustAdopt(t, Placement{Bytes: "key", Function: RedisSlot, Map: List}, NumberedShards(3))
	// The slots that redis-cli --cluster create gives to three masters.
	want := []OwnerRun{{0, 5460, 0}, {5461, 10922, 1}, {10923, 16383, 2}}
	if diff := cmp.Diff(want, d.Placement.Owners); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	if got := mustTable(t, d).Locate(nil, []byte("somekey")).Shard; got != 2 {
		t.Errorf(`Locate("somekey") = shard %d, want 2: its slot is 11058`, got)
	}
}

// TestAdoptCountsBaseShards keeps spares out of N, so that they own nothing until something is moved.
func TestAdoptCountsBaseShards(t *testing.T) {
	shards := append(NumberedShards(4), Shard{Name: "spare", Role: Spare})
	d := mustAdopt(t, Placement{Bytes: "key", Function: XXH64, Map: ModN}, shards)
	table := mustTable(t, d)
	if d.Placement.Shards != 4 || table.Shards() != 5 {
		t.Errorf("N = %d of %d shards, want 4 of 5", d.Placement.Shards, table.Shards())
	}
	for v := range table.VShards() {
		if table.Owner(VShard(v)) == 4 {
			t.Fatalf("virtual shard %d belongs to the spare", v)
		}
	}
	shards[0], shards[4] = shards[4], shards[0]
	if _, err := Adopt("orders", Placement{Bytes: "key", Function: XXH64, Map: ModN}, shards); err == nil {
		t.Error("Adopt with a spare before serving shards succeeded, want an error")
	}
}

func TestAdoptErrors(t *testing.T) {
	key := func(change func(p *Placement)) Placement {
		p := Placement{Bytes: "key", Function: XXH64, Map: ModN}
		change(&p)
		return p
	}
	for _, tc := range []struct {
		p    Placement
		want string
	}{
		{key(func(p *Placement) { p.Bytes = "" }), `placement.bytes: ""`},
		{key(func(p *Placement) { p.Bytes = "{user}" }), `placement.bytes: "{user}"`},
		{key(func(p *Placement) { p.Function = FunctionUnknown }), "placement.function: unknown"},
		{key(func(p *Placement) { p.Function = 77 }), "placement.function: function(77)"},
		{key(func(p *Placement) { p.Map = MapUnknown }), "placement.map: unknown"},
		{key(func(p *Placement) { p.Map = 9 }), "placement.map: owner-map(9)"},
		{key(func(p *Placement) { p.VShards = 10241 }), "placement.vshards: 10241"},
		{key(func(p *Placement) { p.VShards = 1 << 24 }), "placement.vshards: 16777216"},
		{key(func(p *Placement) { p.Shards = 17 }), "placement.shards: 17"},
		{key(func(p *Placement) { p.Shards = -1 }), "placement.shards: -1"},
		{key(func(p *Placement) { p.Separator = "#1" }), `placement.separator: "#1"`},
		{key(func(p *Placement) { p.Separator = "{" }), `placement.separator: "{"`},
		{key(func(p *Placement) { p.VirtualNodes = 3 }), "placement.virtual_nodes: 3"},
		{key(func(p *Placement) { p.Bounds = [][]byte{{1}} }), "placement.bounds: 1"},
		{key(func(p *Placement) { p.Owners = []OwnerRun{{0, 1, 0}} }), "placement.owners: 1"},
		{key(func(p *Placement) { p.Function = Identity }), "placement.function: identity"},
		{key(func(p *Placement) { p.Function, p.Map = Jump, Ring }), "placement.function: jump"},
		{key(func(p *Placement) { p.Function, p.VShards = RedisSlot, 16400 }), "placement.vshards: 16400"},
		{key(func(p *Placement) { p.Map, p.VirtualNodes = Ring, -4 }), "placement.vshards: -64"},
		{key(func(p *Placement) { p.Map, p.VShards = Ring, 99 }), "placement.vshards: 99"},
		{key(func(p *Placement) { p.Map, p.Bytes = Explicit, "tenant" }), `placement.bytes: "tenant"`},
		{key(func(p *Placement) { p.Map, p.VShards = Explicit, 64 }), "vshards 64"},
		{key(func(p *Placement) { p.Map, p.Owners = List, []OwnerRun{{0, 9, 0}, {9, 20, 1}} }), "placement.owners[1]: 9-20"},
		{key(func(p *Placement) { p.Map, p.Owners = List, []OwnerRun{{0, 9, 16}} }), "placement.owners[0].shard: 16"},
		{
			key(func(p *Placement) { p.Map, p.VShards, p.Owners = List, 20, []OwnerRun{{0, 9, 1}} }),
			"placement.owners: cover 10 of 20",
		},
		{
			key(func(p *Placement) { p.Map, p.Bounds, p.Owners = Ranges, [][]byte{[]byte("x1")}, []OwnerRun{{0, 1, 0}} }),
			`placement.bounds[0]: "x1"`,
		},
		{
			key(func(p *Placement) {
				p.Map, p.Bounds, p.Owners = Ranges, [][]byte{[]byte("7"), []byte("7")}, []OwnerRun{{0, 2, 0}}
			}),
			"placement.bounds[1]: 7",
		},
	} {
		_, err := Adopt("orders", tc.p, NumberedShards(16))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Adopt(%+v) = %v, want an error that says %q", tc.p, err, tc.want)
		}
	}
}
