package policy

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/routing"
)

// acting is a fleet of four shards whose virtual shards bear the same, and a world in which nothing stands in a plan's way.
func acting(t rapid.TB) *Snapshot {
	t.Helper()
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN, VShards: 40}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	s := &Snapshot{Fleet: "orders", Table: table, Pane: 10 * time.Second}
	pane := Pane{}
	for v := range 40 {
		pane.VShards = append(pane.VShards, VShardSums{VShard: routing.VShard(v), Sums: Sums{Load: 1000}})
	}
	s.Panes = []Pane{pane}
	s.World.Clients.Routed = true
	return s
}

// TestOnlyDeclaredKeys: in no mode, with whatever approval, is a plan ready that salts or caches a key which no key space declares for it.
func TestOnlyDeclaredKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cfg, now := acting(t), Default(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		cfg.Mode = rapid.SampledFrom(modes()).Draw(t, "mode")
		if rapid.Bool().Draw(t, "per fix") {
			cfg.Modes = map[Fix]Mode{FixSalt: rapid.SampledFrom(modes()).Draw(t, "salt"), FixCache: rapid.SampledFrom(modes()).Draw(t, "cache")}
		}
		cfg.Approvers = []string{"ann"}
		for range rapid.IntRange(0, 3).Draw(t, "spaces") {
			cfg.KeySpaces = append(cfg.KeySpaces, KeySpace{
				Prefix: rapid.SampledFrom([]string{"", "f", "feed", "feeds", "cart"}).Draw(t, "prefix"), Tenant: rapid.SampledFrom([]string{"", "acme", "other"}).Draw(t, "tenant"),
				Merge: rapid.SampledFrom([]string{"", "counter"}).Draw(t, "merge"), Staleness: rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "staleness"),
			})
		}
		p := Plan{ID: "p", Hotspot: "h", Fix: rapid.SampledFrom([]Fix{FixSalt, FixCache, FixSplit}).Draw(t, "fix")}
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			kind := rapid.SampledFrom([]StepKind{StepSalt, StepCache, StepMove}).Draw(t, "kind")
			p.Steps = append(p.Steps, Step{Kind: kind, Key: rapid.SampledFrom([]string{"feed", "cart:1", "x"}).Draw(t, "key"), Tenant: rapid.SampledFrom([]string{"", "acme"}).Draw(t, "of")})
		}
		if rapid.Bool().Draw(t, "approved") {
			s.World.Approvals = []Approval{{Plan: "p", By: "ann", At: now}}
		}
		ready := len(holdPlan(s, &cfg, &State{}, &p, &Verdict{ShardID: 0}, now)) == 0
		for _, step := range p.Steps {
			first := slices.IndexFunc(cfg.KeySpaces, func(k KeySpace) bool {
				return len(step.Key) >= len(k.Prefix) && step.Key[:len(k.Prefix)] == k.Prefix && (k.Tenant == "" || k.Tenant == step.Tenant)
			})
			may := first >= 0 && (step.Kind != StepSalt || cfg.KeySpaces[first].Merge != "") && (step.Kind != StepCache || cfg.KeySpaces[first].Staleness > 0)
			if ready && step.Kind != StepMove && !may {
				t.Fatalf("ready: %+v with %+v", step, cfg.KeySpaces)
			}
		}
	})
}

