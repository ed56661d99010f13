package record

import "math/bits"

// plain splits a row that has no quotes and no line feed and returns the number of its columns. It is not ok, and has
// done nothing, if they are more than the header's by more than a few.
//
// It first finds every comma of the row, 64 bytes at a time, and then takes the wanted columns: that has no branch
// whose way depends on how long the fields are.
func (s *csvSplitter) plain(line []byte, vals []value) (columns int, ok bool) {
	// ends[i] is where the field i-1 ends.
	if len(s.ends) < s.width+2*spare {
		s.ends = make([]int32, s.width+2*spare)
		s.ends[0] = -1
	}
	ends, n := s.ends, 1
	commas8 := uint64(s.comma) * lowBits
	for base := 0; base < len(line); base += 64 {
		var commas uint64
		if block := line[base:]; len(block) >= 64 {
			commas = equalIn64((*[64]byte)(block), commas8)
		} else {
			commas = equalIn(block, commas8)
		}
		if n+64 > len(ends) {
			return 0, false
		}
		to := (*[64]int32)(ends[n:])
		n += spread(to, commas, base)
	}
	ends[n] = int32(len(line))
	if n < s.width {
		return n, true
	}
	for _, m := range s.mapped {
		start, end := int(ends[m.column])+1, int(ends[m.column+1])
		vals[m.slot].set(line[start:end])
	}
	return n, true
}

// spare is how many columns above the header's plain has room for.
const spare = 64

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

// spread writes base + i for every bit i and returns how many there are. It writes eight whatever they are: asking
// costs more.
func spread(to *[64]int32, set uint64, base int) (n int) {
	n = bits.OnesCount64(set)
	at := int32(base)
	set = spreadTwo(to, 0, set, at)
	set = spreadTwo(to, 2, set, at)
	set = spreadTwo(to, 4, set, at)
	set = spreadTwo(to, 6, set, at)
	for i := 8; i < n; i += 2 {
		set = spreadTwo(to, i, set, at)
	}
	return n
}

// spreadTwo writes the lowest two bits and returns the others.
func spreadTwo(to *[64]int32, i int, set uint64, base int32) (rest uint64) {
	to[i&62] = base + int32(bits.TrailingZeros64(set))
	set &= set - 1
	to[i&62+1] = base + int32(bits.TrailingZeros64(set))
	return set & (set - 1)
}
