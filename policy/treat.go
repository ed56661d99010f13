package policy

import (
	"slices"
	"strconv"

	"firebreak/routing"
)

const (
	// maxPieces bounds a salt: a fan-out read asks every piece.
	maxPieces = 128
	// suffixTries bounds the search for suffixes that land where they should.
	suffixTries = 1 << 14
	// callerShare of one caller makes it the thing to limit.
	callerShare = 0.5
	// readHot is the share of reads from which a cache is tried before a salt.
	readHot = 0.5
	// leastWrites of a key is what makes a salt worth while.
	leastWrites = 0.01
	// leastQuota is the least part of its load that a quota may leave a tenant.
	leastQuota = 0.01
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
// load needs where the placement can part its keys.
func (l *layout) isolateTenant(it *item) {
	for n := 1; n <= len(l.e.v.serving); n++ {
		c := l.clone()
		fits := c.placeTenant(it, n)
		if fits || !l.e.separates() {
			*l = *c
			break
		}
		if n == len(l.e.v.serving) {
			l.failed = "even as many shards as the fleet has could not bear the tenant"
			return
		}
	}
	l.kept = l.kept.minus(it.on)
	l.moved = l.moved.plus(it.all)
	l.tenants = append(l.tenants, it.tenant)
}

// placeTenant lays the tenant on n shards of its own and says whether each can
// bear what it gets. Over several shards its listed keys lie where their bytes
// hash to; the rest is even, with a tenth to spare for the keys not listed.
func (l *layout) placeTenant(it *item, n int) bool {
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
	parts := l.tenantParts(it, placed.Shards)
	fits := true
	for i := range l.receivers {
		r := &l.receivers[i]
		if k := slices.Index(placed.Shards, r.id); k >= 0 {
			r.gained = parts[k]
			spare := 1.0
			if n > 1 {
				spare = 1.1
			}
			fits = fits && spare*l.loadOf(r) <= r.target
		}
	}
	return fits
}

// tenantParts is what each of its shards gets of a tenant.
func (l *layout) tenantParts(it *item, shards []routing.ShardID) []amount {
	parts := make([]amount, len(shards))
	rest := it.all
	table, err := l.e.v.s.Table.With(l.doc)
	for i := range l.e.v.s.Keys {
		c := &l.e.v.s.Keys[i]
		if err != nil || len(shards) == 1 || c.Tenant != it.tenant {
			continue
		}
		if k := slices.Index(shards, table.Locate([]byte(c.Tenant), []byte(c.Key)).Shard); k >= 0 {
			a := l.e.v.of(c.Panes, l.e.w.panes).part(c.TenantShare)
			parts[k] = parts[k].plus(a)
			rest = rest.minus(a)
		}
	}
	for k := range parts {
		parts[k] = parts[k].plus(rest.part(1 / float64(len(shards))))
	}
	return parts
}

// isolateKey moves the key's vshard to a shard of its own, or its tenant
// where the placement cannot part keys.
func (l *layout) isolateKey(it *item) {
	if !l.e.separates() {
		for i := range l.e.tenants {
			if l.e.tenants[i].tenant == it.tenant {
				l.isolateTenant(&l.e.tenants[i])
				return
			}
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

// quota limits the tenant to what the hot shard has room for; never to nothing.
func (l *layout) quota(it *item) {
	rest := l.kept.minus(it.on)
	part := l.room(rest) / it.on.load
	if part < leastQuota {
		l.failed = "what is left without the tenant may be over the target already: a quota would have to be 0"
		return
	}
	l.kept = rest
	l.steps = append(l.steps, l.e.quotaStep(it, l.limit(it.on, part)*it.all.load/l.e.w.seconds))
}

// limitFill is the part of its room that a limit fills: which part of the load it holds back is measured too.
const limitFill = 0.9

// room is what a limit may let through to the hot shard beside rest, as load over the window.
func (l *layout) room(rest amount) float64 {
	fill := limitFill
	if rest.load < (1-limitFill)*l.e.load.load {
		fill = 1 - 1e-9 // next to nothing lies beside it
	}
	return fill * (l.e.target*l.e.w.seconds - l.limited - rest.upper(l.alpha, l.unseen))
}

// limit lets a part of a load through, at most all of it, and returns the part.
func (l *layout) limit(on amount, part float64) float64 {
	part = min(part, 1)
	l.limited += part * on.load
	return part
}

func (e *evidence) quotaStep(it *item, rate float64) Step {
	return Step{Kind: StepQuota, Tenant: it.tenant, Rate: rate, Refused: max(0, it.all.load/e.w.seconds-rate)}
}

// limitCaller limits the caller that sends most of the contributor to what the
// hot shard has room for; never to nothing, what is left is for a split.
func (l *layout) limitCaller(it *item) {
	if it.caller == "" || it.callers < callerShare {
		l.failed = "no one caller sends half of it"
		return
	}
	off := it.on.part(it.callers)
	l.kept = l.kept.minus(off)
	if n := it.on.samples(); n > 0 { // the share is a proportion of so many samples
		l.kept.variance += it.on.load * it.on.load * it.callers * (1 - it.callers) / n
	}
	part := l.limit(off, max(leastQuota, l.room(l.kept)/off.load))
	// What a later split moves may not be what the limit has taken off already.
	if it.key != nil {
		l.pinned[it.key.VShard] = true
	} else {
		l.tenants = append(l.tenants, it.tenant)
	}
	sent := it.all.load * it.callers / l.e.w.seconds
	key, tenant := it.name()
	l.steps = append(l.steps, Step{Kind: StepLimitCaller, Key: key, Tenant: tenant, Caller: it.caller, Rate: part * sent, Refused: (1 - part) * sent})
}

// defaultQuota is the tenant's highest 5-minute rate of the 7 days before the
// onset x 1.2; without a history, what its shard had room for.
func (v *view) defaultQuota(it *item, e *evidence) float64 {
	for _, h := range v.s.Inputs.Histories {
		if h.Tenant == it.tenant && h.Peak > 0 {
			return 1.2 * h.Peak
		}
	}
	rest := e.load.minus(it.on)
	room := max(e.target*e.w.seconds-rest.load, leastQuota*it.on.load)
	return min(room, it.on.load) / e.w.seconds * it.all.load / max(it.on.load, 1e-300)
}
