package policy

import (
	"slices"

	"firebreak/routing"
)

// companion is a contributor key whose tenant the plan isolates: it goes where
// the tenant goes, and is treated there. The zero value stays as it is.
type companion struct {
	it    *item
	salt  bool // over the tenant's shards, one piece a shard
	cache bool // its reads never get there
}

// goesWith takes a key off the hot shard whose tenant one of the later
// contributors is: pieces laid elsewhere would follow the tenant all the same.
func (l *layout) goesWith(it *item, how Fix, later []item) bool {
	if it.key == nil || !l.e.separates() || how != FixSalt && how != FixCache {
		return false
	}
	if !slices.ContainsFunc(later, func(o item) bool { return o.key == nil && it.ownedBy(o.tenant) }) {
		return false
	}
	l.kept = l.kept.minus(it.on)
	l.with = append(l.with, companion{it: it, salt: how == FixSalt, cache: how == FixCache})
	return true
}

// companions are the ways to treat the keys that go with a tenant: as their ops
// suggest, then both salted and cached.
func (l *layout) companions(tenant string) [][]companion {
	var plain, both []companion
	for _, c := range l.with {
		if !c.it.ownedBy(tenant) {
			continue
		}
		plain = append(plain, c)
		c.salt = c.salt || c.it.writePart() >= leastWrites
		c.cache = c.cache || c.it.readPart() > 0
		both = append(both, c)
	}
	if slices.Equal(plain, both) {
		return [][]companion{plain}
	}
	return [][]companion{plain, both}
}

// lay treats the keys that go with a tenant which the candidate places on n shards.
func (l *layout) lay(with []companion, n int) bool {
	table, err := l.e.v.s.Table.With(l.doc)
	for _, c := range with {
		if c.cache {
			l.steps = append(l.steps, cacheStep(c.it))
		}
		if !c.salt {
			continue
		}
		if err != nil || !l.laySpread(table, c, n) {
			return false
		}
	}
	return true
}

// laySpread salts a key over s pieces, as evenly over its placed tenant's shards as
// they allow. Pieces of an older salt stay.
func (l *layout) laySpread(table *routing.Table, c companion, s int) bool {
	key, tenant := c.it.name()
	entry := routing.Salt{Key: key, Suffixes: []uint32{0}}
	if c.it.owned {
		entry.Tenant = tenant
	}
	if old, had := table.Salt([]byte(c.it.tenant), []byte(key)); had {
		entry = routing.Salt{Tenant: old.Tenant, Key: old.Key, Suffixes: slices.Clone(old.Suffixes), Tombstones: slices.Clone(old.Tombstones)}
	}
	if s > maxPieces || s <= len(entry.Suffixes) {
		return false
	}
	extendEvenly(table, c.it, &entry, s)
	entry.Read, entry.Write = len(entry.Suffixes), len(entry.Suffixes)
	l.doc.Salts = append(slices.DeleteFunc(l.doc.Salts, func(o routing.Salt) bool { return o.Tenant == entry.Tenant && o.Key == entry.Key }), entry)
	l.steps = append(l.steps, Step{Kind: StepSalt, Key: key, Tenant: tenant, Salt: &entry})
	if l.pieces == 0 {
		l.pieces, l.keyReads = len(entry.Suffixes), float64(len(entry.Suffixes))
		if c.cache {
			l.keyReads = 1
		}
	}
	return len(entry.Suffixes) == s
}

// extendEvenly adds suffixes up to s of them, each on a shard of the placed
// tenant that has the fewest pieces so far.
func extendEvenly(table *routing.Table, it *item, entry *routing.Salt, s int) {
	tenant, key := []byte(it.tenant), []byte(it.key.Key)
	shards, _ := table.PlacedTenant(tenant)
	pieces := map[routing.ShardID]int{}
	for _, p := range table.Pieces(tenant, key, nil) {
		pieces[p.Shard]++
	}
	for suffix := uint32(1); suffix <= suffixTries && len(entry.Suffixes) < s; suffix++ {
		if slices.Contains(entry.Suffixes, suffix) || slices.Contains(entry.Tombstones, suffix) {
			continue
		}
		least := s
		for _, id := range shards {
			least = min(least, pieces[id])
		}
		if at := table.PieceShard(tenant, key, suffix); pieces[at] == least {
			pieces[at]++
			entry.Suffixes = append(entry.Suffixes, suffix)
		}
	}
}
