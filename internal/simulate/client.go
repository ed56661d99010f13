package simulate

import (
	"time"

	"firebreak/routing"
)

// view is what a client makes of a document: where tenants lie, and what it holds back. Clients that have read the same share it.
type view struct {
	table  *routing.Table
	owners []routing.ShardID // of each tenant by rank
	base   []float64         // of the calm fleet's requests on each shard
	load   map[string][]float64
	quotas map[string]float64       // requests/s of the whole fleet, by tenant
	cached map[string]time.Duration // staleness, by tenant and key
	pieces []routing.Piece          // of the salted key at hand
}

// newView looks up every tenant, unless was has them where the document leaves them.
func (w *World) newView(table *routing.Table, was *view) *view {
	v := &view{table: table, load: map[string][]float64{}, quotas: map[string]float64{}, cached: map[string]time.Duration{}}
	doc := table.Document()
	for _, q := range doc.Quotas {
		v.quotas[q.Tenant] = q.Rate
	}
	for _, c := range doc.Cached {
		v.cached[c.Tenant+"\x00"+c.Key] = c.Staleness
	}
	if was != nil && places(was.table.Document(), doc) {
		v.owners, v.base = was.owners, was.base
		return v
	}
	v.owners = w.tenants.place(table)
	v.base = w.tenants.loads(v.owners, table.Shards())
	return v
}

// places says whether two documents of a fleet place the tenants alike.
func places(was, is *routing.Document) bool {
	if len(was.Shards) != len(is.Shards) {
		return false
	}
	for _, c := range routing.Diff(was, is) {
		if c.Entry.Kind == routing.EntryVShard || c.Entry.Kind == routing.EntryTenant {
			return false
		}
	}
	return true
}

// admits is the part of a scene's requests that pass by the quota of their tenant. What else the tenant sends is too little to be limited.
func (v *view) admits(s *Scene) float64 {
	if rate, limited := v.quotas[s.Tenant]; limited && s.Tenant != "" && s.Rate > 0 {
		return min(1, rate/s.Rate)
	}
	return 1
}

// misses is the part of a scene's reads that the client's cache does not answer: it asks once for each staleness.
func (v *view) misses(s *Scene, clients int) float64 {
	staleness, cached := v.cachedFor(s)
	if !cached {
		return 1
	}
	reads := s.Rate * s.Reads / float64(clients)
	return min(1, 1/(staleness.Seconds()*reads))
}

func (v *view) cachedFor(s *Scene) (time.Duration, bool) {
	if s.Key == "" {
		return 0, false
	}
	staleness, cached := v.cached[s.Tenant+"\x00"+s.Key]
	return staleness, cached
}

// extra is what a scene adds to each shard, requests/s, if all clients held this view.
func (v *view) extra(s *Scene, clients int) []float64 {
	name := s.Shard + s.From.Format(time.RFC3339)
	if e, known := v.load[name]; known {
		return e
	}
	e := make([]float64, len(v.base))
	switch {
	case s.Key != "":
		v.pieces = v.table.Pieces([]byte(s.Tenant), []byte(s.Key), v.pieces[:0])
		read, write := len(v.pieces), len(v.pieces)
		if salt, salted := v.table.Salt([]byte(s.Tenant), []byte(s.Key)); salted {
			read, write = salt.Read, salt.Write
		}
		rate := s.Rate * v.admits(s)
		for i, p := range v.pieces {
			if i < read {
				e[p.Shard] += rate * s.Reads * v.misses(s, clients)
			}
			if i < write {
				e[p.Shard] += rate * (1 - s.Reads) / float64(write)
			}
		}
	case s.Tenant != "":
		e[v.owners[s.tenant]] = s.Rate * v.admits(s)
	default:
		for i, t := range s.busy {
			e[v.owners[t]] += s.more[i]
		}
	}
	v.load[name] = e
	return e
}

// Withheld is what the clients keep from the shards: requests over a tenant's quota, or reads that a cache answers.
type Withheld struct {
	Tenant string
	Key    string  // of reads; empty = of a quota
	Rate   float64 // requests/s; 0 = nothing now
}

// Withheld says what the clients count of each quota and each cached key that one of them knows, at a time.
func (w *World) Withheld(at time.Time) []Withheld {
	active := w.Active(at)
	var out []Withheld
	add := func(tenant, key string, rate float64) {
		for i := range out {
			if out[i].Tenant == tenant && out[i].Key == key {
				out[i].Rate += rate
				return
			}
		}
		out = append(out, Withheld{tenant, key, rate})
	}
	n := float64(len(w.clients))
	for _, v := range w.clients {
		doc := v.table.Document()
		for _, q := range doc.Quotas {
			add(q.Tenant, "", 0)
		}
		for _, c := range doc.Cached {
			add(c.Tenant, c.Key, 0)
		}
		for i := range active {
			s := &active[i]
			if _, limited := v.quotas[s.Tenant]; limited {
				add(s.Tenant, "", s.Rate*(1-v.admits(s))/n)
			}
			if _, cached := v.cachedFor(s); cached {
				add(s.Tenant, s.Key, s.Rate*v.admits(s)*s.Reads*(1-v.misses(s, len(w.clients)))/n)
			}
		}
	}
	return out
}
