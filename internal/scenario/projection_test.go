package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

// drawStory draws a fleet with one hot shard of a random kind.
func drawStory(t *rapid.T) string {
	var b strings.Builder
	shards := rapid.IntRange(4, 20).Draw(t, "shards")
	place := rapid.SampledFrom([]string{"key", "tenant", "(tenant, key)"}).Draw(t, "place")
	mean := rapid.IntRange(200, 2000).Draw(t, "mean")
	fmt.Fprintf(&b, "fleet shards=%d place=%s spare=%d\n", shards, place, rapid.IntRange(0, 1).Draw(t, "spare"))
	if place == "key" && rapid.IntRange(0, 3).Draw(t, "salted") == 0 {
		fmt.Fprintf(&b, "salt K suffixes=(%d, 20)\n", rapid.IntRange(1, 9).Draw(t, "suffix"))
	}
	fmt.Fprintf(&b, "draw poisson seed=%d\n", rapid.IntRange(1, 1<<30).Draw(t, "seed"))
	reads := rapid.IntRange(0, 100).Draw(t, "reads")
	fmt.Fprintf(&b, "volume rest rate=%d keys=%d reads=%d%%\n", mean*shards, shards*rapid.IntRange(4, 30).Draw(t, "keys"), reads)
	kinds := rapid.SampledFrom([]string{"key", "key", "keys", "tenant", "warm", "volume"}).Draw(t, "kind")
	hot := float64(mean) * rapid.Float64Range(0.6, 4).Draw(t, "hot")
	hotReads := rapid.SampledFrom([]int{0, 0, 10, 40, 70, 95}).Draw(t, "hot reads")
	shard := rapid.IntRange(0, shards-1).Draw(t, "shard")
	switch kinds {
	case "key":
		fmt.Fprintf(&b, "key K rate=%.0f reads=%d%% shard=%d\n", hot, hotReads, shard)
	case "keys":
		fmt.Fprintf(&b, "key K rate=%.0f reads=%d%% shard=%d\nkey L rate=%.0f shard=%d\n", hot, hotReads, shard, hot*0.9, shard)
	case "tenant":
		fmt.Fprintf(&b, "tenant T rate=%.0f reads=%d%% keys=60 top=%d%% shard=%d\n", hot, hotReads, rapid.IntRange(2, 90).Draw(t, "top"), shard)
	case "warm":
		for i := range 4 {
			fmt.Fprintf(&b, "key w%d rate=%.0f shard=%d\n", i, hot/3, shard)
		}
	case "volume":
		fmt.Fprintf(&b, "volume V rate=%.0f keys=60 shard=%d\n", hot, shard)
	}
	return b.String()
}

// untilFiring plays a fleet pane by pane until something fires, and gives the tick at which it did.
func untilFiring(t interface{ Fatal(args ...any) }, story string, panes int) (f *fleet, before policy.State, fired bool) {
	var p Player
	if _, err := p.begin(story); err != nil {
		t.Fatal(err)
	}
	f = p.fleets[0]
	pane := f.setup.pipeline.Pane
	for range panes {
		before = f.state
		if p.feed(p.clock, pane); p.err != nil {
			t.Fatal(p.err)
		}
		p.clock += pane
		if len(f.tally.firing) > 0 {
			return f, before, true
		}
	}
	return f, before, false
}

// recordsOf draws the records of a story's first panes once more.
func recordsOf(t interface{ Fatal(args ...any) }, story string, panes int) []record.Record {
	var p Player
	if _, err := p.begin(story); err != nil {
		t.Fatal(err)
	}
	var out []record.Record
	pane := p.fleets[0].setup.pipeline.Pane
	for i := range panes {
		for _, tr := range p.fleets[0].traffic {
			for _, a := range tr.pane(nil, time.Duration(i)*pane, pane) {
				var rec record.Record
				a.record(&rec)
				out = append(out, rec)
			}
		}
	}
	return out
}

