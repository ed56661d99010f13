package scenario

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/record"
	"firebreak/policy"
)

// sums adds up what a story's first panes bring, by key and op.
func sums(t *testing.T, story string, panes int) (requests map[string]float64, lines int) {
	t.Helper()
	requests = map[string]float64{}
	for _, r := range recordsOf(t, story, panes) {
		requests[string(r.Key)+" "+r.Op.String()] += r.Requests(1)
		lines++
	}
	return requests, lines
}

func TestExactDrawsAreTheExpectation(t *testing.T) {
	got, lines := sums(t, "fleet shards=4\nkey K rate=100 reads=30%\nkey L rate=0.05 reads=100%", 60)
	want := map[string]float64{"K read": 18000, "K write": 42000, "L read": 30}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests in ten minutes (-want +got):\n%s", diff)
	}
	if lines > 60*2+30 {
		t.Errorf("%d records, want one for each op and pane", lines)
	}
}

func TestDrawnTraffic(t *testing.T) {
	for name, tt := range map[string]struct {
		story    string
		lines    float64 // expected number
		variance float64 // of the number of lines
	}{
		"complete": {"fleet shards=4\ndraw poisson seed=1\nvolume v rate=100 keys=64 fresh", 60000, 60000},
		"sampled":  {"fleet shards=4\ndraw poisson seed=1\nvolume v rate=10000 keys=64 sample=1:100", 60000, 60000},
		"clumped":  {"fleet shards=4\ndraw poisson seed=1\nvolume v rate=10000 keys=64 sample=1:100 clump=10", 60000, 600000},
	} {
		t.Run(name, func(t *testing.T) {
			requests, lines := sums(t, tt.story, 60)
			if off := math.Abs(float64(lines) - tt.lines); off > 4*math.Sqrt(tt.variance) {
				t.Errorf("%d lines, want %v within four standard deviations", lines, tt.lines)
			}
			if name == "complete" && len(requests) != lines {
				t.Errorf("%d keys in %d lines, want each its own", len(requests), lines)
			}
		})
	}
}

func TestPoissonMoments(t *testing.T) {
	f, _, err := newFleet(&setup{name: "f", pipeline: mustFleet(t, "fleet").pipeline, judge: policy.Default(), seed: 7, warmup: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	rng := newTraffic(f, &streamSpec{}, nil, 0).rng
	for _, mean := range []float64{0.2, 3, 29, 200} {
		const n = 20000
		var sum, squares float64
		for range n {
			x := poisson(rng, mean)
			sum, squares = sum+x, squares+x*x
		}
		m := sum / n
		if v := squares/n - m*m; math.Abs(m-mean) > 5*math.Sqrt(mean/n) || math.Abs(v/mean-1) > 0.1 {
			t.Errorf("mean %v: got mean %v, variance %v", mean, m, v)
		}
	}
}

func mustFleet(t *testing.T, story string) *setup {
	t.Helper()
	fleets, err := parseStory(story)
	if err != nil {
		t.Fatal(err)
	}
	return fleets[0]
}

func TestShapes(t *testing.T) {
	pane := 10 * time.Second
	for name, tt := range map[string]struct {
		args    string
		at      time.Duration
		seconds float64 // of full rate in the pane
	}{
		"constant":      {"", 0, 10},
		"before":        {"from=1m", 50 * time.Second, 0},
		"inside a pane": {"from=55s", 50 * time.Second, 5},
		"cut off":       {"until=53s", 50 * time.Second, 3},
		"half the ramp": {"ramp=20s", 0, 2.5},
		"after a ramp":  {"ramp=20s", 20 * time.Second, 10},
		"flap off":      {"flap=(10s, 20s)", 40 * time.Second, 0},
		"flap on":       {"flap=(10s, 20s)", 30 * time.Second, 10},
		"whole wave":    {"wave=(50%, 10s)", 0, 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustFleet(t, "fleet\nkey K rate=1 "+tt.args)
			p := s.streams[0].shape.over(tt.at, pane)
			if math.Abs(p.seconds()-tt.seconds) > 1e-9 {
				t.Errorf("%v seconds, want %v", p.seconds(), tt.seconds)
			}
			if p.seconds() == 0 {
				return
			}
			for _, x := range []float64{0.01, 0.25, 0.5, 0.999} {
				at := p.at(x, pane)
				if at < 0 || at >= pane || s.streams[0].shape.factor(tt.at+at) == 0 {
					t.Errorf("the share %v comes %v into the pane, where there is none", x, at)
				}
			}
		})
	}
}

// TestPlaces: keys fall where the story says, the same number on each shard, and a log of shards names the pieces of a salted key.
func TestPlaces(t *testing.T) {
	on := func(story string) map[int]int {
		f, _, err := newFleet(mustFleet(t, story))
		if err != nil {
			t.Fatal(err)
		}
		got := map[int]int{}
		for _, c := range f.traffic[0].cells {
			got[int(f.table.Locate(c.tenant, c.key).Shard)]++
		}
		return got
	}
	even := map[int]int{0: 8, 1: 8, 2: 8, 3: 8}
	for story, want := range map[string]map[int]int{
		"fleet shards=4\nvolume v rate=1 keys=32":                                           even,
		"fleet shards=4 place=tenant\nvolume v rate=1 keys=32":                              even,
		"fleet shards=4 place=(tenant, key)\nvolume v rate=1 keys=32":                       even,
		"fleet shards=4\nvolume v rate=1 keys=32 shard=2":                                   {2: 32},
		"fleet shards=4 place=tenant\ntenant v rate=1 keys=32 shard=2":                      {2: 32},
		"fleet shards=4\nkey v rate=1 shard=2 reads=50%":                                    {2: 2},
		"fleet shards=2 dedicated=1\nplaced v shards=(dedicated-0)\ntenant v rate=1 keys=3": {2: 3},
	} {
		if diff := cmp.Diff(want, on(story)); diff != "" {
			t.Errorf("%s\nkeys by shard (-want +got):\n%s", story, diff)
		}
	}
	got := map[string]float64{}
	for _, r := range recordsOf(t, "fleet shards=4 log=shard\nsalt K suffixes=(3, 7)\nkey K rate=30 reads=50% skew=50%", 1) {
		got[string(r.Key)+" "+r.Op.String()] += r.Requests(1)
	}
	want := map[string]float64{"K read": 150, "K#3 read": 150, "K#7 read": 150, "K write": 75, "K#3 write": 37, "K#7 write": 37}
	for k, n := range want {
		if math.Abs(got[k]-n) > 1 {
			t.Errorf("%s: %v requests, want %v", k, got[k], n)
		}
	}
}

func TestUnratedAndStripped(t *testing.T) {
	unrated, n := 0, 0
	for _, r := range recordsOf(t, "fleet shards=4 without=(tenant, op, key, time)\nkey K rate=1000 sample=1:10 unrated=25%", 10) {
		if n++; r.Rate == 0 {
			unrated++
		}
		if r.Tenant != nil || r.Key != nil || r.Op != record.OpUnknown || r.Time != record.NoTime {
			t.Fatalf("%+v, want nothing that the log leaves out", r)
		}
	}
	if n != 10000 || unrated != 2500 {
		t.Errorf("%d of %d lines lack a rate, want 2,500 of 10,000", unrated, n)
	}
}
