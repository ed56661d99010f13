package routing

import (
	"cmp"
	"slices"
	"time"
)

// Schema is the version of the document's form that this code reads and writes.
const Schema = 1

// MaxDocumentBytes bounds an encoded document: it is read by every client every few seconds.
const MaxDocumentBytes = 100 << 10

// Document is the control state of a fleet: an immutable base map and the exceptions to it. The zero value is not
// valid; Adopt makes the first one. It is plain data: copy it with Clone before changing it.
type Document struct {
	// Schema is the version of this form; see Schema.
	Schema int
	// Fleet names the fleet: not empty, at most 255 bytes.
	Fleet string
	// Epoch counts the deciders that claimed the document; Version counts its writes, from 1.
	Epoch, Version uint64
	// Tenure is the random id of the decider that claimed it, empty before the first claim.
	Tenure string
	// Placement is the base map. It never changes.
	Placement Placement
	// Shards are the fleet's shards; a ShardID is an index. Shards are appended, never removed or reordered.
	Shards []Shard
	// Moves are virtual shards that live elsewhere than the base map says, one move each.
	Moves []Move
	// Salts are keys that are spread over pieces, or whose suffixes must be remembered.
	Salts []Salt
	// Tenants are tenants that are placed on shards of their own.
	Tenants []TenantPlacement
	// Quotas limit tenants.
	Quotas []Quota
	// Cached are keys that clients may answer from a cache.
	Cached []CachedKey
	// Stop freezes acting; routing goes on.
	Stop bool
	// Fenced are the places that nobody may serve now, because they are about to change hands: see Fence.
	Fenced []Entry
	// Doubled are the places that are written twice now, while their data moves: see Double.
	Doubled []Double
}

// Move gives a virtual shard to another shard.
type Move struct {
	VShard VShard
	To     ShardID
}

// Salt spreads one key over len(Suffixes) pieces.
type Salt struct {
	// Tenant is part of the key's identity where Placement.IdentifiesTenant; empty everywhere else.
	Tenant string
	// Key is the logical key. It does not contain the separator.
	Key string
	// Suffixes name the pieces. Index 0 is the bare key and its value is ignored; piece i > 0 is key + separator +
	// suffix. Distinct from index 1 on. A single entry is a key that is not salted any more.
	Suffixes []uint32
	// Read and Write are how many pieces readers read and writers write to, the first ones of Suffixes:
	// 1 <= Write <= Read <= len(Suffixes). A salt fully up has both equal to len(Suffixes).
	Read, Write int
	// Tombstones are suffixes whose pieces were folded back. None of them may ever be written again.
	Tombstones []uint32
}

// TenantPlacement puts a tenant on shards of its own. Over several of them its keys and pieces spread by hash; their
// order counts.
type TenantPlacement struct {
	Tenant string
	Shards []ShardID
}

// Quota limits a tenant to Rate requests a second; never 0.
type Quota struct {
	Tenant string
	Rate   float64
}

// CachedKey may be answered from a cache that is at most Staleness old, in whole milliseconds, above 0.
type CachedKey struct {
	// Tenant is part of the key's identity where Placement.IdentifiesTenant; empty everywhere else.
	Tenant, Key string
	Staleness   time.Duration
}

// Adopt makes the first document of an existing fleet, version 1, without moving any key. What p leaves open is
// filled in: see Placement. Errors name the field and its value.
func Adopt(fleet string, p Placement, shards []Shard) (*Document, error) {
	complete, err := p.complete(shards)
	if err != nil {
		return nil, err
	}
	d := &Document{Schema: Schema, Fleet: fleet, Version: 1, Placement: complete, Shards: slices.Clone(shards)}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return d, nil
}

// Clone returns a copy that shares nothing with d.
func (d *Document) Clone() *Document {
	c := *d
	c.Placement = d.Placement.clone()
	c.Shards = slices.Clone(d.Shards)
	c.Moves = slices.Clone(d.Moves)
	c.Salts = slices.Clone(d.Salts)
	for i := range c.Salts {
		c.Salts[i].Suffixes = slices.Clone(c.Salts[i].Suffixes)
		c.Salts[i].Tombstones = slices.Clone(c.Salts[i].Tombstones)
	}
	c.Tenants = slices.Clone(d.Tenants)
	for i := range c.Tenants {
		c.Tenants[i].Shards = slices.Clone(c.Tenants[i].Shards)
	}
	c.Quotas = slices.Clone(d.Quotas)
	c.Cached = slices.Clone(d.Cached)
	c.Fenced = slices.Clone(d.Fenced)
	c.Doubled = slices.Clone(d.Doubled)
	return &c
}

// Normalize brings d into its canonical order, in place: exceptions sorted by what they are about, tombstones
// ascending, empty lists nil. Orders that mean something (shards, suffixes, a tenant's shards, bounds) stay.
func (d *Document) Normalize() {
	d.Placement.Bounds = orNil(d.Placement.Bounds)
	d.Placement.Owners = orNil(d.Placement.Owners)
	d.Shards = orNil(d.Shards)
	d.Moves = orNil(d.Moves)
	slices.SortStableFunc(d.Moves, func(a, b Move) int { return cmp.Compare(a.VShard, b.VShard) })
	d.Salts = orNil(d.Salts)
	slices.SortStableFunc(d.Salts, func(a, b Salt) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Key, b.Key))
	})
	for i := range d.Salts {
		d.Salts[i].Suffixes = orNil(d.Salts[i].Suffixes)
		d.Salts[i].Tombstones = orNil(d.Salts[i].Tombstones)
		slices.Sort(d.Salts[i].Tombstones)
	}
	d.Tenants = orNil(d.Tenants)
	slices.SortStableFunc(d.Tenants, func(a, b TenantPlacement) int { return cmp.Compare(a.Tenant, b.Tenant) })
	for i := range d.Tenants {
		d.Tenants[i].Shards = orNil(d.Tenants[i].Shards)
	}
	d.Quotas = orNil(d.Quotas)
	slices.SortStableFunc(d.Quotas, func(a, b Quota) int { return cmp.Compare(a.Tenant, b.Tenant) })
	d.Cached = orNil(d.Cached)
	slices.SortStableFunc(d.Cached, func(a, b CachedKey) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Key, b.Key))
	})
	d.Fenced = orNil(d.Fenced)
	slices.SortStableFunc(d.Fenced, CompareEntries)
	d.Doubled = orNil(d.Doubled)
	slices.SortStableFunc(d.Doubled, func(a, b Double) int { return CompareEntries(a.Entry, b.Entry) })
}

func orNil[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}