// bruteForce places every record of a window under the table that a plan makes, one by one: a salted key's writes one s-th
// on each piece, its reads on every piece, a cached key's reads nowhere. The result is load/s by shard.
func bruteForce(t interface{ Fatal(args ...any) }, before *routing.Table, plan *policy.Plan, recs []record.Record, from, to time.Time) []float64 {
	doc := before.Document().Clone()
	if err := Carry(doc, plan.Steps); err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	loads := make([]float64, table.Shards())
	cached := func(r *record.Record) bool {
		return slices.ContainsFunc(plan.Steps, func(s policy.Step) bool { return s.Kind == policy.StepCache && s.Key == string(r.Key) })
	}
	for i := range recs {
		r := &recs[i]
		if at := time.Unix(0, r.Time); at.Before(from) || !at.Before(to) {
			continue
		}
		if r.Op == record.OpRead && cached(r) {
			continue
		}
		load := r.Requests(1) / to.Sub(from).Seconds()
		if _, salted := table.Salt(r.FullTenant, r.FullKey); !salted {
			loads[table.Locate(r.FullTenant, r.FullKey).Shard] += load
			continue
		}
		pieces := table.Pieces(r.FullTenant, r.FullKey, nil)
		if r.Op == record.OpWrite {
			load /= float64(len(pieces))
		}
		for _, piece := range pieces {
			loads[piece.Shard] += load
		}
	}
	return loads
}

// meetsTarget: a plan that is shown leaves the hot shard, and every serving shard that it loads, at or under the target, by the very
// loads it was made on.
func meetsTarget(t rapid.TB, s *policy.Snapshot, plan *policy.Plan, v *policy.Verdict, story string) {
	nothing := policy.Plan{}
	now := bruteForce(t, s.Table, &nothing, recordsOf(t, story, int(v.To.Sub(start())/s.Pane)), v.From, v.To)
	doc := s.Table.Document().Clone()
	if err := Carry(doc, plan.Steps); err != nil {
		t.Fatal(err)
	}
	for i, after := range plan.Projection.Loads {
		serving := doc.Shards[i].Role == routing.Serving
		gained := i >= len(now) || after > now[i]+1e-6
		if serving && (gained || i == int(v.ShardID)) && after > v.Target*(1+1e-9) {
			t.Fatalf("%s on %s leaves %s at %v/s, target %v/s\n%s%v", plan.Fix, v.Shard, doc.Shards[i].Name, after, v.Target, story, plan.Steps)
		}
	}
}

// TestProjectionsAgreeWithBruteForce: what a plan promises for every shard is what placing every record of its window under the
// candidate table gives.
func TestProjectionsAgreeWithBruteForce(t *testing.T) {
	seen := map[policy.Fix]int{}
	rapid.Check(t, func(t *rapid.T) { agrees(t, drawStory(t), seen) })
	if testing.Short() {
		return
	}
	// Chance decides which fixes were drawn; go on with fixed draws until each was.
	stories, fixes := rapid.Custom(drawStory), []policy.Fix{policy.FixSplit, policy.FixSalt, policy.FixIsolate, policy.FixCache}
	for seed := range 1000 {
		if !slices.ContainsFunc(fixes, func(f policy.Fix) bool { return seen[f] == 0 }) {
			return
		}
		agrees(t, stories.Example(seed), seen)
	}
	t.Errorf("not every fix was seen, only %v: the test says nothing about the others", seen)
}

// agrees checks the plans of one story.
func agrees(t rapid.TB, story string, seen map[policy.Fix]int) {
	const panes = 12
	f, _, fired := untilFiring(t, story, panes)
	if !fired {
		return
	}
	recs := recordsOf(t, story, panes)
	for i := range f.tally.firing {
		v := &f.tally.firing[i]
		plan, ok := f.plans[v.Shard]
		if !ok || plan.Fix == policy.FixQuota || plan.Fix == policy.FixLimitCaller {
			continue
		}
		seen[plan.Fix]++
		want := bruteForce(t, f.last.Table, plan, recs, v.From, v.To)
		got := plan.Projection.Loads
		if len(got) != len(want) {
			t.Fatalf("%s: %d shards, want %d", plan.Fix, len(got), len(want))
		}
		meetsTarget(t, f.last, plan, v, story)
		for s := range want {
			if math.Abs(got[s]-want[s]) > 1e-9*math.Max(1, want[s]) {
				t.Fatalf("%s on %s, shard %d: projected %v/s, brute force %v/s\n%s%v", plan.Fix, v.Shard, s, got[s], want[s], story, plan.Steps)
			}
		}
	}
}
