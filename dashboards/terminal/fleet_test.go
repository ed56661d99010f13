package terminal

import (
	"testing"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// fleet is a fleet of the tests: what each shard bears, and one key or tenant that may bear more.
type fleet struct {
	shards, spares int
	load           float64 // of each shard, requests/s
	more           float64 // of the key, of the tenant, or of the shard
	shard          int     // that bears it
	key, tenant    string
	capacity       float64 // 0 = not known
	name           string  // of the fleet
	prefix         string  // of the shards' names
}

func demo() fleet {
	return fleet{shards: 32, spares: 1, load: 6000, shard: 5, capacity: 16000, name: "demo", prefix: "shard-"}
}

func start() time.Time { return time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC) }

// view judges six minutes of the fleet; what is more begins after one and is planted as an act.
func (f *fleet) view(tb testing.TB) *View {
	tb.Helper()
	shards := routing.NumberedShards(f.shards)
	for i := range shards {
		shards[i].Name = f.prefix + shards[i].Name[len("shard-"):]
	}
	for range f.spares {
		shards = append(shards, routing.Shard{Name: "spare-0", Role: routing.Spare, Capacity: 2 * f.capacity})
	}
	doc, err := routing.Adopt(f.name, routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN, VShards: 320 * f.shards}, shards)
	if err != nil {
		tb.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		tb.Fatal(err)
	}
	cfg := policy.Default()
	cfg.Capacity.Total = f.capacity
	cfg.KeySpaces = []policy.KeySpace{{Prefix: "counter:", Merge: "counter"}}
	v := &View{Title: "firebreak demo", Policy: &cfg, Status: Status{Speed: 8, Records: 15312, Instances: 3, Coverage: 1}}
	var state policy.State
	for panes := 6; panes <= 14; panes++ {
		v.Snapshot = f.snapshot(table, panes)
		v.Now = start().Add(time.Duration(panes)*10*time.Second + 5*time.Second)
		v.Decision, state = policy.Evaluate(v.Snapshot, &cfg, state, v.Now)
		for i := range v.Decision.Verdicts {
			v.Told = append(v.Told, v.Decision.Verdicts[i])
			if v.Acts == nil {
				v.Acts = []Act{{Cause: v.Decision.Verdicts[i].Cause, From: start().Add(time.Minute), To: start().Add(time.Hour), Found: v.Now, Right: true}}
			}
		}
	}
	return v
}

// snapshot counts panes of 10 s, all of which is logged.
func (f *fleet) snapshot(table *routing.Table, panes int) *policy.Snapshot {
	s := &policy.Snapshot{
		Fleet: f.name, Table: table, LogPoint: policy.LogPointShard, Pane: 10 * time.Second,
		Inputs: policy.Inputs{Coverage: 1, Sampling: policy.SamplingIndependent, Tenants: true, Ops: true, Keys: true, LoggedRate: 0.01},
	}
	sums := func(rate float64) policy.Sums {
		n := rate * 10
		return policy.Sums{Load: n, Variance: n * 100, Records: n / 100, Reads: n / 50, Writes: n - n/50}
	}
	at := routing.VShard(f.shard)
	if f.tenant != "" {
		at = table.VShard([]byte(f.tenant), nil)
		f.shard = int(table.Owner(at))
	}
	var own []policy.Sums
	for p := range panes {
		pane := policy.Pane{Start: start().Add(time.Duration(p) * 10 * time.Second)}
		more := 0.0
		if p >= 6 {
			more = f.more
		}
		own = append(own, sums(more))
		for v := range table.VShards() {
			rate := f.load / 320 * (1 + 0.2*float64(v%f.shards%7-3)/3)
			if f.tenant == "" && v%f.shards == f.shard {
				rate += more / 320
			}
			if f.tenant != "" && routing.VShard(v) == at {
				rate += more
			}
			pane.VShards = append(pane.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: sums(rate)})
		}
		s.Panes = append(s.Panes, pane)
	}
	if f.key != "" {
		s.Keys = []policy.Contributor{{Key: f.key, Tenant: f.tenant, TenantShare: 1, VShard: at, Panes: own}}
	}
	if f.tenant != "" {
		s.Tenants = []policy.Contributor{{Tenant: f.tenant, VShard: routing.NoVShard, Panes: own}}
		s.Pairs = []policy.Pair{{Tenant: f.tenant, Shard: routing.ShardID(f.shard), Panes: own}}
	}
	return s
}
