package sketch

import "errors"

// kind is what a list holds.
type kind int

const (
	keyKind kind = iota
	tenantKind
	pairKind
	kinds
	callerKind = pairKind // where distinct names are counted, pairs have no use and callers do
)

const (
	keyFold    = 1024 // cells in a row of a shipped Count-Min for keys
	tenantFold = 256  // and for tenants and pairs
)

// fold is the width of the shipped Count-Min of a kind.
func (c *Config) fold(k kind) int {
	if k == keyKind {
		return min(keyFold, c.Width)
	}
	return min(tenantFold, c.TenantWidth)
}

// nameBytes is how many bytes of names a list of that kind holds in one pane: names of 48 bytes (tenants of 32) on
// average, fewer if they are longer.
func (c *Config) nameBytes(k kind) int {
	if k == keyKind {
		return max(48*c.listed(k), longestName)
	}
	return max(32*c.listed(k), longestName)
}

// longestName is room for one name of the longest kind: a key of 1,024 bytes with its tenant.
const longestName = 4096

// Part is what a Summary ships of one pane: its heaviest names with bounds, what bounds every other name, the exact loads
// of vshards, and registers of distinct names. Parts of one pane add up, whoever counted them, and in any order.
// The zero value is an empty Part.
type Part struct {
	seed   uint64 // fingerprint
	events uint64
	lists  [kinds]ranking
	words  []word // names of dominant tenants and callers
	loads  []VShardSums
	whole  [kinds]registers // of distinct keys, tenants, callers; nil = not counted
	each   [2][]crowd       // distinct keys of the heaviest tenants, and of the heaviest shards
	bytes  []byte           // of all names
}

// ranking is the heaviest names of one kind.
//
// Invariant: a name that is not listed has at most bound, and at most the smallest of its cells.
type ranking struct {
	names []listedName
	bound uint64   // the residual, in 1/256 cost units
	cells []uint64 // Count-Min, folded; nil = left out: bound alone holds
}

type listedName struct {
	hash  uint64
	name  piece
	place int32 // vshard of a key, shard of a pair
	cell  cell
}

// word is a name that listed names refer to.
type word struct {
	hash uint64
	name piece
}

// crowd is the distinct keys of a tenant or a shard.
type crowd struct {
	hash      uint64 // of a tenant
	name      piece  // of a tenant
	shard     int32
	cost      uint64
	registers piece
}

// cell is what one pane, or one part of it, holds of a listed name.
//
// Invariant: sums.Cost <= truth <= sums.Cost + over + gap, where gap is what the parts that do not list it leave open.
type cell struct {
	sums  Sums
	over  uint64 // at most so much more, before it was a candidate
	guess uint64 // of over, what it most likely had
	// seen and seenCells are the sums of bound and of the name's smallest cell over the parts that list it. Not used as
	// long as the pane is a single part.
	seen, seenCells uint64
	tenants         [2]sender
	callers         [2]sender
}

// sender is a word, counted from 1, and the least Cost that it sent; 0 = none.
type sender struct {
	word uint32
	cost uint64
}

// estimate is what the name most likely has.
func (c *cell) estimate() uint64 { return plus(c.sums.Cost, c.guess) }

func (p *Part) name(at piece) []byte { return p.bytes[at.at : at.at+at.len] }

func (p *Part) put(b []byte) piece {
	at := piece{uint32(len(p.bytes)), uint32(len(b))}
	p.bytes = append(p.bytes, b...)
	return at
}

// Reset empties the Part and keeps its memory.
func (p *Part) Reset() {
	for k := range p.lists {
		l := &p.lists[k]
		l.names, l.bound, l.cells = l.names[:0], 0, l.cells[:0]
	}
	for k := range p.whole {
		p.whole[k] = p.whole[k][:0]
	}
	p.each[0], p.each[1] = p.each[0][:0], p.each[1][:0]
	p.words, p.loads, p.bytes = p.words[:0], p.loads[:0], p.bytes[:0]
	p.seed, p.events = 0, 0
}

// Events is the number of records that the Part counted.
func (p *Part) Events() uint64 { return p.events }

var (
	// ErrSeed says that a Part was counted with another seed.
	ErrSeed = errors.New("sketch: counted with another seed")
	// ErrShape says that a Part has rows of another width.
	ErrShape = errors.New("sketch: counted with another width")
	// ErrMalformed says that bytes are no Part of this version.
	ErrMalformed = errors.New("sketch: malformed part")
	// ErrTooLarge says that the vshards alone of a Part are more than the limit.
	ErrTooLarge = errors.New("sketch: part too large")
	// ErrAhead says that more panes have traffic ahead of the window than it has room for.
	ErrAhead = errors.New("sketch: too many panes ahead of the window")
)
