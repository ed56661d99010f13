package policy

import (
	"slices"

	"firebreak/routing"
)

// lightVShard is the part of the target that a virtual shard may carry which
// goes to an added shard for the sake of a piece; emptyShare is the part that
// the pieces themselves may fill.
const (
	lightVShard = 0.01
	emptyShare  = 0.9
)

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
	step := Step{Kind: StepSalt, Key: key, Tenant: tenant, Salt: &entry}
	for _, id := range l.grown {
		step.Shards = append(step.Shards, l.doc.Shards[id].Name)
	}
	l.steps = append(l.steps, step)
	l.moved = l.moved.plus(piece.times(float64(len(wanted))))
	if l.pieces == 0 { // of several keys the first is the one that is named
		l.pieces, l.keyReads = len(entry.Suffixes), float64(len(entry.Suffixes))
		if cached {
			l.keyReads = 1
		}
	}
	return true
}

// pieceShards picks the n coldest receivers that can take a piece, and loads
// them; shards added for pieces may take several.
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
	for i := range l.receivers {
		r := &l.receivers[i]
		if !slices.Contains(l.grown, r.id) {
			continue
		}
		// Pieces of one key are wrong by the same factor: k of them on one shard vary k^2 times as much as one.
		more := piece
		for k := 2.0; len(out) < n && slices.Contains(out, r.id); k++ {
			more.variance = piece.variance * (2*k - 1)
			if !l.fits(r, more) {
				break
			}
			r.gained = r.gained.plus(more)
			out = append(out, r.id)
		}
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
	left = l.layOnAdded(entry, it, left)
	if len(left) > 0 {
		l.failed = "no suffix lands on " + itoa(len(left)) + " of the shards wanted"
		return false
	}
	return true
}

// layOnAdded lays pieces on shards that the plan adds: no suffix leads there
// until the virtual shard of one is moved. It returns the shards it was not for.
func (l *layout) layOnAdded(entry *routing.Salt, it *item, wanted []routing.ShardID) []routing.ShardID {
	var left []routing.ShardID
	t := l.e.v.s.Table
	key, tenant := it.name()
	suffix := uint32(0)
	var carried []amount
	for _, to := range wanted {
		if !slices.Contains(l.grown, to) {
			left = append(left, to)
			continue
		}
		if carried == nil {
			carried = l.e.carried()
		}
		laid := false
		for !laid && suffix < suffixTries {
			suffix++
			v, owner := t.PiecePlace([]byte(tenant), []byte(key), suffix)
			if slices.Contains(entry.Suffixes, suffix) || slices.Contains(entry.Tombstones, suffix) ||
				v < 0 || owner == l.e.id || l.pinned[v] || !l.moveLight(v, carried[v], to) {
				continue
			}
			entry.Suffixes, laid = append(entry.Suffixes, suffix), true
		}
		if !laid {
			left = append(left, to)
		}
	}
	return left
}

// moveLight moves a virtual shard of another shard to an added one, if what it
// carries is next to nothing.
func (l *layout) moveLight(v routing.VShard, carried amount, to routing.ShardID) bool {
	if carried.upperNormal(l.z) > lightVShard*l.e.target*l.e.w.seconds {
		return false
	}
	r := &l.receivers[slices.IndexFunc(l.receivers, func(r receiver) bool { return r.id == to })]
	r.gained = r.gained.plus(carried)
	l.moves, l.pinned[v] = append(l.moves, routing.Move{VShard: v, To: to}), true
	return true
}

// carried is what each virtual shard carried over the long window, as a sum
// over the evidence's.
func (e *evidence) carried() []amount {
	out := make([]amount, e.v.s.Table.VShards())
	for i := range e.v.s.Panes {
		for _, v := range e.v.s.Panes[i].VShards {
			out[v.VShard] = out[v.VShard].plus(v.in(e.v.dim))
		}
	}
	for i := range out {
		out[i] = out[i].times(float64(e.w.panes) / float64(len(e.v.s.Panes)))
	}
	return out
}
