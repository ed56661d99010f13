package routing

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Table is a document compiled for look-up. It is immutable and safe for concurrent use. A look-up takes no lock and,
// while tenant, key and template together stay under 4 KB, no heap.
type Table struct {
	doc    *Document
	base   *base
	owners []ShardID // by virtual shard, moves applied; shared with base while there are none
	salts  map[string]map[string]*saltEntry
	placed map[string][]ShardID
	fence  *fence    // nil while nothing is fenced
	double *doubling // nil while nothing is written twice
}

// Location is where a key lies.
type Location struct {
	// Shard is NoShard where only the log knows.
	Shard ShardID
	// VShard is the virtual shard of the bytes, whoever serves them; NoVShard where only the log knows.
	VShard VShard
	// Salted says that the key has more than one piece; Shard and VShard are the bare piece's.
	Salted bool
}

// NewTable compiles a valid document. Errors name the field and its value.
func NewTable(d *Document) (*Table, error) {
	if d == nil {
		return nil, errNoDocument
	}
	return compile(d.Clone(), nil)
}

// With compiles another document of the same fleet. It shares the compiled base map with t where placement and the base
// map's shards are equal, which makes a candidate table a matter of microseconds.
func (t *Table) With(d *Document) (*Table, error) {
	if d == nil {
		return nil, errNoDocument
	}
	return compile(d.Clone(), t)
}

func compile(d *Document, prior *Table) (*Table, error) {
	b, err := d.validate(prior)
	if err != nil {
		return nil, err
	}
	t := &Table{doc: d, base: b, owners: b.owners}
	if b.placement.Map == Explicit {
		t.owners = explicitOwners(len(d.Shards))
	}
	if len(d.Moves) > 0 {
		if b.placement.Map != Explicit {
			t.owners = slices.Clone(t.owners)
		}
		for _, m := range d.Moves {
			t.owners[m.VShard] = m.To
		}
	}
	t.placed = make(map[string][]ShardID, len(d.Tenants))
	for _, p := range d.Tenants {
		t.placed[p.Tenant] = p.Shards
	}
	t.compileSalts()
	t.fence = d.compileFence()
	t.double, err = t.compileDoubled()
	return t, err
}

func explicitOwners(shards int) []ShardID {
	owners := make([]ShardID, shards*ExplicitBuckets)
	for v := range owners {
		owners[v] = ShardID(v / ExplicitBuckets)
	}
	return owners
}

// Document returns the document the table was compiled from. It must not be modified.
func (t *Table) Document() *Document { return t.doc }

// Shards is the number of shards of the document, whatever their role.
func (t *Table) Shards() int { return len(t.doc.Shards) }

// VShards is V, the number of virtual shards; 64 a shard where the log names the shard.
func (t *Table) VShards() int { return len(t.owners) }

// SeparatesKeys reports whether two keys of one tenant may lie on different virtual shards.
func (t *Table) SeparatesKeys() bool { return t.base.hasKey || t.base.placement.Map == Explicit }

// PlacesByTenant reports whether the tenant is among the placement bytes.
func (t *Table) PlacesByTenant() bool { return t.base.hasTenant }

// VShard is the virtual shard that the base map gives these bytes, no exception applied. NoVShard where the log names the
// shard: see ExplicitVShard.
func (t *Table) VShard(tenant, key []byte) VShard {
	if t.base.placement.Map == Explicit {
		return NoVShard
	}
	return t.base.vshard(tenant, key)
}

// ExplicitVShard is the virtual shard of a key that the log names shard s for: 64 s + the key's bucket. NoVShard where s is
// none of the document's or the map is not Explicit.
func (t *Table) ExplicitVShard(s ShardID, tenant, key []byte) VShard {
	if t.base.placement.Map != Explicit || s < 0 || int(s) >= len(t.doc.Shards) {
		return NoVShard
	}
	return VShard(s)*ExplicitBuckets + t.base.vshard(tenant, key)
}

// Owner is the shard that owns v, moves applied; NoShard outside 0 <= v < VShards.
func (t *Table) Owner(v VShard) ShardID {
	if v < 0 || int(v) >= len(t.owners) {
		return NoShard
	}
	return t.owners[v]
}

// PlacedTenant returns the shards that a tenant is placed on, in the document's order. The slice must not be modified.
func (t *Table) PlacedTenant(tenant []byte) ([]ShardID, bool) {
	if len(t.placed) == 0 {
		return nil, false
	}
	shards, ok := t.placed[string(tenant)]
	return shards, ok
}

// spread picks one of a placed tenant's shards for the physical key.
func spread(shards []ShardID, physical []byte) ShardID {
	if len(shards) == 1 {
		return shards[0]
	}
	return shards[xxhash.Sum64(physical)%uint64(len(shards))]
}

const (
	smallBuffer = 256
	largeBuffer = 4096
)

// vshard is the virtual shard of (tenant, key); the bucket within its shard where the map is Explicit.
func (b *base) vshard(tenant, key []byte) VShard {
	switch {
	case b.rawKey:
		return b.bytesVShard(key)
	case b.rawTenant:
		return b.bytesVShard(tenant)
	case len(tenant)+len(key) <= smallBuffer/2:
		var buf [smallBuffer]byte
		return b.bytesVShard(appendParts(buf[:0], b.parts, tenant, key))
	}
	return b.largeVShard(tenant, key)
}

//go:noinline
func (b *base) largeVShard(tenant, key []byte) VShard {
	var buf [largeBuffer]byte
	return b.bytesVShard(appendParts(buf[:0], b.parts, tenant, key))
}

func (b *base) bytesVShard(data []byte) VShard {
	if b.placement.Map == Explicit {
		return b.bucket(data)
	}
	return b.place(data)
}
