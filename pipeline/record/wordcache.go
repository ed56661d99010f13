package record

// wordCache remembers what short words mean. The zero value remembers nothing; it must be asked with one meaning only,
// which must depend on nothing but the word.
type wordCache[T any] struct {
	entries [16]struct {
		packed [2]uint64
		length int // 0 = free
		means  T
	}
	other T // of words that are not remembered
}

// at returns where the meaning of a word is kept, and whether it is there; if not, the caller puts it there. The place is
// the word's until the next call.
func (c *wordCache[T]) at(word []byte) (means *T, known bool) {
	n := len(word)
	if n > 2*wordSize || n == 0 {
		return &c.other, false
	}
	packed := pack(word)
	e := &c.entries[(packed[0]^packed[1]^uint64(n))*0x9e3779b97f4a7c15>>60]
	if e.packed == packed && e.length == n {
		return &e.means, true
	}
	e.packed, e.length = packed, n
	return &e.means, false
}

// pack returns the 1 to 16 bytes of a word as two numbers that no other word of that length has: its first eight bytes and
// its last eight, or all of a shorter one, the first byte the lowest. It may look at what lies behind the word within its
// capacity.
func pack(b []byte) (packed [2]uint64) {
	switch n := len(b); {
	case n >= wordSize:
		packed[0], packed[1] = word(b, 0), word(b, n-wordSize)
	case cap(b) >= wordSize:
		packed[0] = front(word(b[:wordSize], 0), n)
	default:
		for i, c := range b {
			packed[0] |= uint64(c) << (8 * i)
		}
	}
	return packed
}
