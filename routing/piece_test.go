package routing

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func pieceTable(t testing.TB, f Function, bytes string) *Table {
	t.Helper()
	return mustTable(t, mustAdopt(t, Placement{Bytes: bytes, Function: f, Map: ModN}, NumberedShards(16)))
}

func TestAppendPieceKey(t *testing.T) {
	for _, tc := range []struct {
		f         Function
		key, want string
	}{
		{XXH64, "key", "key#3"},
		{XXH64, "{user1}:cart", "{user1}:cart#3"},
		{RedisSlot, "{user1}:cart", "{user1#3}:cart"},
		{RedisSlot, "a{user1}{b}", "a{user1#3}{b}"},
		{RedisSlot, "{}user1", "{}user1#3"},
		{RedisSlot, "plain", "plain#3"},
	} {
		table := pieceTable(t, tc.f, "key")
		got := table.AppendPieceKey([]byte("x"), []byte(tc.key), 3)
		if string(got) != "x"+tc.want {
			t.Errorf("%s: piece 3 of %q = %q, want %q", tc.f, tc.key, got[1:], tc.want)
		}
	}
}

func TestLogicalKey(t *testing.T) {
	for _, tc := range []struct {
		f              Function
		physical, want string
		suffix         uint32
		ok             bool
	}{
		{XXH64, "key#3", "key", 3, true},
		{XXH64, "key#0", "key", 0, true},
		{XXH64, "key#4294967295", "key", 1<<32 - 1, true},
		{XXH64, "a#1#2", "a#1", 2, true},
		{XXH64, "key#4294967296", "", 0, false},
		{XXH64, "key#99999999999", "", 0, false},
		{XXH64, "key#03", "", 0, false},
		{XXH64, "key#+3", "", 0, false},
		{XXH64, "key#", "", 0, false},
		{XXH64, "key", "", 0, false},
		{XXH64, "", "", 0, false},
		{RedisSlot, "{user1#3}:cart", "{user1}:cart", 3, true},
		{RedisSlot, "{user1}:cart#3", "", 0, false}, // a piece of a tagged key has its suffix inside the tag
		{RedisSlot, "{#3}foo", "", 0, false},        // no key has an empty tag
		{RedisSlot, "{}foo#3", "{}foo", 3, true},
	} {
		got, suffix, ok := pieceTable(t, tc.f, "key").LogicalKey([]byte(tc.physical))
		if string(got) != tc.want || suffix != tc.suffix || ok != tc.ok {
			t.Errorf("%s: LogicalKey(%q) = %q, %d, %v, want %q, %d, %v",
				tc.f, tc.physical, got, suffix, ok, tc.want, tc.suffix, tc.ok)
		}
	}
}

// TestLogicalKeyInverts: for any key, any suffix, any separator and any function.
func TestLogicalKeyInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, err := NewTable(drawDocument(t))
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			key, suffix := hostile(0, 12).Draw(t, "key"), rapid.Uint32().Draw(t, "suffix")
			physical := table.AppendPieceKey(nil, key, suffix)
			before := bytes.Clone(physical)
			got, gotSuffix, ok := table.LogicalKey(physical)
			if !ok || !bytes.Equal(got, key) || gotSuffix != suffix {
				t.Fatalf("LogicalKey(%q) = %q, %d, %v, want %q, %d", physical, got, gotSuffix, ok, key, suffix)
			}
			if !bytes.Equal(physical, before) {
				t.Fatalf("LogicalKey changed its input to %q", physical)
			}
		}
	})
}

// TestLogicalKeyNamesOnePiece: what LogicalKey takes apart, AppendPieceKey puts together again, so no other key is folded.
func TestLogicalKeyNamesOnePiece(t *testing.T) {
	folded := 0
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]Function{XXH64, RedisSlot}).Draw(t, "function")
		d, err := Adopt("f", Placement{Bytes: "key", Function: f, Map: ModN}, NumberedShards(2))
		if err != nil {
			t.Fatal(err)
		}
		table, err := NewTable(d)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			physical := append(hostile(0, 6).Draw(t, "physical"), rapid.SampledFrom([]string{"", "#7", "#7}", "{#7}"}).Draw(t, "end")...)
			logical, suffix, ok := table.LogicalKey(physical)
			if !ok {
				continue
			}
			folded++
			if got := table.AppendPieceKey(nil, logical, suffix); !bytes.Equal(got, physical) {
				t.Fatalf("LogicalKey(%q) = %q, %d, whose piece is %q", physical, logical, suffix, got)
			}
		}
	})
	if folded < 50 {
		t.Errorf("%d keys had the form of a piece, want 50: the property shows nothing", folded)
	}
}

// TestPieceLiesWhereItsKeyIsHashed: a client that knows no salts finds a piece by its physical key, where placement hashes
// the key.
func TestPieceLiesWhereItsKeyIsHashed(t *testing.T) {
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, Jump} {
		for _, b := range []string{"key", "tenant,key", "{tenant}:{key}"} {
			table := pieceTable(t, f, b)
			tenant, key := []byte("acme"), []byte("{user1}:cart")
			for suffix := range uint32(50) {
				v, s := table.PiecePlace(tenant, key, suffix)
				want := table.VShard(tenant, table.AppendPieceKey(nil, key, suffix))
				if v != want || s != table.Owner(want) || s != table.PieceShard(tenant, key, suffix) {
					t.Fatalf("%s of %s: piece %d lies on (%d, %d), its key on %d", f, b, suffix, v, s, want)
				}
			}
		}
	}
}

