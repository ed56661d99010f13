package policy

import (
	"testing"

	"firebreak/routing"
)

// TestMovedIsAShare: what moves is a share of the load of all shards, those that are a tenant's own among them: a whale of half the
// fleet moves half of it. One that is all of the traffic, and whose estimate is above what was counted, moves all of it and no more.
func TestMovedIsAShare(t *testing.T) {
	for name, c := range map[string]struct {
		others         int
		estimate       float64 // of what was counted
		least, highest float64
	}{
		"half of the fleet": {100, 1, 0.45, 0.55},
		"all of it":         {0, 1.01, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := newTestFleet(t, 4, "tenant", append(even(c.others, 2000), stream{tenant: "whale", key: "k", rate: 2000})...)
			f.run(30)
			s := f.snapshot()
			for i := range s.Pairs {
				for p, counted := range s.Pairs[i].Panes {
					s.Pairs[i].Panes[p] = counted.scaled(c.estimate)
				}
			}
			plain := f.table.Document()
			alone := plain.Clone()
			alone.Shards = append(alone.Shards, routing.Shard{Name: "own", Role: routing.Dedicated})
			alone.Tenants = []routing.TenantPlacement{{Tenant: "whale", Shards: []routing.ShardID{4}}}
			got, err := Compare(s, &f.cfg, plain, alone)
			if err != nil {
				t.Fatal(err)
			}
			if got.Moved < c.least || got.Moved > c.highest {
				t.Errorf("it moves %.3f of all, want %.2f to %.2f", got.Moved, c.least, c.highest)
			}
		})
	}
}
