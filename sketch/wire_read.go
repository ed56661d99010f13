package sketch

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// Decode reads the wire form of a Part that was counted with a seed, and replaces p. It never allocates more than a few
// times the bytes it is given. Errors: ErrMalformed with what is wrong, ErrSeed; then p is empty.
func (p *Part) Decode(data []byte, seed uint64) error {
	p.Reset()
	if err := p.decode(data, seed); err != nil {
		p.Reset()
		return err
	}
	return nil
}

func (p *Part) decode(data []byte, seed uint64) error {
	switch {
	case len(data) < wireHead+wireSum || len(data) > math.MaxInt32:
		return malformed("length")
	case string(data[:len(wireMagic)]) != wireMagic:
		return malformed("magic")
	case data[len(wireMagic)] != wireVersion:
		return malformed("version")
	}
	body := data[:len(data)-wireSum]
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[len(body):]) {
		return malformed("checksum")
	}
	p.seed = binary.LittleEndian.Uint64(data[len(wireMagic)+1:])
	if p.seed != fingerprint(seed) {
		return ErrSeed
	}
	p.bytes = append(p.bytes, body...)
	r := reader{data: p.bytes, at: wireHead, hasher: newHasher(seed)}
	p.events = r.number()
	r.words(p)
	for k := range kinds {
		r.list(p, k)
	}
	r.loads(p)
	for k := range p.whole {
		if r.below(2, "registers") == 1 {
			p.whole[k] = append(p.whole[k], r.registers(wholeBits)...)
		}
	}
	r.crowds(p)
	if r.err == nil && r.at != len(r.data) {
		r.fail("bytes after the end")
	}
	return r.err
}

func malformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }

// reader reads bytes that nobody vouches for. After the first error it reads zeros.
type reader struct {
	data   []byte
	at     int
	hasher hasher
	err    error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = malformed(what)
	}
	r.at = len(r.data)
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		r.fail("number")
		return 0
	}
	r.at += n
	return v
}

// below reads a number that must be under limit.
func (r *reader) below(limit uint64, what string) int {
	v := r.number()
	if v >= limit {
		r.fail(what)
		return 0
	}
	return int(v)
}

// count reads how many things follow that take so many bytes each at least.
func (r *reader) count(each int, what string) int {
	return r.below(uint64((len(r.data)-r.at)/each)+1, what)
}

// take gives where the next n bytes are.
func (r *reader) take(n int, what string) piece {
	if n > len(r.data)-r.at {
		r.fail(what)
		return piece{}
	}
	p := piece{uint32(r.at), uint32(n)}
	r.at += n
	return p
}

// name reads the bytes of a name and its hash, which for a key is another one.
func (r *reader) name(key bool) (piece, uint64) {
	n := r.count(1, "name")
	if n == 0 {
		r.fail("empty name")
		return piece{}, 0
	}
	p := r.take(n, "name")
	if key {
		return p, hashed(r.data[p.at:p.at+p.len], r.hasher.seed)
	}
	return p, r.hasher.name(r.data[p.at : p.at+p.len])
}

func (r *reader) words(p *Part) {
	for range r.count(2, "words") {
		name, h := r.name(false)
		p.words = append(p.words, word{h, name})
		if r.err != nil {
			return
		}
	}
}

// cell reads a number and a cell.
func (r *reader) cell(c *cell, limit uint64, words int) int {
	id := r.below(limit, "place")
	var padded [256 + maxRecord]byte
	n := int(r.take(1, "cell").at)
	if r.err != nil {
		return 0
	}
	at := r.take(int(r.data[n]), "cell")
	if r.err != nil {
		return 0
	}
	// Whatever the record says, reading it ends in the zeros behind it.
	copy(padded[:], r.data[at.at:at.at+at.len])
	if readCell(padded[:], 0, c) != int(at.len) || c.guess > c.over {
		r.fail("cell")
		return 0
	}
	for _, v := range [...]sender{c.tenants[0], c.tenants[1], c.callers[0], c.callers[1]} {
		if int(v.word) > words {
			r.fail("word")
		}
	}
	return id
}

func (r *reader) list(p *Part, k kind) {
	l := &p.lists[k]
	l.bound = r.number()
	r.cells(l)
	limit := uint64(maxPlaces)
	if k == pairKind {
		limit = maxShards
	}
	n := r.count(6, "names")
	for range n {
		e := listedName{}
		e.name, e.hash = r.name(k == keyKind)
		e.place = int32(r.cell(&e.cell, limit+1, len(p.words))) - 1
		if r.err != nil {
			return
		}
		e.cell.seen, e.cell.seenCells = 0, 0
		if k == pairKind {
			e.hash = pairHash(e.hash, e.place)
		}
		l.names = append(l.names, e)
	}
	hashes := make([]uint64, n)
	for i := range l.names {
		hashes[i] = l.names[i].hash
	}
	slices.Sort(hashes)
	if len(slices.Compact(hashes)) != n {
		r.fail("a name twice")
	}
}

func (r *reader) cells(l *ranking) {
	width := r.below(keyFold+1, "width")
	if width == 0 {
		return
	}
	unit := r.below(9, "unit")
	if width < minWidth || width&(width-1) != 0 || unit != 0 && unit != 8 || len(r.data)-r.at < depth*width {
		r.fail("width")
		return
	}
	for range depth * width {
		v := r.number()
		if v > math.MaxUint64>>unit {
			r.fail("cell")
		}
		l.cells = append(l.cells, v<<unit)
	}
}

func (r *reader) loads(p *Part) {
	last := -1
	for range r.count(5, "vshards") {
		var c cell
		step := r.cell(&c, maxPlaces, 0)
		if step == 0 || last+step >= maxPlaces {
			r.fail("vshard")
		}
		if r.err != nil {
			return
		}
		last += step
		p.loads = append(p.loads, VShardSums{int32(last), c.sums})
	}
}

// registers reads the registers of a HyperLogLog and checks them.
func (r *reader) registers(bits uint8) registers {
	at := r.take(1<<bits, "registers")
	all := registers(r.data[at.at : at.at+at.len])
	if len(all) > 0 && slices.Max(all) > maxRegister(bits) {
		r.fail("register")
	}
	return all
}

func (r *reader) crowds(p *Part) {
	for of := range p.each {
		for range r.count(2+1<<eachBits, "distinct keys") {
			c := crowd{shard: None}
			if of == 0 {
				c.name, c.hash = r.name(false)
			} else {
				c.shard = int32(r.below(maxShards, "shard"))
			}
			c.cost = r.number()
			c.registers = piece{uint32(r.at), 1 << eachBits}
			if r.registers(eachBits); r.err != nil {
				return
			}
			p.each[of] = append(p.each[of], c)
		}
	}
}
