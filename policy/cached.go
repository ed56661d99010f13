package policy

import (
	"slices"

	"firebreak/routing"
)

// afterCaches is s without the reads that the caches of a document answer. A log of what shards served has none of them
// anyway; one of what clients sent has them still.
func (s *Snapshot) afterCaches(doc *routing.Document) *Snapshot {
	if len(doc.Cached) == 0 || s.LogPoint == LogPointShard || s.Table == nil {
		return s
	}
	c := *s
	c.Keys, c.Pairs, c.Panes = slices.Clone(s.Keys), slices.Clone(s.Pairs), slices.Clone(s.Panes)
	for i := range c.Panes {
		c.Panes[i].VShards = slices.Clone(c.Panes[i].VShards)
	}
	for i := range c.Keys {
		if k := &c.Keys[i]; cached(doc, k) {
			c.dropReads(k)
		}
	}
	return &c
}

// cached says whether clients may answer reads of a key from a cache.
func cached(doc *routing.Document, k *Contributor) bool {
	tenant := ""
	if doc.Placement.IdentifiesTenant() {
		tenant = k.Tenant
	}
	return slices.ContainsFunc(doc.Cached, func(c routing.CachedKey) bool { return c.Key == k.Key && c.Tenant == tenant })
}

// dropReads takes a key's reads out of s wherever they were counted: the key, its virtual shard, its tenant there. The lists of s are its own.
func (s *Snapshot) dropReads(k *Contributor) {
	panes := slices.Clone(k.Panes)
	home := s.Table.Owner(k.VShard)
	for i := range panes {
		kept := panes[i].withoutReads()
		off := panes[i].less(kept)
		panes[i] = kept
		pane := len(s.Panes) - len(panes) + i
		if pane < 0 {
			continue
		}
		for v := range s.Panes[pane].VShards {
			if at := &s.Panes[pane].VShards[v]; at.VShard == k.VShard {
				at.Sums = at.less(off)
				break
			}
		}
		for p := range s.Pairs {
			if pair := &s.Pairs[p]; pair.Tenant == k.Tenant && k.Tenant != "" && pair.Shard == home {
				pair.dropAt(len(panes)-i, off.scaled(k.TenantShare))
			}
		}
	}
	k.Panes = panes
}

// dropAt takes a part out of the pane that is so many panes from the end, in a list of the pair's own.
func (p *Pair) dropAt(back int, part Sums) {
	if i := len(p.Panes) - back; i >= 0 {
		p.Panes = slices.Clone(p.Panes)
		p.Panes[i] = p.Panes[i].less(part)
	}
}
