package sketch

import "math"

// grid is the cells of a Count-Min: depth rows of 32 bits, times 2^shift, rounded up. So they are upper bounds of sums of
// any size, and as small as sums mostly are. Rows are chosen by disjoint fields of one mixed hash: with row i taken from
// h1 + i*h2 instead, names that collide in two rows collide in all, and light keys look hot.
type grid struct {
	cells []uint32 // depth rows, one behind the other; as wide as a power of two
	mask  uint64   // cells in a row, less one
	shift uint
	any   bool // a cell is not 0
}

const (
	depth     = 4  // rows
	fieldBits = 16 // bits of the hash that choose the cell of one row: four fields, none shared
	// wide is the highest shift: with it the highest cell stands for everything above.
	wide = 32
)

func newGrid(width int) grid {
	return grid{cells: make([]uint32, depth*width), mask: uint64(width) - 1}
}

func (g *grid) reset() {
	if g.any {
		clear(g.cells)
	}
	g.shift, g.any = 0, false
}

// spot is where a name's cells are, one in each row. It is no array: the compiler keeps four fields in registers.
type spot struct{ a, b, c, d uint32 }

// all gives the cells row by row.
func (s spot) all() [depth]uint32 { return [depth]uint32{s.a, s.b, s.c, s.d} }

// locate finds the cells of a hash. In a narrower grid they are those that its cells fold to.
func (g *grid) locate(h uint64) spot {
	m, w := spread64(h), g.mask+1
	return spot{
		uint32(m & g.mask), uint32(w + m>>fieldBits&g.mask),
		uint32(2*w + m>>(2*fieldBits)&g.mask), uint32(3*w + m>>(3*fieldBits)&g.mask),
	}
}

// least is the smallest cell: the most that can have been added for the name.
func (g *grid) least(at spot) uint64 {
	return g.value(min(g.cells[at.a], g.cells[at.b], g.cells[at.c], g.cells[at.d]))
}

func (g *grid) value(cell uint32) uint64 {
	if cell == math.MaxUint32 && g.shift == wide {
		return saturated
	}
	return uint64(cell) << (g.shift & 63)
}

// fit gives the cell for v, rounded up. The grid becomes coarser where it must.
func (g *grid) fit(v uint64) uint32 {
	for {
		scaled := v >> (g.shift & 63)
		if v&(1<<(g.shift&63)-1) != 0 {
			scaled++
		}
		switch {
		case scaled <= math.MaxUint32:
			return uint32(scaled)
		case g.shift == wide:
			return math.MaxUint32
		}
		for i, c := range g.cells {
			g.cells[i] = c>>1 + c&1
		}
		g.shift++
	}
}

// raise lifts the cells of a name to v, those that are lower.
func (g *grid) raise(at spot, v uint64) {
	cell := uint32(v)
	if g.shift > 0 || v > math.MaxUint32 {
		cell = g.fit(v)
	}
	cells := g.cells
	cells[at.a] = max(cells[at.a], cell)
	cells[at.b] = max(cells[at.b], cell)
	cells[at.c] = max(cells[at.c], cell)
	cells[at.d] = max(cells[at.d], cell)
	g.any = true
}

// put adds v to one cell.
func (g *grid) put(i int, v uint64) {
	if v == 0 {
		return
	}
	cell := g.fit(plus(g.value(g.cells[i]), v))
	g.cells[i] = cell
	g.any = true
}
