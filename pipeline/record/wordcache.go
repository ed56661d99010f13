package record

// wordCache remembers what short words mean. The zero value remembers nothing; it must be asked with one meaning only,
// which must depend on nothing but the word.
type wordCache[T any] struct {
	entries [16]struct {
		packed packed
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
	p := pack(word)
	e := &c.entries[(p.first^p.last^uint64(n))*0x9e3779b97f4a7c15>>60]
	if e.packed == p && e.length == n {
		return &e.means, true
	}
	e.packed, e.length = p, n
	return &e.means, false
}

// packed is a word of 1 to 16 bytes as no other word of that length is: its first eight bytes and its last eight, or all of
// a shorter one and 0, the first byte the lowest. (An array would not be held in registers.)
type packed struct{ first, last uint64 }

// pack packs a word. It may look at what lies behind it within its capacity.
func pack(b []byte) (p packed) {
	switch n := len(b); {
	case n >= wordSize:
		p.first, p.last = word(b, 0), word(b, n-wordSize)
	case cap(b) >= wordSize:
		p.first = front(word(b[:wordSize], 0), n)
	default:
		for i, c := range b {
			p.first |= uint64(c) << (8 * i)
		}
	}
	return p
}
