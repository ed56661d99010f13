package record

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

// nameSet holds the names of all objects of one line, each as the 64-bit XXH3 of its bytes mixed with the number of
// its object. That two different names of one object share it does not happen by chance (200,000 names, as many as a
// line of 1 MiB can hold: 1 in 10^9); who makes it happen on purpose has his own line refused. One name costs one
// hash, so a line costs no more than its length.
type nameSet struct {
	slots   []uint64 // 0 = free; a power of two of them
	all     []uint64 // the whole of slots, kept for the next large line
	used    int
	objects uint64
}

// minNames is how many slots a line starts with.
const minNames = 64

// reset empties the set.
func (s *nameSet) reset() {
	if s.all == nil {
		s.all = make([]uint64, minNames)
	}
	s.slots, s.used, s.objects = s.all[:minNames], 0, 0
	clear(s.slots)
}

// object returns the number of a new object.
func (s *nameSet) object() uint64 {
	s.objects++
	return s.objects
}

// add puts in a name; false if the object has it.
func (s *nameSet) add(object uint64, name []byte) bool {
	if 2*s.used >= len(s.slots) {
		s.grow()
	}
	high, low := bits.Mul64(xxh3.Hash(name)^object*0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return s.insert(max(high^low, 1))
}

// insert puts in a sum; false if it is there.
func (s *nameSet) insert(sum uint64) bool {
	for i := sum; ; i++ {
		switch at := &s.slots[i&uint64(len(s.slots)-1)]; *at {
		case sum:
			return false
		case 0:
			*at = sum
			s.used++
			return true
		}
	}
}

// grow doubles the slots.
func (s *nameSet) grow() {
	old := append([]uint64(nil), s.slots...)
	if 2*len(old) > len(s.all) {
		s.all = make([]uint64, 2*len(old))
	}
	s.slots, s.used = s.all[:2*len(old)], 0
	clear(s.slots)
	for _, sum := range old {
		if sum != 0 {
			s.insert(sum)
		}
	}
}
