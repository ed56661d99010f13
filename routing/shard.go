package routing

import (
	"fmt"
	"strconv"
)

// ShardID is an index into Document.Shards. Shards are only ever appended, so an id keeps its meaning.
type ShardID int32

// NoShard is the answer where nothing can be said, as for the keys of a fleet whose log names the shard.
const NoShard ShardID = -1

// VShard is a virtual shard, 0 <= v < Table.VShards: the smallest set of keys that can be moved by itself.
type VShard int32

// NoVShard is the virtual shard of a key whose place only the log knows.
const NoVShard VShard = -1

// ExplicitBuckets is the number of virtual shards a shard has where the log names the shard.
const ExplicitBuckets = 64

// Role is what a shard is there for. The zero value is unknown: nothing is placed there.
type Role uint8

// The roles of a shard.
const (
	// RoleUnknown is a shard whose use is not known; a valid document places nothing on it.
	RoleUnknown Role = iota
	// Serving shards carry the fleet; N and the mean are over them.
	Serving
	// Dedicated shards carry isolated tenants only and may run hot.
	Dedicated
	// Spare shards carry nothing yet and wait to receive.
	Spare
	// Draining shards still serve what they own and receive nothing new.
	Draining
)

func roleNames() [5]string {
	return [5]string{"unknown", "serving", "dedicated", "spare", "draining"}
}

// String returns the role's one spelling; a value outside the set prints as role(n).
func (r Role) String() string {
	names := roleNames()
	if int(r) < len(names) {
		return names[r]
	}
	return "role(" + strconv.Itoa(int(r)) + ")"
}

// ParseRole is the inverse of String for the roles of the set.
func ParseRole(s string) (Role, error) {
	for i, name := range roleNames() {
		if s == name {
			return Role(i), nil
		}
	}
	return RoleUnknown, fmt.Errorf("role: %q is none of serving, dedicated, spare, draining, unknown", s)
}

// MarshalText writes the role's name; a value outside the set is an error.
func (r Role) MarshalText() ([]byte, error) {
	if r > Draining {
		return nil, fmt.Errorf("role: %d is outside the set", uint8(r))
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (r *Role) UnmarshalText(text []byte) error {
	parsed, err := ParseRole(string(text))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}

// Shard is one physical shard of the fleet.
type Shard struct {
	// Name is how the store and the log call the shard: not empty, unique, at most 255 bytes. It never changes:
	// a ring hashes it.
	Name string
	// Role is what the shard is there for.
	Role Role
	// Capacity is in requests (or cost units) a second; 0 is the fleet's default.
	Capacity float64
	// ReadCapacity and WriteCapacity are in the unit of Capacity, where a store limits reads and writes apart; 0 is
	// the fleet's default.
	ReadCapacity, WriteCapacity float64
}

// NumberedShards returns n serving shards named shard-0 to shard-(n-1), for a fleet whose shards have no names.
func NumberedShards(n int) []Shard {
	shards := make([]Shard, 0, max(n, 0))
	for i := range n {
		shards = append(shards, Shard{Name: "shard-" + strconv.Itoa(i), Role: Serving})
	}
	return shards
}
