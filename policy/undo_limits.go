package policy

import (
	"slices"
	"time"

	"firebreak/routing"
)

// undoLimits takes back quotas and cached keys once all that they hold back
// would fit where it would come to.
func (w *watcher) undoLimits(low map[string]time.Time) {
	doc := w.s.Table.Document()
	for _, q := range doc.Quotas {
		step := Step{Kind: StepLiftQuota, Tenant: q.Tenant}
		w.ripen(low, FixQuota, &step, w.fitsUnlimited(q.Tenant), routing.QuotaEntry(q.Tenant))
	}
	for _, c := range doc.Cached {
		step := Step{Kind: StepUncache, Tenant: c.Tenant, Key: c.Key}
		w.ripen(low, FixCache, &step, w.fitsUncached(&c), routing.CacheEntry(c.Tenant, c.Key))
	}
}

// kept is what clients keep from the log of a tenant, or of a key; ok is false
// where nobody says. A log that is written before quotas and caches has all of it.
func (w *watcher) kept(tenant, key string) (load float64, ok bool) {
	if w.s.LogPoint == LogPointClient {
		return 0, true
	}
	for _, d := range w.s.World.Demand {
		if d.Key == key && (tenant == "" || d.Tenant == tenant) {
			load, ok = load+d.Rate, true
		}
	}
	return load, ok
}

// fitsUnlimited says whether all that a tenant asks for would fit where the
// tenant lies: all of what is refused on the fullest of those shards at once is
// the safe reading.
func (w *watcher) fitsUnlimited(tenant string) bool {
	refused, known := w.kept(tenant, "")
	if !known {
		return false
	}
	shards, placed := w.s.Table.PlacedTenant([]byte(tenant))
	if !placed {
		for i := range w.s.Pairs {
			if p := &w.s.Pairs[i]; p.Tenant == tenant {
				shards = append(shards, p.Shard)
			}
		}
	}
	if len(shards) == 0 && refused > 0 { // it is none of the heaviest, and may lie anywhere
		shards = w.views[0].serving
	}
	return !slices.ContainsFunc(shards, func(id routing.ShardID) bool { return !w.bears(id, nil, refused) })
}

// fitsUncached says whether a key's reads would fit where they would come to.
func (w *watcher) fitsUncached(c *routing.CachedKey) bool {
	answered, known := w.kept(c.Tenant, c.Key)
	if !known {
		return false
	}
	tenant := c.Tenant
	for i := range w.s.Keys {
		if k := &w.s.Keys[i]; tenant == "" && k.Key == c.Key {
			tenant = k.Tenant
		}
	}
	pieces := w.s.Table.Pieces([]byte(tenant), []byte(c.Key), nil)
	return !slices.ContainsFunc(pieces, func(p routing.Piece) bool { return !w.bears(p.Shard, nil, answered) })
}
