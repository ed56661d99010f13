package routing

import (
	"bufio"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// vectors reads the lines of a file of testdata/routing: blank-separated fields, quoted ones unquoted, # comments left out.
func vectors(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "routing", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var row []string
		for line != "" {
			quoted, err := strconv.QuotedPrefix(line)
			field, rest := "", ""
			if err == nil {
				rest = line[len(quoted):]
				if field, err = strconv.Unquote(quoted); err != nil {
					t.Fatalf("%s: %s: %v", name, quoted, err)
				}
			} else {
				field, rest, _ = strings.Cut(line, " ")
			}
			row = append(row, field)
			line = strings.TrimSpace(rest)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 10 {
		t.Fatalf("%s: %d vectors, want at least 10", name, len(rows))
	}
	return rows
}

// decimal writes w as an unsigned decimal number.
func decimal(w wide) string {
	if w.hi == 0 {
		return strconv.FormatUint(w.lo, 10)
	}
	var digits []byte
	for w.hi != 0 || w.lo != 0 {
		var r uint64
		hi := w.hi / 10
		w.lo, r = bits.Div64(w.hi%10, w.lo, 10)
		w.hi = hi
		digits = append(digits, byte('0'+r))
	}
	slices.Reverse(digits)
	return string(digits)
}

func TestFunctionVectors(t *testing.T) {
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, CassandraMurmur3} {
		t.Run(f.String(), func(t *testing.T) {
			h := newHasher(f)
			for _, row := range vectors(t, f.String()) {
				got := decimal(h.value([]byte(row[0])))
				if f == CassandraMurmur3 {
					got = strconv.FormatInt(int64(h.value([]byte(row[0])).lo), 10)
				}
				if got != row[1] {
					t.Errorf("%s(%q) = %s, want %s", f, row[0], got, row[1])
				}
			}
		})
	}
}

// TestBoundsReadVectors reads every published value as a bound: it must come out as the position of its bytes.
func TestBoundsReadVectors(t *testing.T) {
	for _, f := range []Function{XXH64, MD5, CRC32, FNV1a, RedisSlot, KafkaMurmur2, CassandraMurmur3} {
		h := newHasher(f)
		for _, row := range vectors(t, f.String()) {
			at, err := parseBound(f, row[1])
			if err != nil || at != h.position([]byte(row[0])) {
				t.Errorf("parseBound(%s, %s) = %v, %v, want %v", f, row[1], at, err, h.position([]byte(row[0])))
			}
		}
	}
}

func TestJumpVectors(t *testing.T) {
	for _, row := range vectors(t, "jump") {
		key, err := strconv.ParseUint(row[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := strconv.Itoa(jump(key, n)); got != row[2] {
			t.Errorf("jump(%d, %d) = %s, want %s", key, n, got, row[2])
		}
	}
}

func TestRingVectors(t *testing.T) {
	shards := []Shard{{Name: "cache-a"}, {Name: "cache-b"}, {Name: "cache-c"}, {Name: "cache-d"}}
	for i := range shards {
		shards[i].Role = Serving
	}
	table := mustTable(t, mustAdopt(t, Placement{Bytes: "key", Function: MD5, Map: Ring, VirtualNodes: 40}, shards))
	if got, want := table.VShards(), 160; got != want {
		t.Errorf("VShards() = %d, want %d, one a segment", got, want)
	}
	for _, row := range vectors(t, "ring") {
		if got := table.Locate(nil, []byte(row[0])).Shard; strconv.Itoa(int(got)) != row[1] {
			t.Errorf("Locate(%q) = shard %d, want %s", row[0], got, row[1])
		}
	}
}

func TestPlacementBytesVectors(t *testing.T) {
	for _, row := range vectors(t, "bytes") {
		parts, err := parseTemplate(row[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := appendParts(nil, parts, []byte(row[1]), []byte(row[2])); string(got) != row[3] {
			t.Errorf("bytes of %q for tenant %q, key %q = %q, want %q", row[0], row[1], row[2], got, row[3])
		}
		// The compiled look-up hashes just these bytes, whatever way it takes.
		table := mustTable(t, mustAdopt(t, Placement{Bytes: row[0], Function: FNV1a, Map: ModN}, NumberedShards(7)))
		want := VShard(fnv1a([]byte(row[3])) % uint64(table.VShards()))
		if got := table.VShard([]byte(row[1]), []byte(row[2])); got != want {
			t.Errorf("VShard by %q of tenant %q, key %q = %d, want %d", row[0], row[1], row[2], got, want)
		}
	}
}

func TestTemplateErrors(t *testing.T) {
	for _, s := range []string{
		"", "Key", "{Key}", "{tenant", "tenant}", "{}", "{{key}}", "plain", "{key}{", strings.Repeat("{key},", 9),
	} {
		if parts, err := parseTemplate(s); err == nil {
			t.Errorf("parseTemplate(%q) = %v, want an error", s, parts)
		}
	}
}
