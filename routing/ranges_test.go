package routing

import (
	"strconv"
	"strings"
	"testing"
)

func TestAdoptRanges(t *testing.T) {
	bounds := [][]byte{[]byte("-3074457345618258602"), []byte("0"), []byte("3074457345618258603")}
	owners := []OwnerRun{{0, 0, 2}, {1, 1, 0}, {2, 2, 1}, {3, 3, 2}}
	table := mustTable(t, mustAdopt(t,
		Placement{Bytes: "key", Function: CassandraMurmur3, Map: Ranges, Bounds: bounds, Owners: owners}, NumberedShards(3)))
	for key, want := range map[string]ShardID{ // tokens are in testdata/routing/cassandra-murmur3.txt
		"123": 2, "9223372036854775807": 2, "\xff\x01\x02\x03": 0, "\x00\xff\xff\xff": 1,
	} {
		if got := table.Locate(nil, []byte(key)).Shard; got != want {
			t.Errorf("Locate(%q) = shard %d, want %d (token %d)", key, got, want, cassandraToken([]byte(key)))
		}
	}
	keys := mustTable(t, mustAdopt(t,
		Placement{Bytes: "key", Function: Identity, Map: Ranges, Bounds: [][]byte{[]byte("g"), []byte("p")}}, NumberedShards(3)))
	for key, want := range map[string]ShardID{"": 0, "fzz": 0, "g": 1, "g\x00": 1, "ozz\xff": 1, "p": 2, "\xff": 2} {
		if got := keys.Locate(nil, []byte(key)).Shard; got != want {
			t.Errorf("Locate(%q) = shard %d, want %d", key, got, want)
		}
	}
}

func TestBoundRange(t *testing.T) {
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, CassandraMurmur3} {
		low, high := boundRange(f)
		at, err := parseBound(f, low)
		if err != nil || at != (wide{}) {
			t.Errorf("parseBound(%s, %s) = %v, %v, want 0", f, low, at, err)
		}
		if _, err := parseBound(f, high); err != nil {
			t.Errorf("parseBound(%s, %s): %v", f, high, err)
		}
		for _, bad := range []string{"", "-", "+1", "01", "-0", "1.5", "-1e3", strings.Repeat("9", 39), high + "0", "-9" + high} {
			if at, err := parseBound(f, bad); err == nil {
				t.Errorf("parseBound(%s, %q) = %v, want an error", f, bad, at)
			}
		}
	}
}

// TestJumpSubdivides wants the virtual shards of one bucket to be evenly filled: else a bucket could not be split.
func TestJumpSubdivides(t *testing.T) {
	table := mustTable(t, mustAdopt(t, Placement{Bytes: "key", Function: Jump, Map: ModN}, NumberedShards(512)))
	counts := make([]float64, table.VShards())
	const keys = 200_000
	for i := range keys {
		counts[table.VShard(nil, strconv.AppendInt(nil, int64(i), 10))]++
	}
	mean, chi := float64(keys)/float64(len(counts)), 0.0
	for _, c := range counts {
		chi += (c - mean) * (c - mean) / mean
	}
	// 10,239 degrees of freedom: mean 10,239, standard deviation 143; six of them.
	if chi < 10239-858 || chi > 10239+858 {
		t.Errorf("chi square of the virtual shards = %.0f, want 10239 +- 858", chi)
	}
}
