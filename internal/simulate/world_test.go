package simulate

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/policy"
	"firebreak/routing"
)

// newTable is a fleet of 32 shards that places by tenant.
func newTable(tb testing.TB, change func(*routing.Document)) *routing.Table {
	tb.Helper()
	doc, err := routing.Adopt("demo", routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(32))
	if err != nil {
		tb.Fatal(err)
	}
	if change != nil {
		change(doc)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return table
}

func newWorld(tb testing.TB, cfg Config) *World {
	tb.Helper()
	w, err := New(cfg, newTable(tb, nil))
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// logged is a line as encoding/json reads it.
type logged struct {
	Millis  int64 `json:"ts_ms"`
	Service string
	Region  string
	Trace   struct {
		ID   string
		Rate float64
	}
	Req   struct{ ID, Op, Tenant, Key, Caller string }
	Shard string
	Res   struct {
		Status, Bytes int
		Micros        int `json:"us"`
	}
}

func parse(tb testing.TB, l *Line) logged {
	tb.Helper()
	var out logged
	d := json.NewDecoder(bytes.NewReader(l.Value))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		tb.Fatalf("%s: %v", l.Value, err)
	}
	return out
}

// TestLines: every line is JSON with all fields filled, of about 270 bytes, in order of time, in a partition that exists, and
// names the shard that the table gives its tenant.
func TestLines(t *testing.T) {
	w := newWorld(t, Default())
	from := w.cfg.Start
	lines := w.Step(from, from.Add(2*time.Second))
	if n := float64(len(lines)); math.Abs(n-3840) > 5*math.Sqrt(3840) {
		t.Errorf("%v lines of two seconds, want about 3840", n)
	}
	last, total, partitions := from, 0, map[int]int{}
	for i := range lines {
		l := &lines[i]
		got := parse(t, l)
		if l.Time.Before(last) || !l.Time.Before(from.Add(2*time.Second)) || got.Millis != l.Time.UnixMilli() {
			t.Fatalf("line %d is of %v (%d), after %v", i, l.Time, got.Millis, last)
		}
		at := w.Table().Locate([]byte(got.Req.Tenant), []byte(got.Req.Key))
		if want := w.Table().Document().Shards[at.Shard].Name; got.Shard != want {
			t.Fatalf("tenant %s is logged at %s, lies on %s", got.Req.Tenant, got.Shard, want)
		}
		if got.Trace.Rate != 0.01 || len(got.Trace.ID) != 32 || len(got.Req.ID) != 8 || got.Req.Caller == "" || got.Res.Micros < 100 || got.Res.Bytes < 64 ||
			got.Region == "" || got.Service == "" || got.Req.Op != "GET" && got.Req.Op != "PUT" || !strings.Contains(got.Req.Key, ":") {
			t.Fatalf("line %s", l.Value)
		}
		if len(l.Value) > lineSize {
			t.Fatalf("%d bytes, no room was made for more than %d", len(l.Value), lineSize)
		}
		last = l.Time
		total += len(l.Value)
		partitions[l.Partition]++
	}
	if mean := total / len(lines); mean < 260 || mean > 280 {
		t.Errorf("a line has %d bytes, want about 270", mean)
	}
	if len(partitions) != 12 || partitions[0] == 0 || partitions[11] == 0 {
		t.Errorf("partitions %v, want 0 to 11", partitions)
	}
}

// TestDeterministic: the same stretch is the same, alone and in parts, and other seeds tell it otherwise.
func TestDeterministic(t *testing.T) {
	cfg := Default()
	cfg.Tenants = 1000
	from := cfg.Start.Add(lead - time.Second)
	whole := newWorld(t, cfg).Step(from, from.Add(3*time.Second))
	w := newWorld(t, cfg)
	var parts []Line
	for at := from; at.Before(from.Add(3 * time.Second)); at = at.Add(100 * time.Millisecond) {
		parts = append(parts, w.Step(at, at.Add(100*time.Millisecond))...)
	}
	if !slices.EqualFunc(whole, parts, same) {
		t.Errorf("%d lines in one step, %d or others in many", len(whole), len(parts))
	}
	cfg.Seed++
	if other := newWorld(t, cfg).Step(from, from.Add(3*time.Second)); slices.EqualFunc(whole, other, same) {
		t.Error("another seed gives the same log")
	}
	if none := w.Step(from, from); len(none) != 0 {
		t.Errorf("no time gives %d lines", len(none))
	}
}

func same(a, b Line) bool {
	return a.Partition == b.Partition && a.Time.Equal(b.Time) && bytes.Equal(a.Value, b.Value)
}

// TestDemandIsLogged: requests logged on each shard, by their rate, are what the shards were asked for, in each act, and
// what is over the capacity is refused.
func TestDemandIsLogged(t *testing.T) {
	w := newWorld(t, Default())
	for _, at := range append([]Scene{{From: w.cfg.Start}}, w.Scenes(w.cfg.Start.Add(Length))...) {
		want := w.Demand(at.From.Add(5 * time.Second))
		got, refused := map[string]float64{}, map[string]float64{}
		lines := w.Step(at.From, at.From.Add(10*time.Second))
		for i := range lines {
			l := parse(t, &lines[i])
			got[l.Shard] += 1 / l.Trace.Rate / 10
			if l.Res.Status == 429 {
				refused[l.Shard] += 1 / l.Trace.Rate / 10
			}
		}
		for i, s := range w.Table().Document().Shards {
			// 100 requests a line, 10 s: sd = sqrt(10 x load).
			if sd := math.Sqrt(10 * want[i]); math.Abs(got[s.Name]-want[i]) > 4.5*sd {
				t.Errorf("%v: %s was asked for %.0f/s, logged %.0f/s", at.Cause, s.Name, want[i], got[s.Name])
			}
			if over := max(0, want[i]-w.cfg.Capacity); math.Abs(refused[s.Name]-over) > 4.5*math.Sqrt(10*over)+1 {
				t.Errorf("%v: %s is %.0f/s over its capacity, refused %.0f/s", at.Cause, s.Name, over, refused[s.Name])
			}
		}
	}
}

// TestStory: three causes on three shards that were calm, each hot by nothing but what is planted, for every seed.
func TestStory(t *testing.T) {
	for seed := range uint64(20) {
		cfg := Default()
		cfg.Seed = seed
		w := newWorld(t, cfg)
		scenes := w.Scenes(cfg.Start.Add(2 * Length))
		var causes []policy.Cause
		for i, s := range scenes {
			causes = append(causes, s.Cause)
			id := shardID(w, s.Shard)
			before, during := w.Demand(s.From.Add(-time.Second)), w.Demand(s.From)
			if full := before[id] / cfg.Capacity; full > 0.5 {
				t.Errorf("seed %d: %s is %.0f %% full before its act", seed, s.Shard, 100*full)
			}
			if full := during[id] / cfg.Capacity; full < 0.85 {
				t.Errorf("seed %d: %v leaves %s %.0f %% full", seed, s.Cause, s.Shard, 100*full)
			}
			for other, load := range during {
				if other != int(id) && load > 0.65*cfg.Capacity {
					t.Errorf("seed %d: during %v shard-%d is asked for %.0f/s too", seed, s.Cause, other, load)
				}
			}
			if got := w.Truth(s.From); got.Shard != s.Shard || w.Truth(s.To).Rate != 0 || w.Truth(s.From.Add(-1)).Rate != 0 {
				t.Errorf("seed %d: Truth at %v is %+v", seed, s.From, got)
			}
			if i%3 > 0 && s.Shard == scenes[i-1].Shard {
				t.Errorf("seed %d: two acts in a row on %s", seed, s.Shard)
			}
			if s.Tenant != "" && w.Table().Locate([]byte(s.Tenant), nil).Shard != id {
				t.Errorf("seed %d: %s does not lie on %s", seed, s.Tenant, s.Shard)
			}
		}
		act := []policy.Cause{policy.CauseHotKey, policy.CauseWhaleTenant, policy.CauseVolume}
		if diff := cmp.Diff(append(act, act...), causes); diff != "" {
			t.Fatalf("seed %d: story (-want +got):\n%s", seed, diff)
		}
	}
}

func shardID(w *World, name string) routing.ShardID {
	for i, s := range w.Table().Document().Shards {
		if s.Name == name {
			return routing.ShardID(i)
		}
	}
	return routing.NoShard
}
