package policy

import (
	"fmt"
	"slices"
	"testing"

	"firebreak/routing"
)

// tenantsOn lists n tenants that the table puts on the shard, each with ten keys and rate requests/s in all.
func (f *testFleet) tenantsOn(shard, n int, prefix string, rate float64, from int) []stream {
	var out []stream
	for i := 0; len(out) < 10*n; i++ {
		tenant := fmt.Sprintf("%s%d", prefix, i)
		if int(f.table.Owner(f.table.VShard([]byte(tenant), nil))) != shard {
			continue
		}
		for k := range 10 {
			out = append(out, stream{tenant: tenant, key: fmt.Sprintf("%s-%d", tenant, k), rate: rate / 10, reads: 0.5, from: from})
		}
	}
	return out
}

// lastPlan runs to the end and returns the only plan with its verdict.
func (f *testFleet) lastPlan(panes int) (Verdict, Plan) {
	f.t.Helper()
	vs, last := f.run(panes)
	show(f, vs, last)
	if len(vs) == 0 || len(last.Plans) != 1 {
		f.t.Fatalf("%d verdict lines and %d plans, want one plan: %+v", len(vs), len(last.Plans), last.Holds)
	}
	return vs[len(vs)-1], last.Plans[0]
}

// TestStuckTenants: four tenants under the target share a shard and fit no other one. They are placed whole, so no split
// and no number of pieces helps: the heaviest get shards of their own.
func TestStuckTenants(t *testing.T) {
	f := newTestFleet(t, 16, "tenant", even(1000, 88000)...)
	f.streams = append(f.streams, f.tenantsOn(2, 4, "warm", 8000, 12)...)
	v, p := f.lastPlan(40)
	if v.Cause != CauseVolume || p.Fix != FixIsolate {
		t.Errorf("cause %s, fix %s, want volume and isolate", v.Cause, p.Fix)
	}
	if left := p.Projection.Loads[2]; left > v.Target {
		t.Errorf("the shard keeps %.0f/s, target %.0f/s", left, v.Target)
	}
	doc := f.table.Document().Clone()
	for i := range p.Steps {
		applyStep(doc, &p.Steps[i])
	}
	seen := map[string]bool{}
	for _, placed := range doc.Tenants {
		if seen[placed.Tenant] {
			t.Errorf("tenant %s is placed twice", placed.Tenant)
		}
		seen[placed.Tenant] = true
	}
	if len(seen) < 3 {
		t.Errorf("%d tenants are isolated, two of them are over the target", len(seen))
	}
}

// TestQuotaWithRoomFromASplit: no shard can take the tenant, and its neighbours fill theirs to the target. A quota alone
// would have to be next to nothing; the neighbours move and the tenant keeps half of the target.
func TestQuotaWithRoomFromASplit(t *testing.T) {
	f := newTestFleet(t, 16, "tenant", even(1000, 40000)...)
	f.cfg.Capacity.Total = 10000
	f.streams = append(f.streams, f.tenantsOn(2, 30, "small", 130, 0)...)
	f.streams = append(f.streams, f.tenantsOn(2, 1, "whale", 26000, 12)...)
	_, p := f.lastPlan(40)
	if p.Fix != FixQuota {
		t.Fatalf("fix %s, want quota", p.Fix)
	}
	at := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Kind == StepQuota })
	if half := 0.65 * f.cfg.Capacity.Total / 2; at < 0 || p.Steps[at].Rate < 0.9*half || p.Steps[at].Rate > 1.01*half {
		t.Errorf("steps %+v, want a quota of about %.0f/s", p.Steps, half)
	}
	whale := f.streams[len(f.streams)-1].tenant
	home, moves := f.table.VShard([]byte(whale), nil), 0
	for _, step := range p.Steps {
		moves += len(step.Moves)
		if slices.ContainsFunc(step.Moves, func(m routing.Move) bool { return m.VShard == home }) {
			t.Error("the split moves the tenant that the quota has cut already")
		}
	}
	if moves == 0 {
		t.Error("nothing makes room")
	}
}

// TestBunches: keys of one shard of xxh64 mod N are all alike modulo every factor of N.
func TestBunches(t *testing.T) {
	f := newTestFleet(t, 12, "key", even(10, 10)...)
	l := &layout{doc: f.table.Document()}
	keys := f.on(5, 300, "acme", "k")
	for n := 2; n <= 9; n++ {
		var shards []routing.ShardID
		for i := range n {
			shards = append(shards, routing.ShardID(i))
		}
		doc := f.table.Document().Clone()
		doc.Tenants = []routing.TenantPlacement{{Tenant: "acme", Shards: shards}}
		table, err := f.table.With(doc)
		if err != nil {
			t.Fatal(err)
		}
		used := map[routing.ShardID]bool{}
		for _, key := range keys {
			used[table.Locate([]byte("acme"), []byte(key)).Shard] = true
		}
		if got, want := l.bunches(n), len(used) < n; got != want {
			t.Errorf("%d shards, %d used by 300 keys: bunches says %v", n, len(used), got)
		}
	}
}