// TestOneOperationForAHotspot: while one is open, no plan for the same hotspot or shard is ready, however far apart their entries lie.
func TestOneOperationForAHotspot(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	open := Operation{ID: "1", Hotspot: "h", Shard: 0, Footprint: []routing.Entry{routing.VShardEntry(0)}}
	for name, c := range map[string]struct {
		change func(o *Operation)
		want   []HoldReason
	}{
		"of the hotspot":   {func(o *Operation) { o.Shard = routing.NoShard }, []HoldReason{HoldFootprintInUse}},
		"on the shard":     {func(o *Operation) { o.Hotspot = "another" }, []HoldReason{HoldFootprintInUse}},
		"of neither":       {func(o *Operation) { o.Hotspot, o.Shard = "another", 2 }, nil},
		"nobody's":         {func(o *Operation) { o.Hotspot, o.Shard = "", routing.NoShard }, nil},
		"settled just now": {func(o *Operation) { o.Settled = now.Add(-time.Minute) }, []HoldReason{HoldCoolDown}},
		"settled long ago": {func(o *Operation) { o.Settled = now.Add(-time.Hour) }, nil},
		"without effect":   {func(o *Operation) { o.Settled, o.NoEffect = now.Add(-time.Hour), true }, []HoldReason{HoldNoEffect}},
	} {
		s, cfg, o := acting(t), Default(), open
		cfg.Mode = ModeAuto
		c.change(&o)
		s.World.Operations = []Operation{o}
		p := Plan{ID: "p", Hotspot: "h", Fix: FixSplit, Footprint: []routing.Entry{routing.VShardEntry(4)}}
		var got []HoldReason
		for _, h := range holdPlan(s, &cfg, &State{}, &p, &Verdict{ShardID: 0}, now) {
			got = append(got, h.Reason)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestHeavyVShardWantsAPerson: a split is cut to the cap, and one virtual shard cannot be.
func TestHeavyVShardWantsAPerson(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for load, want := range map[float64]bool{4000: false, 5000: true} { // of 43,000 and 44,000
		for _, mode := range []Mode{ModeAuto, ModeApprove} {
			s, cfg := acting(t), Default()
			cfg.Mode, cfg.Approvers = mode, []string{"ann"}
			s.World.Approvals = []Approval{{Plan: "p", By: "ann", At: now}}
			s.Panes[0].VShards[4].Load = load
			p := Plan{ID: "p", Hotspot: "h", Fix: FixSplit, Steps: []Step{{Kind: StepMove, Moves: []routing.Move{{VShard: 0, To: 1}, {VShard: 4, To: 2}}}}}
			holds := holdPlan(s, &cfg, &State{}, &p, &Verdict{ShardID: 0}, now)
			if got := len(holds) == 1 && holds[0].Reason == HoldCap; got != (want && mode == ModeAuto) {
				t.Errorf("%.0f in mode %s: %v", load, mode, holds)
			}
		}
	}
}

// TestCutMoves: no part moves more than it may but for a virtual shard that alone does, no two parts could be one, all are moved, and those
// of a part are in their order.
func TestCutMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, most := acting(t), rapid.Float64Range(0.01, 0.3).Draw(t, "most")
		var moves []routing.Move
		for v := range rapid.IntRange(0, 20).Draw(t, "moves") {
			s.Panes[0].VShards[v].Load = float64(rapid.IntRange(0, 9000).Draw(t, "load"))
			moves = append(moves, routing.Move{VShard: routing.VShard(v), To: 1})
		}
		all := 0.0
		for _, v := range s.Panes[0].VShards {
			all += v.Load
		}
		var joined []routing.Move
		cfg, least := Default(), math.Inf(1)
		for _, part := range CutMoves(s, &cfg, moves, most) {
			sum := 0.0
			for _, m := range part {
				sum += s.Panes[0].VShards[m.VShard].Load
			}
			if len(part) == 0 || len(part) > 1 && sum > most*all+1e-6 {
				t.Fatalf("a part of %d moves %.0f of %.0f", len(part), sum, all)
			}
			if least+sum < most*all-1e-6 {
				t.Fatalf("parts of %.0f and %.0f of %.0f could be one", least, sum, all)
			}
			least = min(least, sum)
			if !slices.IsSortedFunc(part, func(a, b routing.Move) int { return cmp.Compare(a.VShard, b.VShard) }) {
				t.Fatalf("%v: not in their order", part)
			}
			joined = append(joined, part...)
		}
		slices.SortFunc(joined, func(a, b routing.Move) int { return cmp.Compare(a.VShard, b.VShard) })
		if !slices.Equal(joined, moves) {
			t.Fatalf("%v, want %v", joined, moves)
		}
	})
}
