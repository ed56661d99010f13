package sketch

import "math/bits"

const (
	ways  = 8 // slots in a bucket
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// row is one candidate: one cache line.
type row struct {
	hash uint64
	sums Sums
}

// candidates is a table of the heaviest names of one kind, empty at the start, with a Count-Min behind it that takes what
// the table does not hold. It is a pure function of what was added.
//
// Invariants:
//
//  1. For a held name: sums.Cost <= truth <= sums.Cost + over.
//  2. For any other name: truth <= its smallest cell in unlisted, and truth <= refused.
//  3. The smallest score of a full bucket never falls, until the slab was full once (leaky).
type candidates struct {
	mask     uint64   // buckets, less one
	tags     []uint64 // by bucket: one byte a slot, 0 = empty
	least    []uint64 // by bucket: not over the smallest score in it, but 1 at least once it is full; else 0
	rows     []row
	over     []uint64 // by slot: the most that the name had before it was held
	names    []piece
	places   []int32 // vshard of a key, shard of a pair
	bytes    slab
	unlisted countMin
	refused  uint64         // the most that a name had when it was not taken, or when it was thrown out
	leaky    bool           // an empty slot may have held a name before, or refused one
	hand     int            // where the search for room goes on
	used     int            // slots that are not empty
	vacant   piece          // of the name that makes way for the next one
	heavy    bool           // sums may come near their end
	leaving  func(slot int) // is told before a candidate is thrown out; nil = nobody asks
}

func newCandidates(slots, width, nameBytes int) candidates {
	return candidates{
		mask: uint64(slots/ways) - 1, tags: make([]uint64, slots/ways), least: make([]uint64, slots/ways),
		rows: make([]row, slots), over: make([]uint64, slots), names: make([]piece, slots), places: make([]int32, slots),
		bytes: newSlab(slots * nameBytes), unlisted: newCountMin(width),
	}
}

// tag is the byte of a hash that stands for it in its bucket; never 0.
func tag(h uint64) uint64 { return max(h>>56, 1) }

// zeroBytes has the high bit of each byte of x that is 0, and nothing else: a tag that only looks equal would find the
// row of a name that has left.
func zeroBytes(x uint64) uint64 { return ^(x&^highs + ^uint64(highs) | x) & highs }

// find gives the slot that holds a hash, -1 if none does.
func (t *candidates) find(h uint64) int {
	b := h & t.mask
	for m := zeroBytes(t.tags[b] ^ tag(h)*lows); m != 0; m &= m - 1 {
		slot := int(b)*ways + bits.TrailingZeros64(m)/8
		if t.rows[slot].hash == h {
			return slot
		}
	}
	return -1
}

// add counts s for a name and gives its slot, -1 if it is not held. known says that it was held before.
func (t *candidates) add(h uint64, name []byte, place int32, s *Sums) (slot int, known bool) {
	if slot = t.find(h); slot >= 0 {
		if t.heavy {
			t.rows[slot].sums.add(s)
		} else {
			t.rows[slot].sums.plain(s)
		}
		return slot, true
	}
	return t.miss(h, name, place, s), false
}

// miss counts a name that is not held: in the Count-Min, or as a new candidate. Most end in the Count-Min, so what makes a
// candidate is kept out of the way.
func (t *candidates) miss(h uint64, name []byte, place int32, s *Sums) int {
	least := t.least[h&t.mask]
	if least == 0 {
		if slot := t.fill(h, name, place, s); slot >= 0 {
			return slot
		}
	}
	noise := t.unlisted.noise()
	now, taken := t.unlisted.offer(h, s.Cost, max(least, noise+noise/2))
	if !taken {
		return t.contend(h, name, place, s, now)
	}
	t.refused = max(t.refused, now)
	return -1
}

// contend makes a name that can have now a candidate, if it is heavy enough. Else it is counted in the Count-Min.
func (t *candidates) contend(h uint64, name []byte, place int32, s *Sums, now uint64) int {
	u := &t.unlisted
	at := u.locate(h)
	before, noise := u.least(at), u.noise()
	if now > t.least[h&t.mask] && now > noise+noise/2 {
		if slot := t.admit(h&t.mask, len(name), now); slot >= 0 {
			t.hold(slot, h, name, place, s, before)
			return slot
		}
	}
	u.raise(at, now)
	u.mass = plus(u.mass, s.Cost)
	t.refused = max(t.refused, now)
	return -1
}

// fill makes a name a candidate if its bucket has an empty slot in which none was before. Else it gives -1.
func (t *candidates) fill(h uint64, name []byte, place int32, s *Sums) int {
	empty := t.empty(h & t.mask)
	if empty < 0 || t.leaky || !t.makeRoom(len(name), 0) {
		return -1
	}
	t.hold(empty, h, name, place, s, 0)
	return empty
}

// empty finds an empty slot of a bucket, -1 if there is none.
func (t *candidates) empty(b uint64) int {
	if m := zeroBytes(t.tags[b]); m != 0 {
		return int(b)*ways + bits.TrailingZeros64(m)/8
	}
	return -1
}

// admit makes a slot of bucket b and n bytes free for a name that can have now. It gives -1 if that is not more than what
// the bucket holds, or if there is no room for the bytes.
func (t *candidates) admit(b uint64, n int, now uint64) int {
	slot := -1
	if t.least[b] == 0 {
		slot = t.empty(b)
	}
	if slot < 0 {
		first := int(b) * ways
		slot = first
		for i := first + 1; i < first+ways; i++ {
			if t.score(i) < t.score(slot) {
				slot = i
			}
		}
		if t.least[b] = max(t.score(slot), 1); now <= t.least[b] {
			return -1
		}
		t.evict(slot)
		if t.vacant = t.names[slot]; int(t.vacant.len) >= n {
			return slot
		}
	}
	if t.vacant = (piece{}); !t.makeRoom(n, now) {
		t.leaky, t.least[b] = true, 0
		return -1
	}
	return slot
}

// score is the most that a candidate can have.
func (t *candidates) score(slot int) uint64 { return plus(t.rows[slot].sums.Cost, t.over[slot]) }

// held tells whether a slot is taken.
func (t *candidates) held(slot int) bool { return tagged(t.tags, slot) }

func tagged(tags []uint64, slot int) bool { return tags[slot/ways]>>(8*(uint(slot)%ways))&0xff != 0 }

func (t *candidates) hold(slot int, h uint64, name []byte, place int32, s *Sums, over uint64) {
	t.tags[slot/ways] |= tag(h) << (8 * (uint(slot) % ways))
	t.rows[slot] = row{h, *s}
	t.over[slot] = over
	t.places[slot] = place
	if len(name) <= int(t.vacant.len) {
		t.names[slot] = t.bytes.again(t.vacant, name)
	} else {
		t.names[slot] = t.bytes.put(name)
	}
	t.vacant = piece{}
	t.used++
	if b := slot / ways; t.least[b] == 0 && t.empty(uint64(b)) < 0 {
		t.least[b] = 1
	}
}

// evict hands a candidate over to the Count-Min.
func (t *candidates) evict(slot int) {
	if t.leaving != nil {
		t.leaving(slot)
	}
	t.refused = max(t.refused, t.score(slot))
	t.unlisted.add(t.rows[slot].hash, t.rows[slot].sums.Cost)
	t.tags[slot/ways] &^= 0xff << (8 * (uint(slot) % ways))
	t.bytes.free(t.names[slot])
	t.used--
}

// searched is how many slots one admission may look at for bytes.
const searched = 64

// makeRoom finds n bytes for a name, by throwing out names that can have less than now. Long names of little weight
// cannot keep a heavy name out.
func (t *candidates) makeRoom(n int, now uint64) bool {
	if t.bytes.fits(n) {
		return true
	}
	for range searched {
		if t.bytes.packs(n) {
			break
		}
		slot := t.hand
		if t.hand++; t.hand == len(t.rows) {
			t.hand = 0
		}
		if t.held(slot) && t.score(slot) < now {
			t.evict(slot)
			t.leaky, t.least[slot/ways] = true, 0
		}
	}
	if !t.bytes.packs(n) {
		t.leaky = true
		return false
	}
	t.bytes.pack(t.names, t.tags)
	return true
}

func (t *candidates) reset() {
	clear(t.tags)
	clear(t.least)
	t.bytes.reset()
	t.unlisted.reset()
	t.refused, t.leaky, t.heavy, t.hand, t.used = 0, false, false, 0, 0
}
