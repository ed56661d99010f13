package record

import "encoding/binary"

// wordCache remembers what short words mean. The zero value remembers nothing; it must be asked with one meaning only,
// which must depend on nothing but the word.
type wordCache[T any] struct {
	entries [16]struct {
		bytes  uint64
		length int // 0 = free
		means  T
	}
}

// of returns meaning(word).
func (c *wordCache[T]) of(word []byte, meaning func(word []byte) T) T {
	n := len(word)
	if n > wordSize || n == 0 {
		return meaning(word)
	}
	packed := pack(word)
	e := &c.entries[(packed^uint64(n))*0x9e3779b97f4a7c15>>60]
	if e.bytes != packed || e.length != n {
		e.bytes, e.length, e.means = packed, n, meaning(word)
	}
	return e.means
}

// pack returns the 1 to 8 bytes of a word as a number that no other word of that length has.
func pack(word []byte) uint64 {
	n := len(word)
	if n < 4 {
		return uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16
	}
	return uint64(binary.LittleEndian.Uint32(word)) | uint64(binary.LittleEndian.Uint32(word[n-4:]))<<32
}
