package routing

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// murmur2 is Kafka's 32-bit MurmurHash2: seed 0x9747b28c (org.apache.kafka.common.utils.Utils.murmur2).
func murmur2(data []byte) uint32 {
	const m = 0x5bd1e995
	h := uint32(0x9747b28c) ^ uint32(len(data))
	for len(data) >= 4 {
		k := binary.LittleEndian.Uint32(data) * m
		k = (k ^ k>>24) * m
		h = h*m ^ k
		data = data[4:]
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(data[0])) * m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}

// cassandraToken is the token of Cassandra's Murmur3Partitioner: the first half of MurmurHash3 x64 128 with seed 0, in
// which the bytes of the tail are sign-extended, and in which the least token becomes the greatest.
func cassandraToken(data []byte) int64 {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	n := uint64(len(data))
	var h1, h2 uint64
	for len(data) >= 16 {
		k1 := binary.LittleEndian.Uint64(data)
		k2 := binary.LittleEndian.Uint64(data[8:])
		h1 ^= bits.RotateLeft64(k1*c1, 31) * c2
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= bits.RotateLeft64(k2*c2, 33) * c1
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
		data = data[16:]
	}
	k1, k2 := signedTail(data)
	h2 ^= bits.RotateLeft64(k2*c2, 33) * c1
	h1 ^= bits.RotateLeft64(k1*c1, 31) * c2
	h1 ^= n
	h2 ^= n
	h1 += h2
	h2 += h1
	h1 = mix64(h1) + mix64(h2)
	if int64(h1) == math.MinInt64 {
		return math.MaxInt64
	}
	return int64(h1)
}

// signedTail packs fewer than 16 bytes into two words, each byte sign-extended before it is shifted.
func signedTail(tail []byte) (k1, k2 uint64) {
	for i, b := range tail {
		word := uint64(int64(int8(b)))
		if i < 8 {
			k1 ^= word << (8 * i)
		} else {
			k2 ^= word << (8 * (i - 8))
		}
	}
	return k1, k2
}

// mix64 is the finaliser of MurmurHash3 x64 128.
func mix64(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}
