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

// piece is what each of s pieces carries: 1/s of the writes and all of the
// reads, unless those are cached.
func (it *item) piece(s int, cached bool) amount {
	part := it.writePart()/float64(s) + it.unknown
	if !cached {
		part += it.readPart()
	}
	return it.all.part(part)
}

// piecesHere is how many of the key's pieces lie on the hot shard and stay
// there: its bare piece, or those of an older salt, which may have collided.
func (e *evidence) piecesHere(it *item) float64 {
	t, tenant, key := e.v.s.Table, []byte(it.tenant), []byte(it.key.Key)
	if _, had := t.Salt(tenant, key); !had {
		return 1
	}
	n := 0.0
	for _, p := range t.Pieces(tenant, key, nil) {
		if p.Shard == e.id {
			n++
		}
	}
	return n
}

// salt spreads the key of it over s pieces on distinct shards, the coldest
// first; with cached, its reads no longer reach the shards.
func (l *layout) salt(it *item, s int, cached bool) bool {
	t := l.e.v.s.Table
	key, tenant := it.name()
	old, had := t.Salt([]byte(tenant), []byte(key))
	entry := routing.Salt{Key: key, Suffixes: []uint32{0}}
	if l.doc.Placement.IdentifiesTenant() {
		entry.Tenant = tenant
	}
	if had && s <= len(old.Suffixes) {
		l.failed = "the key is salted over " + itoa(len(old.Suffixes)) + " pieces already"
		return false
	}
	var taken []routing.ShardID
	if had {
		entry = routing.Salt{Tenant: old.Tenant, Key: old.Key, Suffixes: slices.Clone(old.Suffixes), Tombstones: slices.Clone(old.Tombstones)}
		for _, p := range t.Pieces([]byte(tenant), []byte(key), nil) {
			taken = append(taken, p.Shard)
		}
	} else {
		taken = []routing.ShardID{l.e.id}
	}
	piece := it.piece(s, cached)
	l.kept = l.kept.minus(it.on).plus(piece.times(l.e.piecesHere(it)))
	wanted := l.pieceShards(taken, s-len(entry.Suffixes), piece)
	if wanted == nil && s > len(entry.Suffixes) {
		l.failed = "fewer than " + itoa(s) + " shards have room for a piece"
		return false
	}
	if l.pinned[it.key.VShard] = true; !l.layPieces(&entry, it, wanted) {
		return false
	}
	entry.Read, entry.Write = len(entry.Suffixes), len(entry.Suffixes)
	l.doc.Salts = append(slices.DeleteFunc(l.doc.Salts, func(o routing.Salt) bool { return o.Tenant == entry.Tenant && o.Key == entry.Key }), entry)
	l.steps = append(l.steps, Step{Kind: StepSalt, Key: key, Tenant: tenant, Salt: &entry})
	l.moved = l.moved.plus(piece.times(float64(len(wanted))))
	if l.pieces == 0 { // of several keys the first is the one that is named
		l.pieces, l.keyReads = len(entry.Suffixes), float64(len(entry.Suffixes))
		if cached {
			l.keyReads = 1
		}
	}
	return true
}

// pieceShards picks the n coldest receivers that can take a piece, and loads them.
func (l *layout) pieceShards(taken []routing.ShardID, n int, piece amount) []routing.ShardID {
	var out []routing.ShardID
	for _, r := range l.coldest() {
		if len(out) == n {
			break
		}
		if slices.Contains(taken, r.id) || !l.fits(r, piece) {
			continue
		}
		r.gained = r.gained.plus(piece)
		out = append(out, r.id)
	}
	if len(out) < n {
		return nil
	}
	return out
}

// layPieces searches suffixes whose pieces land on exactly the wanted shards:
// independent hashing would let them collide. Where the log names the shard
// the placement is the store's and no suffix can be proved.
func (l *layout) layPieces(entry *routing.Salt, it *item, wanted []routing.ShardID) bool {
	t := l.e.v.s.Table
	if t.Document().Placement.Map == routing.Explicit {
		for i := range wanted {
			entry.Suffixes = append(entry.Suffixes, uint32(i+1))
		}
		return true
	}
	key, tenant := it.name()
	left := slices.Clone(wanted)
	for suffix := uint32(1); suffix <= suffixTries && len(left) > 0; suffix++ {
		if slices.Contains(entry.Suffixes, suffix) || slices.Contains(entry.Tombstones, suffix) {
			continue
		}
		if i := slices.Index(left, t.PieceShard([]byte(tenant), []byte(key), suffix)); i >= 0 {
			left = slices.Delete(left, i, i+1)
			entry.Suffixes = append(entry.Suffixes, suffix)
		}
	}
	if len(left) > 0 {
		l.failed = "no suffix lands on " + itoa(len(left)) + " of the shards wanted"
		return false
	}
	return true
}

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
	room := l.e.target*l.e.w.seconds - l.limited - rest.upper(l.alpha, l.unseen)
	if room < leastQuota*it.on.load {
		l.failed = "what is left without the tenant may be over the target already: a quota would have to be 0"
		return
	}
	room = min(room*(1-1e-9), it.on.load)
	l.kept = rest
	l.limited += room
	l.steps = append(l.steps, l.e.quotaStep(it, room/it.on.load*it.all.load/l.e.w.seconds))
}

func (e *evidence) quotaStep(it *item, rate float64) Step {
	return Step{Kind: StepQuota, Tenant: it.tenant, Rate: rate, Refused: max(0, it.all.load/e.w.seconds-rate)}
}

// limitCaller limits the caller that sends most of the contributor.
func (l *layout) limitCaller(it *item) {
	if it.caller == "" || it.callers < callerShare {
		l.failed = "no one caller sends half of it"
		return
	}
	off := it.on.part(it.callers)
	l.kept = l.kept.minus(off)
	key, tenant := it.name()
	l.steps = append(l.steps, Step{Kind: StepLimitCaller, Key: key, Tenant: tenant, Caller: it.caller})
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
