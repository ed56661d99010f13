package client

import (
	"fmt"
	"sync/atomic"
	"time"

	"firebreak/routing"
)

// view is a document compiled for decisions. It never changes but for passes and the buckets, which guard themselves.
type view struct {
	table  *routing.Table
	doc    *routing.Document
	byName map[string]routing.ShardID
	// identifiesTenant says that the tenant is part of a key's identity.
	identifiesTenant bool
	// cached is how stale an answer may be, by key and then by tenant.
	cached map[string]map[string]time.Duration
	quotas map[string]*bucket
	// passes counts what a Guard let in by this document and has not seen leave.
	passes atomic.Int64
}

// newView compiles a document; prior is what the client holds, nil for the first one. Buckets of quotas that stay are kept with what is in
// them.
func newView(d *routing.Document, prior *view, fleet string) (*view, error) {
	if fleet != "" && d.Fleet != fleet {
		return nil, fmt.Errorf("fleet: the document is of %q, want %q", routing.Escape(d.Fleet), routing.Escape(fleet))
	}
	v := &view{
		byName:           make(map[string]routing.ShardID, len(d.Shards)),
		identifiesTenant: d.Placement.IdentifiesTenant(), quotas: make(map[string]*bucket, len(d.Quotas)),
	}
	var err error
	if prior == nil {
		v.table, err = routing.NewTable(d)
	} else if err = prior.doc.SameBase(d); err == nil {
		v.table, err = prior.table.With(d)
	}
	if err != nil {
		return nil, err
	}
	v.doc = v.table.Document()
	for i := range v.doc.Shards {
		v.byName[v.doc.Shards[i].Name] = routing.ShardID(i)
	}
	v.compileCached()
	for _, q := range v.doc.Quotas {
		b := &bucket{}
		if prior != nil && prior.quotas[q.Tenant] != nil {
			b = prior.quotas[q.Tenant]
		}
		b.setRate(q.Rate)
		v.quotas[q.Tenant] = b
	}
	return v, nil
}

func (v *view) compileCached() {
	v.cached = make(map[string]map[string]time.Duration, len(v.doc.Cached))
	for _, c := range v.doc.Cached {
		if v.cached[c.Key] == nil {
			v.cached[c.Key] = make(map[string]time.Duration, 1)
		}
		v.cached[c.Key][c.Tenant] = c.Staleness
	}
}

// staleness is how old an answer for a key may be; 0 = it is not declared to be cached.
func (v *view) staleness(tenant, key []byte) time.Duration {
	if len(v.cached) == 0 {
		return 0
	}
	tenants := v.cached[string(key)]
	if tenants == nil {
		return 0
	}
	if v.identifiesTenant {
		return tenants[string(tenant)]
	}
	return tenants[""]
}

// quota is the bucket of a tenant; nil where it has no quota.
func (v *view) quota(tenant []byte) *bucket {
	if len(v.quotas) == 0 {
		return nil
	}
	return v.quotas[string(tenant)]
}

// shardName is how the store calls a shard; empty for NoShard.
func (v *view) shardName(s routing.ShardID) string {
	if s < 0 || int(s) >= len(v.doc.Shards) {
		return ""
	}
	return v.doc.Shards[s].Name
}
