package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// shipping is the memory that a Summary builds its Parts with.
type shipping struct {
	scores []uint64
	words  [2][]uint32 // by slot of a tenant, and of a caller: its word, counted from 1
	heavy  []int32
}

func newShipping(cfg *Config) shipping {
	s := shipping{scores: make([]uint64, 0, max(cfg.Slots, cfg.TenantSlots, cfg.PairSlots)), heavy: make([]int32, 0, 4*cfg.Spread+cfg.Shards)}
	s.words[0], s.words[1] = make([]uint32, cfg.TenantSlots), make([]uint32, cfg.CallerSlots)
	return s
}

// Part writes into p what the Summary ships, and empties it: names that are not shipped go to the Count-Min first.
func (s *Summary) Part(p *Part) {
	p.Reset()
	p.seed, p.events = fingerprint(s.cfg.Seed), s.events
	clear(s.ship.words[0])
	clear(s.ship.words[1])
	for b, tags := range s.keys.tags {
		for m := ^zeroBytes(tags) & highs; m != 0; m &= m - 1 {
			s.settle(b*ways + bits.TrailingZeros64(m)/8)
		}
	}
	s.list(p, keyKind, &s.keys)
	if len(s.tenants.rows) > 0 {
		s.list(p, tenantKind, &s.tenants)
	}
	if len(s.pairs.rows) > 0 {
		s.list(p, pairKind, &s.pairs)
	}
	p.loads = s.loads.drain(p.loads)
	for k, h := range s.whole {
		p.whole[k] = append(p.whole[k], h...)
	}
	s.crowds(p)
	s.Reset()
}

// list ships the heaviest candidates of a table.
func (s *Summary) list(p *Part, k kind, t *candidates) {
	l := &p.lists[k]
	line, ties := s.line(t, s.cfg.listed(k))
	room := s.cfg.nameBytes(k)
	l.bound = t.refused
	for b, tags := range t.tags {
		if tags == 0 {
			continue
		}
		for slot := b * ways; slot < b*ways+ways; slot++ {
			if !t.held(slot) {
				continue
			}
			score := t.score(slot)
			ship := score > line || score == line && ties > 0
			if ship && score == line {
				ties--
			}
			if ship {
				n := s.listed(p, k, t, slot)
				l.names = append(l.names, n)
				room -= int(n.name.len)
				continue
			}
			t.unlisted.add(t.rows[slot].hash, t.rows[slot].sums.Cost)
			l.bound = max(l.bound, score)
		}
	}
	if room < 0 {
		s.cut(p, k, t, room)
	}
	if t.unlisted.any {
		n := depth * s.cfg.fold(k)
		l.cells = slices.Grow(l.cells[:0], n)[:n]
		t.unlisted.foldInto(l.cells)
	}
}

// line gives the score above which candidates are shipped, and how many with just that score.
func (s *Summary) line(t *candidates, listed int) (line uint64, ties int) {
	if t.used <= listed {
		return 0, t.used
	}
	scores := s.ship.scores[:0]
	for slot := range t.rows {
		if t.held(slot) {
			scores = append(scores, t.score(slot))
		}
	}
	line = nthLargest(scores, listed)
	ties = listed
	for _, v := range scores {
		if v > line {
			ties--
		}
	}
	return line, ties
}

// cut takes the lightest names back until the bytes of the others fit; -room are too many.
func (s *Summary) cut(p *Part, k kind, t *candidates, room int) {
	l := &p.lists[k]
	slices.SortFunc(l.names, func(a, b listedName) int { return compareNames(p, &a, &b) })
	for ; room < 0; l.names = l.names[:len(l.names)-1] {
		n := &l.names[len(l.names)-1]
		room += int(n.name.len)
		t.unlisted.add(n.hash, n.cell.sums.Cost)
		l.bound = max(l.bound, plus(n.cell.sums.Cost, n.cell.over))
	}
}

// compareNames sorts heaviest first, ties by name and place.
func compareNames(p *Part, a, b *listedName) int {
	return cmp.Or(
		cmp.Compare(plus(b.cell.sums.Cost, b.cell.over), plus(a.cell.sums.Cost, a.cell.over)),
		slices.Compare(p.name(a.name), p.name(b.name)), cmp.Compare(a.place, b.place),
	)
}

func (s *Summary) listed(p *Part, k kind, t *candidates, slot int) listedName {
	n := listedName{
		hash: t.rows[slot].hash, name: p.put(t.bytes.get(t.names[slot])), place: t.places[slot],
		cell: cell{sums: t.rows[slot].sums, over: t.over[slot], guess: t.over[slot]},
	}
	var tenants, callers *votes
	if k == keyKind {
		tenants, callers = s.votes(slot)
	} else if s.called {
		callers = &[kinds][]votes{tenantKind: s.tenantCallers, pairKind: s.pairCallers}[k][slot]
	}
	s.senders(p, &n.cell.tenants, tenants, &s.tenants, s.ship.words[0])
	s.senders(p, &n.cell.callers, callers, &s.callers, s.ship.words[1])
	return n
}

// senders names the voters that are candidates of t themselves, by words that have their place by its slots. One that is
// no candidate is lighter than any who could matter.
func (s *Summary) senders(p *Part, to *[2]sender, v *votes, t *candidates, words []uint32) {
	if v == nil {
		return
	}
	for i := range v.who {
		if !v.any[i] {
			continue
		}
		slot := t.find(v.who[i])
		if slot < 0 {
			continue
		}
		if words[slot] == 0 {
			p.words = append(p.words, word{v.who[i], p.put(t.bytes.get(t.names[slot]))})
			words[slot] = uint32(len(p.words))
		}
		to[i] = sender{words[slot], v.sent(i)}
	}
}

// crowds ships the distinct keys of the heaviest tenants and shards.
func (s *Summary) crowds(p *Part) {
	k := &s.tenantKeys
	s.ship.heavy = s.ship.heavy[:0]
	for i := range k.used {
		if slot := int(k.slot[i]); k.of(&s.tenants, slot) == i {
			s.ship.heavy = append(s.ship.heavy, int32(i))
		}
	}
	for _, i := range s.heaviest(func(i int32) uint64 { return s.tenants.score(int(k.slot[i])) }) {
		slot := k.slot[i]
		c := crowd{hash: k.hash[i], name: p.put(s.tenants.bytes.get(s.tenants.names[slot])), shard: None, cost: s.tenants.score(int(slot))}
		c.registers = piece{uint32(len(p.bytes)), 1 << eachBits}
		p.bytes = append(p.bytes, k.hlls[i]...)
		p.each[0] = append(p.each[0], c)
	}
	s.ship.heavy = s.ship.heavy[:0]
	for shard, cost := range s.shardKeys.cost {
		if cost > 0 {
			s.ship.heavy = append(s.ship.heavy, int32(shard))
		}
	}
	for _, shard := range s.heaviest(func(i int32) uint64 { return s.shardKeys.cost[i] }) {
		c := crowd{shard: shard, cost: s.shardKeys.cost[shard], registers: piece{uint32(len(p.bytes)), 1 << eachBits}}
		p.bytes = append(p.bytes, s.shardKeys.hlls[shard]...)
		p.each[1] = append(p.each[1], c)
	}
}

// heaviest sorts what is in ship.heavy and gives the first Spread of it.
func (s *Summary) heaviest(cost func(int32) uint64) []int32 {
	h := s.ship.heavy
	slices.SortFunc(h, func(a, b int32) int { return cmp.Or(cmp.Compare(cost(b), cost(a)), cmp.Compare(a, b)) })
	return h[:min(len(h), s.cfg.Spread)]
}
