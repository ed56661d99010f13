package policy

import (
	"math"

	"firebreak/routing"
)

// saltEnough takes the smallest salt that meets the target; where none does
// because every piece carries the reads, a salt with a cache for those.
func (l *layout) saltEnough(it *item, rest amount) {
	if it.writePart() < leastWrites && it.unknown < leastWrites {
		l.failed = "it is read: every piece would carry all of it"
		return
	}
	plain := l.clone()
	if plain.smallestSalt(it, false, rest) {
		*l = *plain
		return
	}
	if it.readPart() > 0 {
		cached := l.clone()
		if cached.smallestSalt(it, true, rest) {
			cached.steps = append(cached.steps, cacheStep(it))
			*l = *cached
			return
		}
	}
	l.failed = plain.failed
}

// smallestSalt applies the smallest salt with which the shard would meet its
// target once rest is treated too.
func (l *layout) smallestSalt(it *item, cached bool, rest amount) bool {
	most := min(maxPieces, 1+len(l.receivers))
	least := 2
	key, tenant := it.name()
	if old, had := l.e.v.s.Table.Salt([]byte(tenant), []byte(key)); had {
		least = len(old.Suffixes) + 1
	}
	for s := least; s <= most; s++ {
		if !l.couldMeet(it, s, cached, rest) {
			continue
		}
		c := l.clone()
		if c.salt(it, s, cached) && c.meets(rest) {
			*l = *c
			return true
		}
		l.failed = c.failed
		return false
	}
	if l.saltOnAdded(it, least, cached, rest) {
		return true
	}
	l.failed = "no number of pieces up to one a shard brings it under the target"
	return false
}

// saltOnAdded applies a salt for which the fleet lacks room, with as few added
// shards as make it. Each of them takes the virtual shards of as many pieces as
// it can bear.
func (l *layout) saltOnAdded(it *item, least int, cached bool, rest amount) bool {
	switch {
	case l.doc.Placement.Map == routing.Explicit: // the store places: no piece can be laid
		return false
	case !l.e.exceeds(it): // what fits a shard wants room, not pieces
		return false
	case l.e.v.capacity(l.doc.Shards[l.e.id]) == 0: // more shards would lower the mean, and the target with it
		return false
	}
	pieces, added := 0, 0
	for s := least; s <= maxPieces; s++ {
		cool, open := l.roomForPieces(it, s, cached, rest)
		each := math.Floor(emptyShare * l.e.target * l.e.w.seconds / it.piece(s, cached).upperNormal(l.z))
		if !cool || each < 1 {
			continue
		}
		if n := int(math.Ceil(float64(s-open) / each)); pieces == 0 || n < added {
			pieces, added = s, n
		}
	}
	if pieces == 0 || added > len(l.e.v.serving) {
		return false
	}
	c := l.clone()
	var names []string
	for range added {
		r := c.addShard(routing.Serving)
		r.target *= emptyShare
		c.grown = append(c.grown, r.id)
		names = append(names, c.doc.Shards[r.id].Name)
	}
	c.steps = append(c.steps, Step{Kind: StepAddShards, Shards: names})
	if !c.salt(it, pieces, cached) || !c.meets(rest) {
		return false
	}
	*l = *c
	return true
}

// couldMeet says whether s pieces would do, before suffixes are searched: the
// hot shard and as many receivers as there are new pieces have room for one.
func (l *layout) couldMeet(it *item, s int, cached bool, rest amount) bool {
	cool, open := l.roomForPieces(it, s, cached, rest)
	return cool && open >= s
}

// roomForPieces says whether the hot shard meets its target with one of s
// pieces, and how many shards could bear one, itself included.
func (l *layout) roomForPieces(it *item, s int, cached bool, rest amount) (cool bool, open int) {
	piece := it.piece(s, cached)
	c := *l
	c.kept = l.kept.minus(it.on).plus(piece.times(l.e.piecesHere(it))).minus(rest)
	open = 1
	for i := range l.receivers {
		if r := &l.receivers[i]; !r.closed && l.fits(r, piece) {
			open++
		}
	}
	return c.home() <= l.e.target, open
}

// meets is feasible once rest is off the hot shard too.
func (l *layout) meets(rest amount) bool {
	if l.failed != "" || l.overfull() != nil {
		return false
	}
	c := *l
	c.kept = l.kept.minus(rest)
	return c.home() <= l.e.target
}
