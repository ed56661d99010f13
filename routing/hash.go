package routing

import (
	"crypto/md5" //nolint:gosec // the placement of existing fleets, not a protection
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// wide is an unsigned number of 128 bits: an MD5 digest, or a shorter value with hi 0.
type wide struct{ hi, lo uint64 }

func (w wide) less(o wide) bool { return w.hi < o.hi || (w.hi == o.hi && w.lo < o.lo) }

// hasher computes one placement function. Its tables are built once; its methods keep no reference to their input, so
// that callers' buffers stay on the stack.
type hasher struct {
	function Function
	crc16    *[8][256]uint16
	crc32    *[8][256]uint32
}

func newHasher(f Function) hasher {
	h := hasher{function: f}
	if f == RedisSlot {
		h.crc16 = crc16Tables()
	}
	if f == CRC32 {
		h.crc32 = crc32Tables()
	}
	return h
}

// value is the function's number for data as published: CassandraMurmur3 as the two's complement of its signed token,
// Jump as the hash that the jump starts from. Identity and unknown functions have none and give 0.
func (h *hasher) value(data []byte) wide {
	switch h.function {
	case XXH64, Jump:
		return wide{lo: xxhash.Sum64(data)}
	case MD5:
		sum := md5.Sum(data) //nolint:gosec // the placement of existing fleets, not a protection
		return wide{hi: binary.BigEndian.Uint64(sum[:8]), lo: binary.BigEndian.Uint64(sum[8:])}
	case CRC32:
		return wide{lo: uint64(h.sumCRC32(data))}
	case FNV1a:
		return wide{lo: fnv1a(data)}
	case RedisSlot:
		return wide{lo: uint64(h.sumCRC16(hashTag(data)) % RedisSlots)}
	case KafkaMurmur2:
		return wide{lo: uint64(murmur2(data) & math.MaxInt32)}
	case CassandraMurmur3:
		return wide{lo: uint64(cassandraToken(data))}
	case FunctionUnknown, Identity:
	}
	return wide{}
}

// position is value in an order that unsigned comparison keeps: signed tokens are shifted by 2^63.
func (h *hasher) position(data []byte) wide {
	v := h.value(data)
	if h.function == CassandraMurmur3 {
		v.lo ^= 1 << 63
	}
	return v
}

// mod is the value of data mod v, never negative.
func (h *hasher) mod(data []byte, v uint64) uint64 {
	w := h.value(data)
	switch {
	case h.function == CassandraMurmur3:
		m := int64(w.lo) % int64(v)
		if m < 0 {
			m += int64(v)
		}
		return uint64(m)
	case w.hi != 0:
		return bits.Rem64(w.hi, w.lo, v)
	}
	return w.lo % v
}

// fnv1a is the 64-bit FNV-1a (Fowler, Noll, Vo).
func fnv1a(data []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range data {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// crc16Tables are the tables of slicing-by-8 for CRC16/XMODEM: polynomial 0x1021, not reflected.
func crc16Tables() *[8][256]uint16 {
	var tables [8][256]uint16
	for i := range 256 {
		c := uint16(i) << 8
		for range 8 {
			if c&0x8000 != 0 {
				c = c<<1 ^ 0x1021
			} else {
				c <<= 1
			}
		}
		tables[0][i] = c
	}
	for i := range 256 {
		for j := 1; j < 8; j++ {
			c := tables[j-1][i]
			tables[j][i] = c<<8 ^ tables[0][c>>8]
		}
	}
	return &tables
}

func (h *hasher) sumCRC16(data []byte) uint16 {
	t := h.crc16
	var c uint16
	for len(data) >= 8 {
		c = t[7][data[0]^byte(c>>8)] ^ t[6][data[1]^byte(c)] ^ t[5][data[2]] ^ t[4][data[3]] ^
			t[3][data[4]] ^ t[2][data[5]] ^ t[1][data[6]] ^ t[0][data[7]]
		data = data[8:]
	}
	for _, b := range data {
		c = c<<8 ^ t[0][byte(c>>8)^b]
	}
	return c
}

// crc32Tables are the tables of slicing-by-8 for the IEEE polynomial. hash/crc32 computes the same, but through a
// function variable, which would force every buffer of a caller to the heap.
func crc32Tables() *[8][256]uint32 {
	var tables [8][256]uint32
	tables[0] = *crc32.IEEETable
	for i := range 256 {
		c := tables[0][i]
		for j := 1; j < 8; j++ {
			c = tables[0][byte(c)] ^ c>>8
			tables[j][i] = c
		}
	}
	return &tables
}

func (h *hasher) sumCRC32(data []byte) uint32 {
	t := h.crc32
	c := ^uint32(0)
	for len(data) >= 8 {
		c ^= binary.LittleEndian.Uint32(data)
		c = t[0][data[7]] ^ t[1][data[6]] ^ t[2][data[5]] ^ t[3][data[4]] ^
			t[4][c>>24] ^ t[5][c>>16&0xff] ^ t[6][c>>8&0xff] ^ t[7][c&0xff]
		data = data[8:]
	}
	for _, b := range data {
		c = t[0][byte(c)^b] ^ c>>8
	}
	return ^c
}

// jump is the jump consistent hash (Lamping and Veach, 2014): the bucket of key among n >= 1.
func jump(key uint64, n int) int {
	b, j := int64(-1), int64(0)
	for j < int64(n) {
		b = j
		key = key*2862933555777941757 + 1
		j = int64(float64(b+1) * (float64(1<<31) / float64(key>>33+1)))
	}
	return int(b)
}
