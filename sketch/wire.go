package sketch

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// A Part travels as
//
//	"FBP", version, fingerprint of the seed (8 bytes), events
//	words: count, then each its bytes
//	keys, tenants, pairs: bound, width (0 = no Count-Min), its unit and cells, count, then each its bytes, place and cell
//	vshards: count, then each the distance from the one before and its sums
//	registers of distinct keys, tenants, callers: 0 or 1, then the registers
//	distinct keys of tenants: count, then each its bytes, cost, registers; of shards: count, then each its number, ...
//	CRC-32C of all that (4 bytes)
//
// Numbers are varints, bytes have their length before them, places are one higher than they are. A cell is written as in
// a pane, see cells.go.
const (
	wireMagic   = "FBP"
	wireVersion = 1
	wireHead    = len(wireMagic) + 1 + 8
	wireSum     = 4
)

// MaxPart is the most bytes that a Part may take on a log.
const MaxPart = 512 << 10

// fitted is what of a Part is written.
type fitted struct {
	names  [kinds]int
	cells  [kinds]bool
	crowds bool
}

// Append appends the wire form of p, in at most limit bytes. What is too much is left out, in this order: the Count-Min
// of pairs, tenants and keys, which leaves the residual to bound what is not listed; the lightest names, whose bounds
// raise it; the distinct keys of tenants and shards. Then the error is ErrTooLarge: vshards cannot be left out.
func (p *Part) Append(b []byte, limit int) ([]byte, error) {
	f := fitted{crowds: true}
	for k := range p.lists {
		l := &p.lists[k]
		slices.SortFunc(l.names, func(x, y listedName) int { return compareNames(p, &x, &y) })
		f.names[k], f.cells[k] = len(l.names), len(l.cells) > 0
	}
	at := len(b)
	for {
		b = p.append(b[:at], &f)
		if len(b)-at <= limit {
			return b, nil
		}
		if !f.less() {
			return b[:at], ErrTooLarge
		}
	}
}

// less leaves out a little more. It is false if nothing is left that could be.
func (f *fitted) less() bool {
	for k := kinds - 1; k >= 0; k-- {
		if f.cells[k] {
			f.cells[k] = false
			return true
		}
	}
	most := keyKind
	for k := range kinds {
		if f.names[k] > f.names[most] {
			most = k
		}
	}
	if n := f.names[most]; n > 0 {
		f.names[most] = n - (n+7)/8
		return true
	}
	more := f.crowds
	f.crowds = false
	return more
}

func (p *Part) append(b []byte, f *fitted) []byte {
	at := len(b)
	b = append(b, wireMagic...)
	b = append(b, wireVersion)
	b = binary.LittleEndian.AppendUint64(b, p.seed)
	b = appendVarint(b, p.events)
	b = appendVarint(b, uint64(len(p.words)))
	for i := range p.words {
		b = p.appendName(b, p.words[i].name)
	}
	for k := range p.lists {
		b = p.appendList(b, &p.lists[k], f.names[k], f.cells[k])
	}
	b = appendVarint(b, uint64(len(p.loads)))
	last := -1
	for i := range p.loads {
		l := &p.loads[i]
		b = appendCell(b, int(l.VShard)-last, &cell{sums: l.Sums})
		last = int(l.VShard)
	}
	for _, r := range p.whole {
		b = append(b, byte(min(len(r), 1)))
		b = append(b, r...)
	}
	if f.crowds {
		b = p.appendCrowds(b)
	} else {
		b = append(b, 0, 0)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], crc32.MakeTable(crc32.Castagnoli)))
}

func (p *Part) appendName(b []byte, name piece) []byte {
	return append(appendVarint(b, uint64(name.len)), p.name(name)...)
}

// appendList appends the n heaviest names of a list.
func (p *Part) appendList(b []byte, l *ranking, n int, withCells bool) []byte {
	bound := l.bound
	for i := n; i < len(l.names); i++ {
		bound = max(bound, plus(l.names[i].cell.sums.Cost, l.names[i].cell.over))
	}
	b = appendVarint(b, bound)
	if withCells {
		b = appendCells(b, l.cells)
	} else {
		b = append(b, 0)
	}
	b = appendVarint(b, uint64(n))
	for i := range l.names[:n] {
		e := &l.names[i]
		b = p.appendName(b, e.name)
		b = appendCell(b, int(e.place)+1, &e.cell)
	}
	return b
}

// appendCells appends a Count-Min: its width, the bits that its unit has, and its cells.
func appendCells(b []byte, cells []uint64) []byte {
	all := uint64(0)
	for _, v := range cells {
		all |= v
	}
	unit := uint(0)
	if all%One == 0 {
		unit = 8
	}
	b = append(appendVarint(b, uint64(len(cells)/depth)), byte(unit))
	for _, v := range cells {
		b = appendVarint(b, v>>unit)
	}
	return b
}

func (p *Part) appendCrowds(b []byte) []byte {
	for of := range p.each {
		b = appendVarint(b, uint64(len(p.each[of])))
		for i := range p.each[of] {
			c := &p.each[of][i]
			if of == 0 {
				b = p.appendName(b, c.name)
			} else {
				b = appendVarint(b, uint64(c.shard))
			}
			b = appendVarint(b, c.cost)
			b = append(b, p.name(c.registers)...)
		}
	}
	return b
}
