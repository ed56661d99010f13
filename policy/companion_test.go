package policy

import (
	"testing"

	"firebreak/routing"
)

// TestKeyGoesWithItsTenant: a key that is too much for a shard and whose tenant is too much for one without it. Pieces
// laid elsewhere would follow the tenant, so the key is treated on the tenant's own shards.
func TestKeyGoesWithItsTenant(t *testing.T) {
	for _, test := range []struct {
		name  string
		reads float64
		fix   Fix
	}{{"written", 0.05, FixSalt}, {"read", 0.6, FixCache}} {
		t.Run(test.name, func(t *testing.T) {
			f := newTestFleet(t, 16, "key", even(1000, 64000)...)
			f.cfg.Capacity.Total = 10000
			f.streams = append(f.streams, f.many(2, 100, "acme", 15000, 0.5, 12)...)
			f.streams = append(f.streams, stream{tenant: "acme", key: f.on(2, 1, "acme", "K")[0], rate: 16000, reads: test.reads, from: 12})
			vs, last := f.run(40)
			show(f, vs, last)
			if len(last.Plans) != 1 {
				t.Fatalf("%d plans, want 1", len(last.Plans))
			}
			p := last.Plans[0]
			if p.Fix != test.fix {
				t.Errorf("fix %s, want %s", p.Fix, test.fix)
			}
			own := checkCompanionSteps(t, f.table, &p)
			for i, load := range p.Projection.Loads {
				if i == 2 || i >= f.table.Shards() {
					if target := 0.65 * f.cfg.Capacity.Total; load > target {
						t.Errorf("shard %d bears %.0f/s, target %.0f/s", i, load, target)
					}
				}
			}
			if len(p.Added) != own {
				t.Errorf("%d shards added, want the tenant's %d", len(p.Added), own)
			}
		})
	}
}

// checkCompanionSteps returns how many shards the tenant gets; its key has one piece on each.
func checkCompanionSteps(t *testing.T, table *routing.Table, p *Plan) int {
	t.Helper()
	doc, own, salt := table.Document().Clone(), 0, (*routing.Salt)(nil)
	for i := range p.Steps {
		step := &p.Steps[i]
		applyStep(doc, step)
		switch step.Kind { //nolint:exhaustive // two kinds are checked here
		case StepPlaceTenant:
			if salt != nil {
				t.Error("the key is salted before its tenant is placed: its pieces would lie anywhere until then")
			}
			own = len(step.Shards)
		case StepSalt:
			salt = step.Salt
		}
	}
	if own < 2 || salt == nil || len(salt.Suffixes) != own {
		t.Fatalf("%d shards and salt %+v, want one piece a shard: %+v", own, salt, p.Steps)
	}
	next, err := table.With(doc)
	if err != nil {
		t.Fatal(err)
	}
	at := map[routing.ShardID]bool{}
	for _, piece := range next.Pieces([]byte("acme"), []byte(salt.Key), nil) {
		at[piece.Shard] = true
	}
	if len(at) != own {
		t.Errorf("pieces lie on %d shards, want %d", len(at), own)
	}
	return own
}
