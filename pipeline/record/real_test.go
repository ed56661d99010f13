package record

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shared is where the real request logs lie, beside the repository.
const shared = "../../../shared/data"

// needShared skips a test where the real logs are absent.
func needShared(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the real request logs (../shared/data) are not on this machine")
	}
}

// tally is the exact content of a log.
type tally struct {
	Weight               float64
	Lines                int
	First, Last          int64 // Unix milliseconds
	Keys, Tenants, Pairs map[string]float64
	Ops                  map[Op]float64
	Refused              map[Reason]int
}

// readAll decodes a file and counts it exactly.
func readAll(t *testing.T, path string, cfg Config) tally {
	t.Helper()
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines, err := OpenLines(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lines.Close() }()
	d := mustDecoder(t, cfg)
	sum := tally{
		First: 1<<63 - 1, Last: NoTime, Keys: map[string]float64{}, Tenants: map[string]float64{}, Pairs: map[string]float64{},
		Ops: map[Op]float64{}, Refused: map[Reason]int{},
	}
	header := d.NeedsHeader()
	for {
		line, reason, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return sum
		}
		if err != nil {
			t.Fatal(err)
		}
		if header {
			header = false
			if err := d.Header(line); err != nil {
				t.Fatal(err)
			}
			continue
		}
		sum.add(d, line, reason)
	}
}

// add counts one line.
func (s *tally) add(d *Decoder, line []byte, reason Reason) {
	var r Record
	if reason == ReasonNone {
		reason = d.Decode(line, &r)
	}
	if reason != ReasonNone {
		s.Refused[reason]++
		return
	}
	n := r.Requests(1)
	s.Lines++
	s.Weight += n
	s.First, s.Last = min(s.First, r.Time/1e6), max(s.Last, r.Time/1e6)
	s.Keys[string(r.Key)] += n
	s.Tenants[string(r.Tenant)] += n
	s.Pairs[string(r.Tenant)+"\x00"+string(r.Key)] += n
	s.Ops[r.Op] += n
}

// truth is the part of truth/*.json that records can be held against.
type truth struct {
	Events     int     `json:"events"`
	Weight     float64 `json:"weight"`
	FirstMs    int64   `json:"first_ms"`
	LastMs     int64   `json:"last_ms"`
	Keys       int     `json:"distinct_keys"`
	Tenants    int     `json:"distinct_tenants"`
	Pairs      int     `json:"distinct_tenant_keys"`
	TopKeys    []item  `json:"top_keys"`
	TopTenants []item  `json:"top_tenants"`
	Ops        []item  `json:"ops"`
}

type item struct {
	ID     string  `json:"id"`
	Weight float64 `json:"weight"`
}

// readTruth reads the exact answers of a log.
func readTruth(t *testing.T, name string) truth {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "truth", filepath.Base(name)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var want truth
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// compare holds a tally against the truth; without tenants where these were replaced.
func (s *tally) compare(t *testing.T, want truth, tenants bool) {
	t.Helper()
	if len(s.Refused) > 0 {
		t.Errorf("refused: %v, want none", s.Refused)
	}
	got := truth{Events: s.Lines, Weight: s.Weight, FirstMs: s.First, LastMs: s.Last, Keys: len(s.Keys), Tenants: len(s.Tenants), Pairs: len(s.Pairs)}
	for _, k := range want.TopKeys {
		got.TopKeys = append(got.TopKeys, item{k.ID, s.Keys[k.ID]})
	}
	for _, k := range want.TopTenants {
		got.TopTenants = append(got.TopTenants, item{k.ID, s.Tenants[k.ID]})
	}
	if !tenants {
		got.Tenants, got.TopTenants, got.Pairs = want.Tenants, want.TopTenants, want.Pairs
	}
	got.Ops = want.Ops // words; compared by the callers that map them
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The canonical preset reads every real log in canonical form, refuses nothing and gets the exact counts.
func TestRealCanonical(t *testing.T) {
	needShared(t)
	files, err := filepath.Glob(filepath.Join(shared, "norm", "*.csv.gz"))
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv.gz")
		t.Run(name, func(t *testing.T) {
			sum := readAll(t, file, Config{Preset: "canonical"})
			sum.compare(t, readTruth(t, name), true)
			if name != "github-events" && sum.Ops[OpUnknown] > 0 {
				t.Errorf("%v requests with an unknown op", sum.Ops[OpUnknown])
			}
		})
	}
}

// The native combined log has the same keys and methods as its canonical form. Its client addresses were replaced, so
// its tenants differ.
func TestRealCombined(t *testing.T) {
	needShared(t)
	sum := readAll(t, filepath.Join(shared, "apache-access-combined.log.gz"), Config{Preset: "combined"})
	norm := readAll(t, filepath.Join(shared, "norm", "apache-access.csv.gz"), Config{})
	if diff := cmp.Diff(norm.Keys, sum.Keys); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if diff := cmp.Diff(map[Op]float64{OpRead: 9952 + 42 + 1, OpWrite: 5}, sum.Ops); diff != "" {
		t.Errorf("ops: %s", diff)
	}
	sum.compare(t, readTruth(t, "apache-access"), false)
	if len(sum.Tenants) < 1000 {
		t.Errorf("only %d clients", len(sum.Tenants))
	}
}

// The native CacheLib traces, whose columns stand in another order in each file, give the canonical form's counts.
func TestRealNative(t *testing.T) {
	needShared(t)
	kv := `
format: csv
fields: {time: op_time, tenant: usecase, key: key, op: op, count: op_count, bytes: size}
time: {unit: s}
`
	block := `
format: csv
fields: {time: op_time, tenant: user_name, key: block_id, op: op_name, count: op_count, shard: rs_shard_id, caller: host_name, bytes: io_size}
time: {unit: s}
ops:
  - {pattern: "^getChunk", op: read}
  - {pattern: "^putChunk", op: write}
`
	for _, c := range []struct {
		file, name, config string
	}{
		{"meta-kv_traces_1.csv", "meta-kv-1", kv},
		{"meta-kv_traces_2.csv", "meta-kv-2", kv},
		{"meta-block_traces_1.csv", "meta-block-1", block},
	} {
		cfg, err := parseConfig(c.config)
		if err != nil {
			t.Fatal(err)
		}
		sum := readAll(t, filepath.Join(shared, c.file), cfg)
		norm := readAll(t, filepath.Join(shared, "norm", c.name+".csv.gz"), Config{})
		if diff := cmp.Diff(norm, sum); diff != "" {
			t.Errorf("%s: %s", c.file, diff)
		}
		sum.compare(t, readTruth(t, c.name), true)
		if sum.Ops[OpUnknown] > 0 || sum.Ops[OpRead] == 0 || sum.Ops[OpWrite] == 0 {
			t.Errorf("%s: ops %v", c.file, sum.Ops)
		}
	}
}
