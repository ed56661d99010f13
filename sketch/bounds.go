package sketch

import (
	"math"
	"slices"
)

// bounds says what a name that a pane does not list can have: at most residual, and at most the smallest of its cells.
// It is the sum over the parts of the pane, whose Count-Mins are folded to its width.
type bounds struct {
	grid
	residual uint64
}

func newBounds(width int) bounds { return bounds{grid: newGrid(width)} }

func (b *bounds) reset() {
	b.grid.reset()
	b.residual = 0
}

// of is the smallest cell of a hash.
func (b *bounds) of(h uint64) uint64 {
	if !b.any {
		return 0
	}
	at := b.locate(h)
	return b.least(at)
}

// unlisted is the most that a name can have in parts that do not list it, given what those that do list it have said.
func (b *bounds) unlisted(h, seen, seenCells uint64) uint64 {
	open := beyond(b.residual, seen)
	if open == 0 {
		return 0
	}
	return min(open, beyond(b.of(h), seenCells))
}

// beyond is total - part. A total that saturated may be anything above.
func beyond(total, part uint64) uint64 {
	if total == saturated {
		return total
	}
	return total - min(part, total)
}

// addCells adds a Count-Min of the same width; one that was left out bounds a name by the residual alone.
func (b *bounds) addCells(cells []uint64, residual uint64) {
	if len(cells) == 0 && residual == 0 {
		return
	}
	for i := range b.cells {
		v := residual
		if len(cells) > 0 {
			v = cells[i]
		}
		if sum := uint64(b.cells[i]) + v; b.shift == 0 && v <= math.MaxUint32 && sum <= math.MaxUint32 {
			b.cells[i] = uint32(sum)
			b.any = b.any || v > 0
			continue
		}
		b.put(i, v)
	}
}

// addName counts a name that is no longer listed, with the least that it has.
func (b *bounds) addName(h, least uint64) {
	for _, i := range b.locate(h).all() {
		b.put(int(i), least)
	}
}

// guess is what a name most likely has in the cells, less what other names leave there: the median over the rows of its
// cell less the mean of the others (Deng and Rafiei 2007, count-mean-min). It may be negative, so that guesses of several
// panes add up to no more than there is.
func (b *bounds) guess(h uint64) int64 {
	if !b.any {
		return 0
	}
	at, width := b.locate(h).all(), int(b.mask)+1
	var rows [depth]int64
	for r, i := range at {
		all := int64(0)
		for _, c := range b.cells[r*width : (r+1)*width] {
			all += int64(c)
		}
		own := int64(b.cells[i])
		rows[r] = own - (all-own)/int64(width-1)
	}
	slices.Sort(rows[:])
	return (rows[1] + rows[2]) / 2 << b.shift
}
