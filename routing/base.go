package routing

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// base is a placement compiled: bytes -> virtual shard -> owner, without any exception. It never changes and is shared
// by all tables of a fleet.
type base struct {
	placement Placement
	hasher
	parts     []part
	hasKey    bool
	hasTenant bool
	// identifiesTenant says that the tenant is part of a key's identity.
	identifiesTenant bool
	rawKey           bool // the bytes are the key itself
	rawTenant        bool // the bytes are the tenant itself
	vshards          int  // 0 where the map is Explicit: it has 64 for each shard of the document
	owners           []ShardID
	bounds           []wide   // Ranges of numbers: segment i+1 starts at bounds[i]
	keyBounds        [][]byte // Ranges of bytes
	ring             []point  // ascending; segment i ends at ring[i], which owns it
}

// point is one point of the ring.
type point struct {
	at    wide
	shard ShardID
}

// newBase compiles a complete placement over shards. Errors name the field and its value.
func newBase(p Placement, shards []Shard) (*base, error) {
	if err := p.check(shards); err != nil {
		return nil, err
	}
	parts, err := parseTemplate(p.Bytes)
	if err != nil {
		return nil, fmt.Errorf("placement.bytes: %w", err)
	}
	b := &base{
		placement: p.clone(), hasher: newHasher(p.Function), parts: parts, vshards: p.VShards,
		hasKey: p.HasKey(), hasTenant: p.HasTenant(), rawKey: p.Bytes == "key", rawTenant: p.Bytes == "tenant",
		identifiesTenant: p.IdentifiesTenant(),
	}
	switch p.Map {
	case ModN:
		b.owners = modOwners(p.VShards, p.Shards)
	case List:
		b.owners, err = runOwners(p.Owners, p.VShards, p.Shards)
	case Ranges:
		if b.owners, err = runOwners(p.Owners, p.VShards, p.Shards); err == nil {
			err = b.setBounds()
		}
	case Ring:
		b.setRing(shards[:p.Shards])
	case Explicit, MapUnknown:
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

func modOwners(v, n int) []ShardID {
	owners := make([]ShardID, v)
	for i := 0; i < v; i += n {
		for s := range min(n, v-i) {
			owners[i+s] = ShardID(s)
		}
	}
	return owners
}

// runOwners spreads the runs over v slots and refuses gaps and overlaps.
func runOwners(runs []OwnerRun, v, n int) ([]ShardID, error) {
	owners := make([]ShardID, 0, v)
	for i, run := range runs {
		if run.First != len(owners) || run.Last < run.First || run.Last >= v {
			return nil, fmt.Errorf("placement.owners[%d]: %d-%d, want a run that starts at %d and ends before %d",
				i, run.First, run.Last, len(owners), v)
		}
		if run.Shard < 0 || int(run.Shard) >= n {
			return nil, fmt.Errorf("placement.owners[%d].shard: %d, want 0 to %d", i, run.Shard, n-1)
		}
		for len(owners) <= run.Last {
			owners = append(owners, run.Shard)
		}
	}
	if len(owners) != v {
		return nil, fmt.Errorf("placement.owners: cover %d of %d slots", len(owners), v)
	}
	return owners, nil
}

func (b *base) setBounds() error {
	if b.function == Identity {
		b.keyBounds = b.placement.Bounds
		for i := 1; i < len(b.keyBounds); i++ {
			if bytes.Compare(b.keyBounds[i-1], b.keyBounds[i]) >= 0 {
				return fmt.Errorf("placement.bounds[%d]: %q does not come after %q", i, b.keyBounds[i], b.keyBounds[i-1])
			}
		}
		return nil
	}
	for i, text := range b.placement.Bounds {
		at, err := parseBound(b.function, string(text))
		if err != nil {
			return fmt.Errorf("placement.bounds[%d]: %w", i, err)
		}
		if i > 0 && !b.bounds[i-1].less(at) {
			return fmt.Errorf("placement.bounds[%d]: %s does not come after %s", i, text, b.placement.Bounds[i-1])
		}
		b.bounds = append(b.bounds, at)
	}
	return nil
}

// setRing places VirtualNodes points for each shard: point i of a shard is the function's value of "name-i". Points that
// coincide are ordered by shard, and the first one owns.
func (b *base) setRing(shards []Shard) {
	var name []byte
	for s, shard := range shards {
		for i := range b.placement.VirtualNodes {
			name = strconv.AppendInt(append(append(name[:0], shard.Name...), '-'), int64(i), 10)
			b.ring = append(b.ring, point{at: b.position(name), shard: ShardID(s)})
		}
	}
	slices.SortStableFunc(b.ring, func(x, y point) int {
		return cmp.Or(cmp.Compare(x.at.hi, y.at.hi), cmp.Compare(x.at.lo, y.at.lo), cmp.Compare(x.shard, y.shard))
	})
	b.owners = make([]ShardID, len(b.ring))
	for i := range b.ring {
		b.owners[i] = b.ring[i].shard
	}
}

// place is the virtual shard of placement bytes.
func (b *base) place(data []byte) VShard {
	switch b.placement.Map {
	case ModN, List:
		if b.function == Jump {
			return b.jumpPlace(data)
		}
		return VShard(b.mod(data, uint64(b.vshards)))
	case Ranges:
		if b.function == Identity {
			return VShard(segmentOfBytes(b.keyBounds, data))
		}
		return VShard(segmentOf(b.bounds, b.position(data)))
	case Ring:
		return VShard(ringSegment(b.ring, b.position(data)))
	case Explicit, MapUnknown:
	}
	return NoVShard
}

// jumpPlace subdivides the bucket of the jump: bucket + N x (an independent hash mod V/N), so that mod N gives the bucket
// back.
func (b *base) jumpPlace(data []byte) VShard {
	n := b.placement.Shards
	h := b.value(data).lo
	fine := mix64(h) % uint64(b.vshards/n)
	return VShard(jump(h, n) + n*int(fine))
}

// bucket is the virtual shard of placement bytes among the 64 of an explicit shard.
func (b *base) bucket(data []byte) VShard { return VShard(b.mod(data, ExplicitBuckets)) }

// segmentOf counts the bounds at or below v.
func segmentOf(bounds []wide, v wide) int {
	lo, hi := 0, len(bounds)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if v.less(bounds[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

func segmentOfBytes(bounds [][]byte, data []byte) int {
	lo, hi := 0, len(bounds)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if bytes.Compare(data, bounds[mid]) < 0 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// ringSegment is the first point at or after v, the first of all behind the last.
func ringSegment(ring []point, v wide) int {
	lo, hi := 0, len(ring)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if ring[mid].at.less(v) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(ring) {
		return 0
	}
	return lo
}
