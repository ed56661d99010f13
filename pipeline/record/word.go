package record

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a word holds line[i:i+8], its lowest byte first. Masks have the highest bit of every byte
// that is searched for; of several only the lowest is exact, which is the one that comes first in the line (the
// borrows and carries of Warren, Hacker's Delight, section 6-1, run upwards).
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
	wordSize = 8
)

// word loads line[i:i+8], which must be there.
func word(line []byte, i int) uint64 { return binary.LittleEndian.Uint64(line[i : i+wordSize]) }

// firstOf returns the index in the word of the first byte of a mask that is not 0.
func firstOf(mask uint64) int { return bits.TrailingZeros64(mask) / 8 }

// stringStops marks the bytes at which the inside of a JSON string needs a look: quote, backslash, control byte. With
// the quote's second bit flipped, it is the one byte directly above the control bytes.
func stringStops(w uint64) uint64 {
	quoteOrControl := (w ^ 0x02*lowBits) - 0x21*lowBits
	backslash := (w ^ '\\'*lowBits) - lowBits
	return (quoteOrControl | backslash) &^ w & highBits
}

// stringEnd returns where the bytes from i on stop being the plain inside of a JSON string: the index of the first
// quote, backslash or control byte, len(line) if there is none.
func stringEnd(line []byte, i int) int {
	for ; i+wordSize <= len(line); i += wordSize {
		if stops := stringStops(word(line, i)); stops != 0 {
			return i + firstOf(stops)
		}
	}
	for i < len(line) && line[i] != '"' && line[i] != '\\' && line[i] >= ' ' {
		i++
	}
	return i
}

// equalTo marks the bytes of a word that equal c; of several only the lowest is exact.
func equalTo(w uint64, c byte) uint64 {
	x := w ^ uint64(c)*lowBits
	return (x - lowBits) &^ x & highBits
}

// leadingDigits returns the value of the digits that a word starts with and how many they are, 0 to 8.
func leadingDigits(w uint64) (whole uint64, n int) {
	digits := w ^ '0'*lowBits // 0 to 9 where there is a digit
	n = firstOf(noDigits(digits))
	return decimalOf(digits << (64 - 8*n)), n // zeros in front; n = 0 leaves 0
}

// lastDigits returns the digits, 0 to 9 each, that the first n bytes of a word are, 1 to 7 of them, behind zeros.
func lastDigits(w uint64, n int) uint64 { return (w ^ '0'*lowBits) << (-8 * n & 63) }

// noDigits marks the bytes above 9; only the lowest mark is exact.
func noDigits(w uint64) uint64 { return (w + 0x76*lowBits | w) & highBits }

// decimalOf returns the number whose eight digits, 0 to 9 each, are the bytes of a word, the first the highest: pairs,
// fours, eights (Lemire, "Quickly parsing eight digits", 2018).
func decimalOf(digits uint64) uint64 {
	digits = digits * (1 + 10<<8) >> 8 & 0x00ff00ff00ff00ff
	digits = digits * (1 + 100<<16) >> 16 & 0x0000ffff0000ffff
	return digits * (1 + 10000<<32) >> 32
}

// front keeps the first n bytes of a word, 0 to 7, and makes the others 0.
func front(w uint64, n int) uint64 { return w & (1<<(8*n) - 1) }

// wholeAt reads the digits at i as a number and returns the index behind them. ok is false where there are none, or
// more than 15 of them.
func wholeAt(line []byte, i int) (whole uint64, end int, ok bool) {
	if i+2*wordSize <= len(line) {
		w := word(line, i)
		whole, n := leadingDigits(w)
		if n < wordSize {
			return whole, i + n, n > 0
		}
		_, n = leadingDigits(word(line, i+wordSize))
		end = i + wordSize + n
		return joined(w, word(line, end-wordSize), n), end, n < wordSize
	}
	end = i
	for ; end < len(line) && line[end]-'0' <= 9; end++ {
		whole = whole*10 + uint64(line[end]-'0')
	}
	return whole, end, end > i && end-i < 2*wordSize
}

// joined returns the number of n digits, 0 to 7, that w starts with, and the 8 of low behind them.
func joined(w, low uint64, n int) uint64 {
	high, _ := leadingDigits(front(w, n))
	whole, _ := leadingDigits(low)
	return high*100_000_000 + whole
}

// wholeOf reads b as a number if it is digits only, at most 15 of them. It may look at what lies behind b within its
// capacity.
func wholeOf(b []byte) (whole uint64, ok bool) {
	n := len(b)
	switch {
	case n == 0 || n >= 2*wordSize:
		return 0, false
	case n >= wordSize: // the last eight are whole, of the first those that are not among them
		high, low := word(b, 0)^'0'*lowBits, word(b, n-wordSize)^'0'*lowBits
		bad := noDigits(high) | noDigits(low)
		return decimalOf(high<<(128-8*n))*100_000_000 + decimalOf(low), bad == 0
	case cap(b) >= wordSize: // what lies behind b is shifted out
		digits := lastDigits(word(b[:wordSize], 0), n)
		return decimalOf(digits), noDigits(digits) == 0
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		whole = whole*10 + uint64(c-'0')
	}
	return whole, true
}
