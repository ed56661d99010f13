package sketch

import (
	"encoding/binary"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// hashed is the seeded 64-bit hash of a name. Two names with one hash count as one; nothing else here rests on chance
// without saying so.
func hashed(name []byte, seed uint64) uint64 { return xxh3.HashSeed(name, seed) }

// hasher hashes what comes with every record.
type hasher struct {
	seed    uint64
	secrets [2]uint64 // for tenants and callers, which are short
	keys    [4]uint64 // the beginning of the secret of xxh3, with the seed in it
}

func newHasher(seed uint64) hasher {
	return hasher{
		seed:    seed,
		secrets: [2]uint64{spread64(seed ^ 0x9e3779b97f4a7c15), spread64(seed ^ 0x165667b19e3779f9)},
		keys:    [4]uint64{0xbe4ba423396cfeb8 + seed, 0x1cad21f72c81017c - seed, 0xdb979083e96dd4de + seed, 0x1f67b3b7a4a44072 - seed},
	}
}

// key is hashed, for 17 to 32 bytes with what the seed decides taken from memory: half the instructions.
func (h *hasher) key(name []byte) uint64 {
	n := len(name)
	if n < 17 || n > 32 {
		return hashed(name, h.seed)
	}
	head, tail := name[:16], name[n-16:]
	high0, low0 := bits.Mul64(binary.LittleEndian.Uint64(head)^h.keys[0], binary.LittleEndian.Uint64(head[8:])^h.keys[1])
	high1, low1 := bits.Mul64(binary.LittleEndian.Uint64(tail)^h.keys[2], binary.LittleEndian.Uint64(tail[8:])^h.keys[3])
	v := uint64(n)*0x9e3779b185ebca87 + (high0 ^ low0) + (high1 ^ low1)
	v ^= v >> 37
	v *= 0x165667919e3779f9
	return v ^ v>>32
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