// TestSuffixSearchReachesAllShards: also where the key is not hashed at all, as a salt changes the bytes.
func TestSuffixSearchReachesAllShards(t *testing.T) {
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, Jump} {
		for _, b := range []string{"key", "tenant", "tenant,key"} {
			table := pieceTable(t, f, b)
			var seen []ShardID
			for suffix := range uint32(2000) {
				if s := table.PieceShard([]byte("acme"), []byte("{user1}:cart"), suffix); !slices.Contains(seen, s) {
					seen = append(seen, s)
				}
			}
			if len(seen) != 16 {
				t.Errorf("%s of %s: 2,000 suffixes reach %d of 16 shards", f, b, len(seen))
			}
		}
	}
}

// TestPiecesFollowThePlacedTenant: the salt changes the bytes first, then the tenant's placement names the shards.
func TestPiecesFollowThePlacedTenant(t *testing.T) {
	d := mustAdopt(t, Placement{Bytes: "key", Function: XXH64, Map: ModN}, append(NumberedShards(8),
		Shard{Name: "d1", Role: Dedicated}, Shard{Name: "d2", Role: Dedicated}))
	suffixes := []uint32{0}
	for i := range uint32(31) {
		suffixes = append(suffixes, 100+i)
	}
	d.Salts = []Salt{{Key: "hot", Suffixes: suffixes, Read: 32, Write: 1}}
	d.Tenants = []TenantPlacement{{"whale", []ShardID{8, 9}}}
	table := mustTable(t, d)
	on := map[ShardID]int{}
	for i, p := range table.Pieces([]byte("whale"), []byte("hot"), nil) {
		on[p.Shard]++
		if p.Index != i || (i > 0 && p.Suffix != suffixes[i]) {
			t.Errorf("piece %d = %+v, want index %d, suffix %d", i, p, i, suffixes[i])
		}
		if one, ok := table.Piece([]byte("whale"), []byte("hot"), i); !ok || one != p {
			t.Errorf("piece %d by itself = %+v, %t, want %+v", i, one, ok, p)
		}
		if i > 0 && p.Shard != table.PieceShard([]byte("whale"), []byte("hot"), p.Suffix) {
			t.Errorf("piece %d lies on %d, the search says otherwise", i, p.Shard)
		}
	}
	for key, i := range map[string]int{"hot": 32, "not salted": 0} {
		if one, ok := table.Piece(nil, []byte(key), i); ok || one.Shard != NoShard {
			t.Errorf("piece %d of %q = %+v, want none", i, key, one)
		}
	}
	if on[8]+on[9] != 32 || on[8] < 4 || on[9] < 4 {
		t.Errorf("the pieces of a placed tenant lie on %v, want them on shards 8 and 9", on)
	}
	spreadOut := map[ShardID]bool{}
	for _, p := range table.Pieces([]byte("other"), []byte("hot"), nil) {
		spreadOut[p.Shard] = true
		if p.Shard >= 8 {
			t.Errorf("piece %+v of a tenant that is not placed", p)
		}
	}
	if len(spreadOut) < 6 {
		t.Errorf("the pieces of another tenant lie on %d shards, want most of 8", len(spreadOut))
	}
}

// TestPlacedTenantSpreadsKeys: over several shards of its own, whatever the placement hashes.
func TestPlacedTenantSpreadsKeys(t *testing.T) {
	for _, b := range []string{"key", "tenant"} {
		d := mustAdopt(t, Placement{Bytes: b, Function: XXH64, Map: ModN}, append(NumberedShards(2),
			Shard{Name: "d1", Role: Dedicated}, Shard{Name: "d2", Role: Dedicated}))
		d.Tenants = []TenantPlacement{{"whale", []ShardID{2, 3}}}
		table := mustTable(t, d)
		on := map[ShardID]int{}
		for i := range 1000 {
			on[table.Locate([]byte("whale"), strconv.AppendInt(nil, int64(i), 10)).Shard]++
		}
		if on[2] < 400 || on[3] < 400 {
			t.Errorf("by %s: 1,000 keys lie on %v, want about half each on 2 and 3", b, on)
		}
	}
}

// TestKeptSaltIsNotSalted: an entry with one piece remembers tombstones and routes as if it were not there.
func TestKeptSaltIsNotSalted(t *testing.T) {
	d := mustAdopt(t, Placement{Bytes: "key", Function: XXH64, Map: ModN}, NumberedShards(8))
	bare := mustTable(t, d).Locate(nil, []byte("hot"))
	d.Salts = []Salt{{Key: "hot", Suffixes: []uint32{0}, Read: 1, Write: 1, Tombstones: []uint32{5, 6}}}
	table := mustTable(t, d)
	if got := table.Locate(nil, []byte("hot")); got != bare {
		t.Errorf("Locate(hot) = %+v, want %+v", got, bare)
	}
	if s, ok := table.Salt([]byte("any tenant"), []byte("hot")); !ok || len(s.Tombstones) != 2 {
		t.Errorf("Salt(hot) = %+v, %v, want the entry with its tombstones", s, ok)
	}
}
