package scenario

import (
	"fmt"
	"slices"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

const (
	// settle is how long an operation settles, of the design's table "number | default".
	settle = 15 * time.Minute
	// budgetSpan is what operations count against the hourly budget.
	budgetSpan = time.Hour
)

// actor carries ready plans out at once: what a plan changes in the document stands there at the next tick. It stands in
// for the executor, whose phases a story does not need; the zero value does nothing.
type actor struct {
	on   bool
	ops  []policy.Operation
	at   []time.Time // when each began
	done int
}

// act carries out the plans of a decision that nothing holds back.
func (f *fleet) act(d *policy.Decision, now time.Time) error {
	if !f.actor.on {
		return nil
	}
	for i := range d.Plans {
		plan := &d.Plans[i]
		if !plan.Ready || f.actor.busy(plan, now) {
			continue
		}
		doc := f.table.Document().Clone()
		if err := Carry(doc, plan.Steps); err != nil {
			return fmt.Errorf("fleet %s: %w", f.setup.name, err)
		}
		doc.Version++
		table, err := f.table.With(doc)
		if err != nil {
			return fmt.Errorf("fleet %s: %w", f.setup.name, err)
		}
		f.table = table
		shard := f.shardOf(d, plan.Hotspot)
		f.actor.begin(plan, shardID(doc, shard, newArgs("", nil)), now)
		f.tally.operations = append(f.tally.operations, plan.Fix)
	}
	return nil
}

// busy says that an operation for the same hotspot has not settled.
func (a *actor) busy(p *policy.Plan, now time.Time) bool {
	for i := range a.ops {
		if a.ops[i].Hotspot == p.Hotspot && now.Sub(a.at[i]) < settle {
			return true
		}
	}
	return false
}

func (a *actor) begin(p *policy.Plan, shard routing.ShardID, now time.Time) {
	a.done++
	a.at = append(a.at, now)
	a.ops = append(a.ops, policy.Operation{
		ID: fmt.Sprintf("op-%d", a.done), Hotspot: p.Hotspot, Fix: p.Fix, Shard: shard, Footprint: p.Footprint,
	})
}

// operations are those of the actor as they stand at a moment.
func (a *actor) operations(now time.Time) []policy.Operation {
	out := slices.Clone(a.ops)
	for i := range out {
		if end := a.at[i].Add(settle); !now.Before(end) {
			out[i].Settled = end
		}
	}
	return out
}

// spent is what the actor's operations take of the caps.
func (a *actor) spent(now time.Time) (hour, open int) {
	for _, at := range a.at {
		if now.Sub(at) < budgetSpan {
			hour++
		}
		if now.Sub(at) < settle {
			open++
		}
	}
	return hour, open
}

// Carry changes a document as the steps of a plan say: moves, salts, placed tenants, quotas, cached keys, added shards, and the way back.
// Steps that change no document (a caller's limit, the store's own split) leave it alone. A cached key is given a second
// of staleness; its key space says the real one.
func Carry(doc *routing.Document, steps []policy.Step) error {
	for i := range steps {
		step := &steps[i]
		tenant := ""
		if doc.Placement.IdentifiesTenant() {
			tenant = step.Tenant
		}
		switch step.Kind {
		case policy.StepAddShards:
			for _, name := range step.Shards {
				give(doc, name, routing.Serving)
			}
		case policy.StepMove:
			move(doc, step.Moves)
		case policy.StepPlaceKey:
			for _, name := range step.Shards {
				give(doc, name, routing.Dedicated)
			}
			move(doc, step.Moves)
		case policy.StepSalt:
			doc.Salts = append(slices.DeleteFunc(doc.Salts, func(s routing.Salt) bool { return s.Tenant == step.Salt.Tenant && s.Key == step.Salt.Key }), *step.Salt)
		case policy.StepPlaceTenant:
			placed := routing.TenantPlacement{Tenant: step.Tenant}
			for _, name := range step.Shards {
				placed.Shards = append(placed.Shards, give(doc, name, routing.Dedicated))
			}
			doc.Tenants = append(slices.DeleteFunc(doc.Tenants, func(p routing.TenantPlacement) bool { return p.Tenant == step.Tenant }), placed)
		case policy.StepQuota:
			doc.Quotas = append(slices.DeleteFunc(doc.Quotas, func(q routing.Quota) bool { return q.Tenant == step.Tenant }), routing.Quota{Tenant: step.Tenant, Rate: step.Rate})
		case policy.StepCache:
			doc.Cached = append(slices.DeleteFunc(doc.Cached, func(c routing.CachedKey) bool { return c.Tenant == tenant && c.Key == step.Key }),
				routing.CachedKey{Tenant: tenant, Key: step.Key, Staleness: time.Second})
		case policy.StepUnsalt:
			unsalt(doc, tenant, step.Key)
		case policy.StepReturnTenant:
			doc.Tenants = slices.DeleteFunc(doc.Tenants, func(p routing.TenantPlacement) bool { return p.Tenant == step.Tenant })
			for _, name := range step.Shards {
				give(doc, name, routing.Spare)
			}
		case policy.StepLiftQuota:
			doc.Quotas = slices.DeleteFunc(doc.Quotas, func(q routing.Quota) bool { return q.Tenant == step.Tenant })
		case policy.StepUncache:
			doc.Cached = slices.DeleteFunc(doc.Cached, func(c routing.CachedKey) bool { return c.Tenant == tenant && c.Key == step.Key })
		case policy.StepDrain:
			move(doc, step.Moves)
			for _, name := range step.Shards {
				give(doc, name, routing.Spare)
			}
		case policy.StepNone, policy.StepLimitCaller, policy.StepNative:
		default:
			return fmt.Errorf("step %s: not known", step.Kind)
		}
	}
	return nil
}

// unsalt leaves the bare key of a salt; the suffixes that its pieces had are never used again.
func unsalt(doc *routing.Document, tenant, key string) {
	for i := range doc.Salts {
		s := &doc.Salts[i]
		if s.Tenant != tenant || s.Key != key || len(s.Suffixes) == 0 {
			continue
		}
		s.Tombstones = append(s.Tombstones, s.Suffixes[1:]...)
		s.Suffixes, s.Read, s.Write = s.Suffixes[:1], 1, 1
	}
}

// give makes a shard of that name serve its role, a new one if there is none.
func give(doc *routing.Document, name string, role routing.Role) routing.ShardID {
	for i := range doc.Shards {
		if doc.Shards[i].Name == name {
			doc.Shards[i].Role = role
			return routing.ShardID(i)
		}
	}
	doc.Shards = append(doc.Shards, routing.Shard{Name: name, Role: role})
	return routing.ShardID(len(doc.Shards) - 1)
}

func move(doc *routing.Document, moves []routing.Move) {
	moved := make(map[routing.VShard]bool, len(moves))
	for _, m := range moves {
		moved[m.VShard] = true
	}
	doc.Moves = append(slices.DeleteFunc(doc.Moves, func(m routing.Move) bool { return moved[m.VShard] }), moves...)
}
