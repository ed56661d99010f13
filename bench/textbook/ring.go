package textbook

import (
	"github.com/zeebo/xxh3"
)

const (
	depth = 4
	// Width is the cells in a row that tutorials use.
	Width = 1 << 16
)

// Entry is a key with its estimate.
type Entry struct {
	Key   string
	Count uint64
}

// Ring is a sliding window of Count-Min sketches (Cormode and Muthukrishnan 2005): one a pane, and their sum, with a heap
// of the keys that looked heaviest when they came.
type Ring struct {
	panes [][]uint32
	total []uint32
	at    int // the open pane
	mask  uint64
	rows  func(h, mask uint64) [depth]uint64
	heap  heap
}

// NewRing makes a window of that many panes and keys in the heap, with width cells in a row (a power of two up to 65,536).
func NewRing(panes, k, width int) *Ring { return newRing(panes, k, width, independent) }

// NewDoubleHashed makes a Ring whose rows are not independent.
func NewDoubleHashed(panes, k, width int) *Ring { return newRing(panes, k, width, doubleHashed) }

func newRing(panes, k, width int, rows func(h, mask uint64) [depth]uint64) *Ring {
	r := &Ring{total: make([]uint32, depth*width), mask: uint64(width) - 1, rows: rows, heap: newHeap(k)}
	for range panes {
		r.panes = append(r.panes, make([]uint32, depth*width))
	}
	return r
}

// independent takes each row from 16 bits of its own.
func independent(h, mask uint64) [depth]uint64 {
	return [depth]uint64{h & mask, h >> 16 & mask, h >> 32 & mask, h >> 48 & mask}
}

// doubleHashed takes row i from h1 + i*h2 (Kirsch and Mitzenmacher 2006): two keys that agree in two rows agree in all.
func doubleHashed(h, mask uint64) [depth]uint64 {
	h1, h2 := h, h>>32|1
	return [depth]uint64{h1 & mask, (h1 + h2) & mask, (h1 + 2*h2) & mask, (h1 + 3*h2) & mask}
}

// Add counts n for a key in the open pane.
func (r *Ring) Add(key []byte, n uint32) {
	pane, width := r.panes[r.at], r.mask+1
	least := ^uint32(0)
	for row, i := range r.rows(xxh3.Hash(key), r.mask) {
		i += uint64(row) * width
		pane[i] += n
		r.total[i] += n
		least = min(least, r.total[i])
	}
	r.heap.offer(key, uint64(least))
}

// Estimate is what the window says of a key.
func (r *Ring) Estimate(key string) uint64 {
	least := ^uint32(0)
	for row, i := range r.rows(xxh3.HashString(key), r.mask) {
		least = min(least, r.total[i+uint64(row)*(r.mask+1)])
	}
	return uint64(least)
}

// Tick closes the open pane and drops the oldest one.
func (r *Ring) Tick() {
	r.at = (r.at + 1) % len(r.panes)
	old := r.panes[r.at]
	for i, v := range old {
		r.total[i] -= v
	}
	clear(old)
	r.heap.refresh(r.Estimate)
}

// Top gives the n heaviest keys of the heap, heaviest first.
func (r *Ring) Top(n int) []Entry { return r.heap.top(n) }

// Bytes is the memory of the cells.
func (r *Ring) Bytes() int { return 4 * len(r.total) * (len(r.panes) + 1) }
