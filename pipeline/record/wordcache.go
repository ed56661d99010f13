package record

// wordCache remembers what short words mean. The zero value remembers nothing; it must be asked with one meaning only,
// which must depend on nothing but the word.
type wordCache[T any] struct {
	entries [16]struct {
		bytes  uint64
		length int // 0 = free
		means  T
	}
	other T // of words that are not remembered
}

// at returns where the meaning of a word is kept, and whether it is there; if not, the caller puts it there. The place is
// the word's until the next call.
func (c *wordCache[T]) at(word []byte) (means *T, known bool) {
	n := len(word)
	if n > wordSize || n == 0 {
		return &c.other, false
	}
	packed := pack(word)
	e := &c.entries[(packed^uint64(n))*0x9e3779b97f4a7c15>>60]
	if e.bytes == packed && e.length == n {
		return &e.means, true
	}
	e.bytes, e.length = packed, n
	return &e.means, false
}

// pack returns the 1 to 8 bytes of a word as a number that no other word of that length has: the first byte is the lowest.
// It may look at what lies behind the word within its capacity.
func pack(b []byte) (packed uint64) {
	if cap(b) >= wordSize {
		return word(b[:wordSize], 0) << (8 * (wordSize - len(b))) >> (8 * (wordSize - len(b)))
	}
	for i, c := range b {
		packed |= uint64(c) << (8 * i)
	}
	return packed
}
