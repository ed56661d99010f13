package sketch

import "math/bits"

// countMin is a Count-Min with conservative update (Cormode and Muthukrishnan 2005; Estan and Varghese 2002): a name's
// smallest cell is never under what was added for it.
type countMin struct {
	grid
	bits uint   // log2 of the cells in a row
	mass uint64 // all that was added
}

func newCountMin(width int) countMin {
	return countMin{grid: newGrid(width), bits: uint(bits.TrailingZeros(uint(width)))}
}

// add counts cost for a hash.
func (c *countMin) add(h, cost uint64) {
	at := c.locate(h)
	c.raise(&at, plus(c.least(&at), cost))
	c.mass = plus(c.mass, cost)
}

// noise is the mean of a row's cells if every update had gone to all rows: what a name shows that was never added.
func (c *countMin) noise() uint64 { return c.mass >> c.bits }

func (c *countMin) reset() {
	c.grid.reset()
	c.mass = 0
}

// foldInto writes the rows folded to the width of dst, which is not wider: halves are added, so that every cell stays an
// upper bound.
func (c *countMin) foldInto(dst []uint64) {
	clear(dst)
	width, narrow := int(c.mask)+1, len(dst)/depth
	if !c.any {
		return
	}
	for r := range depth {
		from, to := c.cells[r*width:(r+1)*width], dst[r*narrow:(r+1)*narrow]
		for len(from) > 0 {
			for i, v := range from[:narrow] {
				to[i] = plus(to[i], c.value(v))
			}
			from = from[narrow:]
		}
	}
}
