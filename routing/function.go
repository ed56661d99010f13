package routing

import (
	"fmt"
	"strconv"
)

// Function turns placement bytes into a number (Identity: into themselves). The zero value is unknown and places
// nothing.
type Function uint8

// The placement functions. Each has published vectors in testdata/routing.
const (
	// FunctionUnknown is no function.
	FunctionUnknown Function = iota
	// XXH64 is xxHash64 with seed 0, 64 bits unsigned.
	XXH64
	// MD5 is the digest read as a 128-bit big-endian integer, as int(hexdigest, 16) in Python.
	MD5
	// CRC32 is the IEEE polynomial, 32 bits unsigned, as zlib.crc32.
	CRC32
	// FNV1a is the 64-bit FNV-1a.
	FNV1a
	// RedisSlot is CRC16/XMODEM of the hash tag, mod 16,384, as CLUSTER KEYSLOT.
	RedisSlot
	// KafkaMurmur2 is toPositive(murmur2(bytes)) of Kafka's default partitioner: 31 bits.
	KafkaMurmur2
	// CassandraMurmur3 is the token of Murmur3Partitioner: 64 bits signed, with Cassandra's signed tail bytes.
	CassandraMurmur3
	// Jump is the jump consistent hash of Lamping and Veach over the xxh64 of the bytes; with ModN only.
	Jump
	// Identity keeps the bytes and their order, for ranges over keys.
	Identity
)

func functionNames() [10]string {
	return [10]string{
		"unknown", "xxh64", "md5", "crc32", "fnv1a", "redis-slot", "kafka-murmur2", "cassandra-murmur3", "jump",
		"identity",
	}
}

// String returns the function's one spelling; a value outside the set prints as function(n).
func (f Function) String() string {
	names := functionNames()
	if int(f) < len(names) {
		return names[f]
	}
	return "function(" + strconv.Itoa(int(f)) + ")"
}

// ParseFunction is the inverse of String for the functions of the set.
func ParseFunction(s string) (Function, error) {
	names := functionNames()
	for i, name := range names {
		if s == name {
			return Function(i), nil
		}
	}
	return FunctionUnknown, fmt.Errorf("function: %q is none of %q", s, names[1:])
}

// MarshalText writes the function's name; a value outside the set is an error.
func (f Function) MarshalText() ([]byte, error) {
	if f > Identity {
		return nil, fmt.Errorf("function: %d is outside the set", uint8(f))
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (f *Function) UnmarshalText(text []byte) error {
	parsed, err := ParseFunction(string(text))
	if err != nil {
		return err
	}
	*f = parsed
	return nil
}

// OwnerMap says how the function's value names a shard. The zero value is unknown and places nothing.
type OwnerMap uint8

// The owner maps.
const (
	// MapUnknown is no map.
	MapUnknown OwnerMap = iota
	// ModN is value mod N.
	ModN
	// Ranges are segments of the ordered values (or, with Identity, of the ordered bytes).
	Ranges
	// Ring is consistent hashing: each shard has VirtualNodes points, a key belongs to the first point at or after it.
	Ring
	// List is slot to shard, the slot being value mod V.
	List
	// Explicit is no map at all: the log names the shard.
	Explicit
)

func ownerMapNames() [6]string {
	return [6]string{"unknown", "mod-n", "ranges", "ring", "list", "explicit"}
}

// String returns the map's one spelling; a value outside the set prints as owner-map(n).
func (m OwnerMap) String() string {
	names := ownerMapNames()
	if int(m) < len(names) {
		return names[m]
	}
	return "owner-map(" + strconv.Itoa(int(m)) + ")"
}

// ParseOwnerMap is the inverse of String for the maps of the set.
func ParseOwnerMap(s string) (OwnerMap, error) {
	names := ownerMapNames()
	for i, name := range names {
		if s == name {
			return OwnerMap(i), nil
		}
	}
	return MapUnknown, fmt.Errorf("owner map: %q is none of %q", s, names[1:])
}

// MarshalText writes the map's name; a value outside the set is an error.
func (m OwnerMap) MarshalText() ([]byte, error) {
	if m > Explicit {
		return nil, fmt.Errorf("owner map: %d is outside the set", uint8(m))
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (m *OwnerMap) UnmarshalText(text []byte) error {
	parsed, err := ParseOwnerMap(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}
