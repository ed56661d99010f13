package record

import (
	"bytes"
	"math/bits"
)

// plainStarts is the room for where the columns of a plain row start, and plainColumns how many it may have so that there
// is room for all that a block of 64 bytes can hold.
const (
	plainStarts  = 256
	plainColumns = plainStarts - 64
)

// take sets the values of the mapped columns of a plain row: one without quotes and line feeds, whose columns' starts were
// found first, because that has no branch whose way depends on how long the fields are.
func (s *csvSplitter) take(line []byte, vals []value) {
	for _, m := range s.mapped {
		vals[m.slot].set(line[s.starts[m.column] : s.starts[m.column+1]-1])
	}
}

// fieldStartsGo finds where the fields of a row start: starts[i] is where field i does, one behind the comma of the field
// before; behind the last field is a comma in thought. starts[0] is left alone: it is 0. It returns how many fields there
// are, -1 if the row has a quote or a line feed, or more than plainColumns fields.
func fieldStartsGo(line []byte, comma byte, starts *[plainStarts]uint32) (columns int) {
	if bytes.IndexByte(line, '"') >= 0 || bytes.IndexByte(line, '\n') >= 0 {
		return -1
	}
	n, comma8 := 1, uint64(comma)*lowBits
	for base := 0; base < len(line); base += 64 {
		var commas uint64
		if block := line[base:]; len(block) >= 64 {
			commas = equalIn64((*[64]byte)(block), comma8)
		} else {
			commas = equalIn(block, comma8)
		}
		n += spread((*[64]uint32)(starts[n:]), commas, uint32(base)+1)
		if n > plainColumns {
			return -1
		}
	}
	starts[n] = uint32(len(line)) + 1
	return n
}

// equalIn64 returns which of 64 bytes equal the byte of which c8 has eight: bit i is byte i.
func equalIn64(b *[64]byte, c8 uint64) uint64 {
	return equalBits(b[0:8], c8) | equalBits(b[8:16], c8)<<8 | equalBits(b[16:24], c8)<<16 | equalBits(b[24:32], c8)<<24 |
		equalBits(b[32:40], c8)<<32 | equalBits(b[40:48], c8)<<40 | equalBits(b[48:56], c8)<<48 | equalBits(b[56:64], c8)<<56
}

// equalIn is equalIn64 for fewer bytes.
func equalIn(b []byte, c8 uint64) (bits uint64) {
	last := len(b) - wordSize
	for i := 0; i < last; i += wordSize {
		bits |= equalBits(b[i:i+wordSize], c8) << i
	}
	if last >= 0 {
		return bits | equalBits(b[last:last+wordSize], c8)<<last
	}
	for i, c := range b {
		if c == byte(c8) {
			bits |= 1 << i
		}
	}
	return bits
}

// equalBits returns which of the first 8 bytes equal the byte of which c8 has eight.
func equalBits(b []byte, c8 uint64) uint64 {
	x := word(b, 0) ^ c8
	equal := ^(x&^highBits + ^uint64(highBits) | x | ^uint64(highBits)) // exact for every byte
	return equal >> 7 * 0x0102040810204080 >> 56                        // the lowest bits of the bytes side by side
}

// spread writes base + i for every bit i and returns how many there are. It writes a multiple of four: asking more
// often costs more.
func spread(to *[64]uint32, set uint64, base uint32) (n int) {
	n = bits.OnesCount64(set)
	for i := 0; i < n; i += 4 {
		set = spreadTwo(to, i, set, base)
		set = spreadTwo(to, i+2, set, base)
	}
	return n
}

// spreadTwo writes the lowest two bits and returns the others.
func spreadTwo(to *[64]uint32, i int, set uint64, base uint32) (rest uint64) {
	to[i&63] = base + lowest(set)
	set &= set - 1
	to[(i+1)&63] = base + lowest(set)
	return set & (set - 1)
}

// lowest returns which is the lowest bit of a set. (That of no bits does not matter; the bit that is added says that there
// is one, so that the compiler does not care for it either.)
func lowest(set uint64) uint32 { return uint32(bits.TrailingZeros64(set | 1<<63)) }
