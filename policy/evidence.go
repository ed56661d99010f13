package policy

import (
	"cmp"
	"slices"

	"firebreak/routing"
)

// item is one contributor as one shard bears it in one window.
type item struct {
	key     *Contributor // nil for a tenant
	pair    *Pair        // nil for a key
	tenant  string       // of a key: who sends most of it
	owned   bool         // of a key: the tenant is part of its identity
	on      amount       // its load on this shard
	all     amount       // its load on all shards
	reads   float64      // share of all that is reads, 0 to 1, among what is known
	unknown float64      // share of all whose op is unknown
	caller  string
	callers float64 // share of all that caller sent
}

// name is the identity of a contributor. The tenant belongs to that of a key
// only where placement hashes it: else who sends most of a key may change, and
// the key stays the same.
func (it *item) name() (key, tenant string) {
	switch {
	case it.key == nil:
		return "", it.tenant
	case it.owned:
		return it.key.Key, it.tenant
	}
	return it.key.Key, ""
}

// evidence is what one window says of one shard.
type evidence struct {
	v       *view
	id      routing.ShardID
	w       span
	target  float64 // load/s
	load    amount  // of the shard
	keys    []item  // heaviest first
	tenants []item  // heaviest first

	fallback float64 // level of sizing where no plan exists at sizeLevel
}

// gather collects the evidence of one shard over the newest n panes. A target
// of 0 is drawn from this window.
func (v *view) gather(id routing.ShardID, n int, target float64) *evidence {
	w := v.newest(n)
	e := &evidence{v: v, id: id, w: w, target: target, load: w.shards[id]}
	if target <= 0 {
		lim, _ := v.limitOf(id, w)
		e.target = lim.target
	}
	if e.fallback = sizeFallback; e.thin() {
		e.fallback = sizeThin
	}
	for i := range v.s.Keys {
		if it := e.keyItem(&v.s.Keys[i], n); it.on.load > 0 {
			e.keys = append(e.keys, it)
		}
	}
	for i := range v.s.Pairs {
		if v.s.Pairs[i].Tenant == "" {
			continue // requests without a tenant are no tenant
		}
		if it := e.pairItem(&v.s.Pairs[i], n); it.on.load > 0 {
			e.tenants = append(e.tenants, it)
		}
	}
	slices.SortFunc(e.keys, heavier)
	slices.SortFunc(e.tenants, heavier)
	return e
}

// thin says whether the shard's own evidence is thin, by its effective samples a minute.
func (e *evidence) thin() bool { return e.load.samples()*60/e.w.seconds < thinSamples }

func heavier(a, b item) int {
	aKey, aTenant := a.name()
	bKey, bTenant := b.name()
	return cmp.Or(cmp.Compare(b.on.load, a.on.load), cmp.Compare(aKey, bKey), cmp.Compare(aTenant, bTenant))
}

// keyItem is key c on this shard: all of it, or its pieces that lie here.
func (e *evidence) keyItem(c *Contributor, n int) item {
	t := e.v.s.Table
	it := item{key: c, tenant: c.Tenant, owned: t.Document().Placement.IdentifiesTenant(), caller: c.Caller, callers: c.CallerShare}
	sums := newestSums(c.Panes, n)
	here := 0.0
	salt, salted := t.Salt([]byte(c.Tenant), []byte(c.Key))
	switch {
	case len(c.Pieces) > 0:
		here = piecesOn(t, c, e.id)
	case !salted:
		if keyHome(t, c) == e.id {
			here = 1
		}
	default:
		for _, p := range t.Pieces([]byte(c.Tenant), []byte(c.Key), nil) {
			if p.Shard == e.id && sums.Load > 0 {
				here += pieceSums(sums, salt, p.Index).Load / sums.Load
			}
		}
	}
	it.fill(e.v, sums, here, e.v.keyEffect())
	// What counting itself leaves open adds to what chance does.
	half := (c.High - c.Low) / 2 * float64(n) / float64(max(1, len(e.v.panes)))
	it.all.variance += half * half
	it.on.variance += half * half * here * here
	return it
}

// piecesOn is the share of a salted key that its pieces were seen to carry on a shard.
func piecesOn(t *routing.Table, c *Contributor, id routing.ShardID) float64 {
	var here, all float64
	for _, p := range c.Pieces {
		all += p.Load
		if t.Owner(p.VShard) == id {
			here += p.Load
		}
	}
	return ratio(here, all)
}

// pairItem is a tenant's load on this shard.
func (e *evidence) pairItem(p *Pair, n int) item {
	it := item{pair: p, tenant: p.Tenant, caller: p.Caller, callers: p.CallerShare}
	here := 0.0
	shards, placed := e.v.s.Table.PlacedTenant([]byte(p.Tenant))
	switch {
	case !placed && p.Shard == e.id:
		here = 1
	case placed && slices.Contains(shards, e.id) && e.v.s.Table.Owner(0) != routing.NoShard:
		here = 1 / float64(len(shards))
	}
	it.fill(e.v, newestSums(p.Panes, n), here, e.v.tenantEffect())
	if it.on.load > 0 {
		it.all = newestSums(tenantPanes(e.v.s, p.Tenant, p.Panes), n).in(e.v.dim)
		it.all.variance *= e.v.tenantEffect()
	}
	return it
}

func (it *item) fill(v *view, sums Sums, here, effect float64) {
	it.all = sums.in(v.dim)
	it.all.variance *= effect
	it.on = it.all.part(here)
	if sums.Load > 0 {
		it.unknown = max(0, 1-(sums.Reads+sums.Writes)/sums.Load)
	}
	if known := sums.Reads + sums.Writes; known > 0 {
		it.reads = sums.Reads / known
	}
}

// tenantPanes is the whole load of a tenant, if it is listed; else what the pair has.
func tenantPanes(s *Snapshot, tenant string, pair []Sums) []Sums {
	for i := range s.Tenants {
		if s.Tenants[i].Tenant == tenant {
			return s.Tenants[i].Panes
		}
	}
	return pair
}

// tenant is a listed tenant of the shard; nil if it is not listed.
func (e *evidence) tenant(name string) *item {
	for i := range e.tenants {
		if e.tenants[i].tenant == name {
			return &e.tenants[i]
		}
	}
	return nil
}

func newestSums(panes []Sums, n int) Sums {
	var sum Sums
	for _, p := range panes[max(0, len(panes)-n):] {
		sum = sum.plus(p)
	}
	return sum
}

// aboveTarget compares a load with the target: by points, and whether the
// bounds leave it open.
func (e *evidence) aboveTarget(a amount) (above, open bool) {
	limit := e.target * e.w.seconds
	above = a.load > limit
	if above {
		return above, a.lower() <= limit
	}
	return above, a.upper(causeLevel, e.v.scale(e.w)) > limit
}

// atLeast compares part's share of whole with p in the same way.
func (e *evidence) atLeast(part, whole amount, p float64) (above, open bool) {
	s := share{part, whole.minus(part)}
	low, high := s.bounds(causeLevel)
	return s.value() >= p, low < p && p <= high
}

// suspect is the least share of a hot shard's load that makes a key or tenant worth naming where the cause is not known.
const suspect = 0.1

// suspects are the heaviest key and tenant of a shard, where they have a share worth naming.
func (e *evidence) suspects() []item {
	var out []item
	for _, list := range [][]item{e.keys, e.tenants} {
		if len(list) > 0 && list[0].on.load >= suspect*e.load.load {
			out = append(out, list[0])
		}
	}
	return out
}
