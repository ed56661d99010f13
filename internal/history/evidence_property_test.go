package history

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/policy"
	"firebreak/routing"
)

// drawnFleet is a small fleet with any names, loads, placement, policy and trust, three to eight panes long.
func drawnFleet(t *rapid.T) (*policy.Snapshot, policy.Config) {
	bytes := rapid.SampledFrom([]string{"key", "tenant", "tenant,key"}).Draw(t, "bytes")
	n := rapid.IntRange(2, 6).Draw(t, "shards")
	doc, err := routing.Adopt("fleet", routing.Placement{Bytes: bytes, Function: routing.XXH64, Map: routing.ModN, VShards: 32 * n}, routing.NumberedShards(n))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	panes := rapid.IntRange(3, 8).Draw(t, "panes")
	s := &policy.Snapshot{
		Fleet: "fleet", Table: table, Pane: 10 * time.Second, Panes: make([]policy.Pane, panes), LogPoint: rapid.SampledFrom([]policy.LogPoint{policy.LogPointUnknown, policy.LogPointClient, policy.LogPointShard}).Draw(t, "log point"),
		Inputs: policy.Inputs{
			Coverage: rapid.Float64Range(0.9, 1).Draw(t, "coverage"), Sampling: rapid.SampledFrom(policy.Samplings()).Draw(t, "sampling"), Tenants: true, Keys: true,
			Ops: rapid.Bool().Draw(t, "ops"),
		},
	}
	for p := range s.Panes {
		s.Panes[p].Start = noon().Add(time.Duration(p) * s.Pane)
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "keys") {
		raw := string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "name"))
		key, tenant := fmt.Sprintf("%d%s", i, raw), fmt.Sprintf("%s%d", raw, i%2)
		load, reads := rapid.Float64Range(0, 3000).Draw(t, "load"), rapid.Float64Range(0, 1).Draw(t, "reads")
		c := policy.Contributor{Key: key, Tenant: tenant, TenantShare: 1, VShard: table.VShard([]byte(tenant), []byte(key)), Panes: make([]policy.Sums, panes)}
		for p := range panes {
			c.Panes[p] = policy.Sums{Load: load, Variance: load, Records: load, Reads: load * reads, Writes: load * (1 - reads)}
			s.Panes[p].VShards = append(s.Panes[p].VShards, policy.VShardSums{VShard: c.VShard, Sums: c.Panes[p]})
		}
		s.Keys = append(s.Keys, c)
		s.Pairs = append(s.Pairs, policy.Pair{Tenant: tenant, Shard: table.Owner(c.VShard), Panes: c.Panes})
	}
	cfg := policy.Default()
	cfg.For, cfg.WarmPanes, cfg.FastPanes, cfg.LongPanes = 0, 2, 3, 8
	if rapid.Bool().Draw(t, "capacity known") {
		cfg.Capacity.Total = rapid.Float64Range(1, 500).Draw(t, "capacity")
	}
	return s, cfg
}

// TestRoundTrip: whatever was judged, what is read back is judged to the same decision and the same state, from a cold start and from the state
// that the first judging left.
func TestRoundTrip(t *testing.T) {
	told := 0
	rapid.Check(t, func(rt *rapid.T) {
		s, cfg := drawnFleet(rt)
		var st policy.State
		now := s.Panes[len(s.Panes)-1].Start.Add(s.Pane).Add(5 * time.Second)
		for range 2 {
			tick := tickOf(s, &cfg, &st, now)
			told += len(tick.Decision.Verdicts)
			e, err := NewEvidence(&tick, "v1")
			if err != nil {
				rt.Fatal(err)
			}
			values, err := e.encode()
			if err != nil {
				rt.Fatal(err)
			}
			entry := whole(t, values)
			back, err := entry.Evidence()
			if err != nil {
				rt.Fatal(err)
			}
			if _, err := Replay(back); err != nil {
				rt.Fatal(err)
			}
			now = now.Add(time.Second)
		}
	})
	if told == 0 {
		t.Error("no verdict of all that were drawn: the test shows little")
	}
}
