package sketch

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"firebreak/bench/textbook"
)

// drawer draws the keys of one pane after the other, without keeping those of earlier ones: for more keys than a
// textbook.Stream could hold.
type drawer struct {
	keys  int        // distinct ones that there are
	next  func() int // the number of the next key
	pane  []byte     // keys of the pane, of textbook.KeyBytes each
	seen  []uint64   // a bit for each key that came
	names [textbook.Tenants][]byte
	of    []uint16 // tenants of the pane's records
}

// newDrawer draws perPane of so many keys: evenly in an order that looks random, so that none comes again before all
// have come; or by Zipf's law of that exponent, by the inverse of its continuous form.
func newDrawer(keys, perPane int, exponent float64, seed uint64) *drawer {
	d := &drawer{keys: keys, pane: make([]byte, perPane*textbook.KeyBytes), seen: make([]uint64, keys/64+1), of: make([]uint16, perPane)}
	for i := range d.names {
		d.names[i] = fmt.Appendf(nil, "tenant-%04d", i)
	}
	if exponent == 0 {
		d.next = evenly(keys)
	} else {
		d.next = zipf(keys, exponent, rand.New(rand.NewPCG(seed, 2)))
	}
	for i := range perPane {
		copy(d.pane[i*textbook.KeyBytes:], "key:")
	}
	return d
}

// evenly walks a full cycle over the next power of two (Hull and Dobell 1962) and leaves out what is no key.
func evenly(keys int) func() int {
	mask := uint64(1)<<bits.Len(uint(keys-1)) - 1
	at := uint64(0)
	return func() int {
		for {
			at = (at*6364136223846793005 + 1442695040888963407) & mask
			if at < uint64(keys) {
				return int(at)
			}
		}
	}
}

// zipf draws ranks from 0 with a density that falls as rank^-exponent; the exponent is not 1.
func zipf(keys int, exponent float64, random *rand.Rand) func() int {
	power := 1 - exponent
	span := math.Pow(float64(keys+1), power) - 1
	return func() int {
		rank := math.Pow(1+random.Float64()*span, 1/power)
		return min(keys-1, int(rank)-1)
	}
}

// draw draws the next pane.
func (d *drawer) draw() {
	const digits = "0123456789abcdef"
	for i := range d.of {
		id := d.next()
		d.seen[id/64] |= 1 << (id % 64)
		d.of[i] = uint16(uint64(id) * 0x9e3779b97f4a7c15 >> 32 % textbook.Tenants)
		key := d.pane[(i+1)*textbook.KeyBytes-16 : (i+1)*textbook.KeyBytes]
		for j := range key {
			key[j] = digits[id>>(60-4*j)&15]
		}
	}
}

// distinct is how many keys came so far.
func (d *drawer) distinct() int {
	n := 0
	for _, word := range d.seen {
		n += bits.OnesCount64(word)
	}
	return n
}
