package routing

import (
	"bytes"
	"fmt"
	"slices"
)

const (
	// RedisSlots is the number of hash slots of a Redis cluster.
	RedisSlots = 16384
	// minVShards is the least V of a mod-N fleet: fine enough to move a hundredth of a shard at N = 100.
	minVShards = 10240
	// maxVShards bounds V: a table holds one owner for each.
	maxVShards = 1 << 20
	// MaxShards bounds N; more would not fit a document of MaxDocumentBytes.
	MaxShards = 2048
	// defaultVirtualNodes is the number of points a shard has on a ring: libketama's 160.
	defaultVirtualNodes = 160
	// DefaultSeparator stands between a key and the suffix of its piece.
	DefaultSeparator = "#"
)

// Placement is the base map of a fleet. It is fixed when the fleet is adopted; fields that Adopt fills in say so.
type Placement struct {
	// Bytes says what is hashed: "key" or "tenant" raw, as existing fleets hash them; "tenant,key", which is the
	// tenant's length as 4 bytes big-endian, the tenant, the key; or a template such as "{tenant}:{key}", where {{ and
	// }} stand for braces. Adopt fills in "tenant,key" where the map is Explicit: there it sorts keys into buckets, and the
	// same key of two tenants is two keys unless it is "key".
	Bytes string
	// Function makes a number of the bytes. Adopt fills in XXH64 where the map is Explicit.
	Function Function
	// Map makes a shard of the number.
	Map OwnerMap
	// Shards is N of the base map: the first N shards of the document take part in it. 0 lets Adopt count the serving
	// and draining ones, which then must stand first. Shards that are added later own nothing until something is moved.
	// Explicit keeps 0: all shards of the document take part.
	Shards int
	// VShards is V. 0 lets Adopt choose: ModN the smallest multiple of N that is at least 10,240, RedisSlot 16,384,
	// List the last slot + 1, Ranges and Ring one a segment. Explicit has 64 a shard of the document and keeps 0.
	VShards int
	// Bounds part the segments of Ranges, ascending: segment i holds what is >= Bounds[i-1] and < Bounds[i], so there
	// is one bound less than segments. With Identity they are raw bytes; else decimal numbers of the function's range
	// (signed for CassandraMurmur3, whose nodes own up to and including their token: use token + 1).
	Bounds [][]byte
	// VirtualNodes is the number of points a shard has on the Ring; point i is the function's value of "name-i". 0 lets
	// Adopt choose 160.
	VirtualNodes int
	// Owners give runs of slots (List) or of segments (Ranges) to shards; they cover all of them once, ascending. None
	// lets Adopt give shard i segment i, or even runs of slots as redis-cli --cluster create does.
	Owners []OwnerRun
	// Separator stands between key and suffix of a piece: no digits, no braces, at most 16 bytes. Empty lets Adopt
	// choose DefaultSeparator.
	Separator string
	// TenantKeys makes the tenant part of a key's identity although placement does not hash it: the same key of two
	// tenants is then two keys.
	TenantKeys bool
}

// OwnerRun gives the slots or segments First to Last, both included, to Shard.
type OwnerRun struct {
	First, Last int
	Shard       ShardID
}

// HasKey reports whether the key is among the placement bytes.
func (p Placement) HasKey() bool { return hasPart(p.Bytes, partKey) }

// HasTenant reports whether the tenant is among the placement bytes.
func (p Placement) HasTenant() bool { return hasPart(p.Bytes, partTenant) }

// IdentifiesTenant reports whether two records are of the same key only if their tenants are the same too.
func (p Placement) IdentifiesTenant() bool { return p.TenantKeys || p.HasTenant() }

func (p Placement) clone() Placement {
	p.Bounds = slices.Clone(p.Bounds)
	for i := range p.Bounds {
		p.Bounds[i] = bytes.Clone(p.Bounds[i])
	}
	p.Owners = slices.Clone(p.Owners)
	return p
}

func (p Placement) equal(o Placement) bool {
	return p.Bytes == o.Bytes && p.Function == o.Function && p.Map == o.Map && p.Shards == o.Shards &&
		p.VShards == o.VShards && p.VirtualNodes == o.VirtualNodes && p.Separator == o.Separator &&
		p.TenantKeys == o.TenantKeys && slices.Equal(p.Owners, o.Owners) &&
		slices.EqualFunc(p.Bounds, o.Bounds, bytes.Equal)
}

// complete fills in what Adopt may fill in, on a copy.
func (p Placement) complete(shards []Shard) (Placement, error) {
	p = p.clone()
	if p.Separator == "" {
		p.Separator = DefaultSeparator
	}
	if p.Map == Explicit {
		if p.Bytes == "" {
			p.Bytes = "tenant,key"
		}
		if p.Function == FunctionUnknown {
			p.Function = XXH64
		}
		return p, nil
	}
	if p.Shards == 0 {
		n, err := baseShards(shards)
		if err != nil {
			return p, err
		}
		p.Shards = n
	}
	if p.Shards < 1 {
		return p, fmt.Errorf("placement.shards: %d, want at least 1", p.Shards)
	}
	if p.Map == Ring && p.VirtualNodes == 0 {
		p.VirtualNodes = defaultVirtualNodes
	}
	if p.VShards == 0 {
		p.VShards = p.defaultVShards()
	}
	p.Owners = p.defaultOwners()
	return p, nil
}

// baseShards counts the shards of the base map: those that serve, which must stand before all others.
func baseShards(shards []Shard) (int, error) {
	n := 0
	for i, s := range shards {
		if s.Role != Serving && s.Role != Draining {
			continue
		}
		if n != i {
			return 0, fmt.Errorf("shards[%d]: %q is %s but stands after %q, which is %s: shards of the base map stand first",
				i, Escape(s.Name), s.Role, Escape(shards[n].Name), shards[n].Role)
		}
		n++
	}
	return n, nil
}

func (p Placement) defaultVShards() int {
	switch {
	case p.Map == Explicit:
		return 0
	case p.Map == Ranges:
		return len(p.Bounds) + 1
	case p.Map == Ring:
		return p.Shards * p.VirtualNodes
	case p.Function == RedisSlot:
		return RedisSlots
	case p.Map == List && len(p.Owners) > 0:
		return p.Owners[len(p.Owners)-1].Last + 1
	}
	return (minVShards + p.Shards - 1) / p.Shards * p.Shards
}

func (p Placement) defaultOwners() []OwnerRun {
	if len(p.Owners) > 0 || (p.Map != Ranges && p.Map != List) {
		return p.Owners
	}
	owners := make([]OwnerRun, 0, p.Shards)
	first := 0
	for i := range p.Shards {
		last := i
		if p.Map == List {
			last = roundedDiv((i+1)*p.VShards, p.Shards) - 1
		}
		owners = append(owners, OwnerRun{First: first, Last: last, Shard: ShardID(i)})
		first = last + 1
	}
	return owners
}

// roundedDiv is a/b rounded half up, for a >= 0 and b > 0.
func roundedDiv(a, b int) int { return (2*a + b) / (2 * b) }
