package sketch

import (
	"encoding/binary"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// hashed is the seeded 64-bit hash of a name. Two names with one hash count as one; nothing else here rests on chance
// without saying so.
func hashed(name []byte, seed uint64) uint64 { return xxh3.HashSeed(name, seed) }

// hasher hashes tenants and callers, which are short and come with every record.
type hasher struct {
	seed    uint64
	secrets [2]uint64
}

func newHasher(seed uint64) hasher {
	return hasher{seed, [2]uint64{spread64(seed ^ 0x9e3779b97f4a7c15), spread64(seed ^ 0x165667b19e3779f9)}}
}

// name is the 64-bit hash of a tenant or a caller. For 8 to 16 bytes it is the folded product of both ends, as in wyhash
// and at the beginning of xxh3; for others xxh3.
func (h *hasher) name(name []byte) uint64 {
	n := len(name)
	if n < 8 || n > 16 {
		return hashed(name, h.seed)
	}
	high, low := bits.Mul64(binary.LittleEndian.Uint64(name)^h.secrets[0], binary.LittleEndian.Uint64(name[n-8:])^h.secrets[1])
	return (high ^ low) + uint64(n)
}

// spread64 mixes a hash once more, so that the fields taken from the result say nothing about the bits of the hash that
// choose a bucket. It is one to one.
func spread64(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93 // odd: from Pelle Evensen's rrmxmx family of 64-bit mixers
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// pairHash is the hash of a (tenant, shard) pair.
func pairHash(tenant uint64, shard int32) uint64 {
	return spread64(tenant ^ bits.RotateLeft64((uint64(uint32(shard))+1)*0x9e3779b97f4a7c15, 17))
}

// fingerprint names a seed without telling it.
func fingerprint(seed uint64) uint64 { return xxh3.HashSeed([]byte("firebreak sketch seed"), seed) }
