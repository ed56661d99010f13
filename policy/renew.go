package policy

import (
	"slices"

	"firebreak/routing"
)

// renew re-projects a plan that was shown on the loads of now. It stays, so
// that people can approve it, until its footprint was touched or the loads
// prove that it no longer meets the target: a new plan at every tick would be a
// new chance to be wrong.
func (w *watcher) renew(p *Plan, e *evidence) bool {
	doc := w.s.Table.Document()
	if doc.Digest(p.Footprint) != p.Digest {
		return false
	}
	p.Expires = w.now.Add(w.cfg.Expiry)
	if doc.Placement.Map == routing.Explicit {
		return !e.over(e.id, ratio(p.Projection.Shard, p.Load)*e.load.load/e.w.seconds, e.target)
	}
	next := doc.Clone()
	for i := range p.Steps {
		applyStep(next, &p.Steps[i])
	}
	fresh, err := e.under(next, p.Steps, p.Fix)
	if err != nil {
		return false
	}
	if e.over(e.id, fresh.Shard, e.target) || e.overfilled(next, fresh.Loads) {
		return false
	}
	old := p.Projection
	p.Projection = fresh
	p.Projection.Fix, p.Projection.Feasible, p.Projection.Why, p.Projection.Upper = old.Fix, old.Feasible, old.Why, old.Upper
	p.Projection.Beyond = old.Beyond // as Why has it
	p.Projection.Salt, p.Projection.MovedShare, p.Projection.Shards = old.Salt, old.MovedShare, old.Shards
	p.Projection.Rate = old.Rate
	p.Projection.ReadMultiplier, p.Projection.KeyReadMultiplier = old.ReadMultiplier, old.KeyReadMultiplier
	return true
}

// over says whether a projected load/s of a shard is over a limit beyond doubt.
func (e *evidence) over(id routing.ShardID, load, limit float64) bool {
	a := amount{load * e.w.seconds, load * e.w.seconds * e.v.scale(e.w)}
	if int(id) < len(e.w.shards) && e.w.shards[id].load > 0 {
		a.variance = load * e.w.seconds * e.w.shards[id].variance / e.w.shards[id].load
	}
	return a.lower() > limit*e.w.seconds
}

// overfilled says whether a shard that gains load under the candidate is over
// its target beyond doubt: a receiver may have warmed up since.
func (e *evidence) overfilled(doc *routing.Document, loads []float64) bool {
	for i, shard := range doc.Shards {
		id := routing.ShardID(i)
		now := 0.0
		if i < len(e.w.shards) {
			now = e.w.shards[i].load / e.w.seconds
		}
		limit := e.target
		if c := e.v.capacity(shard); c > 0 {
			limit = e.v.cfg.Lines.Target * c
		} else if shard.Role != routing.Serving {
			continue
		}
		if id != e.id && loads[i] > now*(1+1e-9) && e.over(id, loads[i], limit) {
			return true
		}
	}
	return false
}

// applyStep lays one step into a document.
func applyStep(doc *routing.Document, step *Step) {
	switch step.Kind {
	case StepMove, StepPlaceKey:
		named(doc, step.Shards, routing.Dedicated)
		for _, m := range step.Moves {
			doc.Moves = slices.DeleteFunc(doc.Moves, func(o routing.Move) bool { return o.VShard == m.VShard })
		}
		doc.Moves = append(doc.Moves, step.Moves...)
	case StepSalt:
		doc.Salts = slices.DeleteFunc(doc.Salts, func(o routing.Salt) bool { return o.Tenant == step.Salt.Tenant && o.Key == step.Salt.Key })
		doc.Salts = append(doc.Salts, *step.Salt)
	case StepPlaceTenant:
		ids := named(doc, step.Shards, routing.Dedicated)
		doc.Tenants = slices.DeleteFunc(doc.Tenants, func(o routing.TenantPlacement) bool { return o.Tenant == step.Tenant })
		doc.Tenants = append(doc.Tenants, routing.TenantPlacement{Tenant: step.Tenant, Shards: ids})
	case StepAddShards:
		named(doc, step.Shards, routing.Serving)
	case StepNone, StepCache, StepQuota, StepLimitCaller, StepNative, StepUnsalt, StepReturnTenant, StepLiftQuota, StepUncache, StepDrain:
	}
}

// named finds or appends shards by name and gives them their role.
func named(doc *routing.Document, names []string, role routing.Role) []routing.ShardID {
	ids := make([]routing.ShardID, 0, len(names))
	for _, name := range names {
		i := slices.IndexFunc(doc.Shards, func(s routing.Shard) bool { return s.Name == name })
		if i < 0 {
			i = len(doc.Shards)
			doc.Shards = append(doc.Shards, routing.Shard{Name: name})
		}
		doc.Shards[i].Role = role
		ids = append(ids, routing.ShardID(i))
	}
	return ids
}

// find is the contributor that a step is about.
func (e *evidence) find(step *Step) *item {
	list := e.keys
	if step.Key == "" {
		list = e.tenants
	}
	for i := range list {
		if key, tenant := list[i].name(); key == step.Key && tenant == step.Tenant {
			return &list[i]
		}
	}
	return nil
}
