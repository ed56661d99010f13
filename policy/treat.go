package policy

import (
	"math"
	"slices"
	"strconv"

	"firebreak/routing"
)

const (
	// maxPieces bounds a salt: a fan-out read asks every piece.
	maxPieces = 128
	// suffixTries bounds the search for suffixes that land where they should.
	suffixTries = 1 << 14
	// readHot is the share of reads from which a cache is tried before a salt.
	readHot = 0.5
	// leastWrites of a key is what makes a salt worth while.
	leastWrites = 0.01
)

func itoa(n int) string { return strconv.Itoa(n) }

// known reads and the rest of a key. What is neither read nor write is carried
// like a read: by every piece, and no cache takes it.
func (it *item) readPart() float64  { return it.reads * (1 - it.unknown) }
func (it *item) writePart() float64 { return (1 - it.reads) * (1 - it.unknown) }

// cache takes the reads of the key off its shard.
func (l *layout) cache(it *item) {
	l.kept = l.kept.minus(it.on.part(it.readPart()))
	l.steps = append(l.steps, cacheStep(it))
}

// isolateTenant gives the tenant shards of its own: one, or as many as its
// load needs where the placement can part its keys. Keys of the plan that go
// with it are salted or cached there.
func (l *layout) isolateTenant(it *item) {
	for _, with := range l.companions(it.tenant) {
		c := l.isolated(it, with)
		if c == nil {
			continue
		}
		*l = *c
		l.kept = l.kept.minus(it.on)
		l.moved = l.moved.plus(it.all)
		l.tenants = append(l.tenants, it.tenant)
		return
	}
	l.failed = "even twice as many shards as its load fills could not bear the tenant"
}

// isolated is the layout with the tenant on the fewest shards that can bear it;
// nil if none can.
func (l *layout) isolated(it *item, with []companion) *layout {
	least, most := l.shardsFor(it, with)
	for n := least; n <= most; n++ {
		if l.bunches(n) {
			continue
		}
		c := l.clone()
		if c.placeTenant(it, with, n) || !l.e.separates() {
			return c
		}
	}
	return nil
}

// bunches says whether keys of one shard would not part evenly over n shards of
// their tenant: that is by xxh64 of the key modulo n, so where the base map
// is the same function modulo N and n and N have a common factor g, n/g of the
// shards get them all.
func (l *layout) bunches(n int) bool {
	p := &l.doc.Placement
	if p.Function != routing.XXH64 || p.Map != routing.ModN || p.Bytes != "key" {
		return false
	}
	g := n
	for rest := p.Shards; rest > 0; {
		g, rest = rest, g%rest
	}
	return g > 1
}

// shardsFor are the fewest shards that the tenant's load could fill, and the
// most that are tried: its keys are not even.
func (l *layout) shardsFor(it *item, with []companion) (least, most int) {
	if !l.e.separates() {
		return 1, 1
	}
	load := it.all.load
	for i := range with {
		if with[i].cache {
			load -= with[i].it.all.load * with[i].it.readPart()
		}
	}
	fills := max(1, int(math.Ceil(load/(l.e.target*l.e.w.seconds))))
	most = max(len(l.e.v.serving), 2*fills)
	target := l.clone().addShard(routing.Dedicated).target
	switch {
	case slices.ContainsFunc(with, func(c companion) bool { return c.salt }):
		return max(2, fills), most
	case math.IsInf(target, 1):
		return 1, 1
	}
	return fills, most
}

// placeTenant lays the tenant on n shards of its own and says whether each can
// bear what it gets. Over several shards its listed keys lie where their bytes
// hash to; the rest is even, with a tenth to spare for the keys not listed.
func (l *layout) placeTenant(it *item, with []companion, n int) bool {
	placed := routing.TenantPlacement{Tenant: it.tenant}
	names := make([]string, 0, n)
	for range n {
		r := l.addShard(routing.Dedicated)
		placed.Shards = append(placed.Shards, r.id)
		names = append(names, l.doc.Shards[r.id].Name)
	}
	l.doc.Tenants = append(slices.DeleteFunc(l.doc.Tenants, func(o routing.TenantPlacement) bool { return o.Tenant == it.tenant }), placed)
	l.steps = append(l.steps,
		l.e.quotaStep(it, l.e.v.defaultQuota(it, l.e)),
		Step{Kind: StepPlaceTenant, Tenant: it.tenant, Shards: names})
	if !l.lay(with, n) {
		return false
	}
	parts := l.tenantParts(it, placed.Shards)
	fits := true
	for i := range l.receivers {
		r := &l.receivers[i]
		k := slices.Index(placed.Shards, r.id)
		if k < 0 {
			continue
		}
		r.gained = parts[k]
		spare, target := 1.0, r.target
		if n > 1 {
			spare = 1.1
			target = min(target, l.e.target) // what is parted is parted to meet it
		}
		fits = fits && spare*l.loadOf(r) <= target
	}
	return fits
}

// tenantParts is what each of its shards gets of a tenant: a key that the plan
// salts lies there in pieces, and what the plan caches does not get there.
func (l *layout) tenantParts(it *item, shards []routing.ShardID) []amount {
	parts := make([]amount, len(shards))
	rest := it.all
	table, err := l.e.v.s.Table.With(l.doc)
	for i := range l.e.v.s.Keys {
		c := &l.e.v.s.Keys[i]
		if err != nil || c.Tenant != it.tenant {
			continue
		}
		tenant, key := []byte(c.Tenant), []byte(c.Key)
		sums := newestSums(c.Panes, l.e.w.panes).part(c.TenantShare)
		rest = rest.minus(l.e.v.amount(sums))
		if l.cached(c) {
			sums = sums.withoutReads()
		}
		salt, salted := table.Salt(tenant, key)
		for _, p := range table.Pieces(tenant, key, nil) {
			at := sums
			if salted {
				at = pieceSums(sums, salt, p.Index)
			}
			if k := slices.Index(shards, p.Shard); k >= 0 {
				parts[k] = parts[k].plus(l.e.v.amount(at))
			}
		}
	}
	for k := range parts {
		parts[k] = parts[k].plus(rest.part(1 / float64(len(shards))))
	}
	return parts
}

// cached says whether the plan caches the reads of a listed key.
func (l *layout) cached(c *Contributor) bool {
	return slices.ContainsFunc(l.steps, func(step Step) bool {
		it := l.e.find(&step)
		return step.Kind == StepCache && it != nil && it.key == c
	})
}

// isolateKey moves the key's vshard to a shard of its own, or its tenant
// where the placement cannot part keys.
func (l *layout) isolateKey(it *item) {
	if !l.e.separates() {
		if whole := l.e.tenant(it.tenant); whole != nil {
			l.isolateTenant(whole)
			return
		}
		l.failed = "the placement cannot part one key from another"
		return
	}
	r := l.addShard(routing.Dedicated)
	r.gained = it.all
	move := routing.Move{VShard: it.key.VShard, To: r.id}
	l.doc.Moves = append(slices.DeleteFunc(l.doc.Moves, func(m routing.Move) bool { return m.VShard == move.VShard }), move)
	l.kept = l.kept.minus(it.on)
	l.moved = l.moved.plus(it.all)
	l.pinned[move.VShard] = true
	key, tenant := it.name()
	l.steps = append(l.steps, Step{Kind: StepPlaceKey, Key: key, Tenant: tenant, Moves: []routing.Move{move}, Shards: []string{l.doc.Shards[r.id].Name}})
}
