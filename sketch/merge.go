package sketch

import (
	"cmp"
	"slices"
)

// merged is a listed name while its pane is being changed.
type merged struct {
	id   int
	cell cell
}

// Accept adds a Part to a pane, complete or not. A Part for a pane that has left the window changes nothing. Errors:
// ErrSeed, ErrShape, ErrAhead; then nothing was changed.
func (s *Sliding) Accept(number int64, part *Part) error {
	switch {
	case part.seed != s.print:
		return ErrSeed
	case !part.shaped(&s.cfg):
		return ErrShape
	case s.span.past(number):
		return nil
	}
	p := s.pane(number)
	if p == nil {
		return ErrAhead
	}
	s.merge(p, part)
	s.settle()
	return nil
}

// shaped tells whether a Part's rows are as wide as those of a window with that Config.
func (p *Part) shaped(c *Config) bool {
	for k := range p.lists {
		l := &p.lists[k]
		if n := len(l.cells); n != 0 && n != depth*c.fold(kind(k)) {
			return false
		}
		if len(l.names) > 0 && !c.lists(kind(k)) {
			return false
		}
	}
	return true
}

// merge adds a Part that fits.
func (s *Sliding) merge(p *pane, part *Part) {
	s.untell(p)
	if len(part.loads) > 0 {
		p.version++
		if len(p.loads) == 0 {
			p.loads = append(p.loads, part.loads...)
		} else {
			p.loads, s.spare = mergeLoads(p.loads, part.loads, s.spare), p.loads
		}
	}
	for k := range kinds {
		if s.cfg.lists(k) {
			s.mergeList(p, k, part)
		}
	}
	p.parts++
	for k, registers := range part.whole {
		s.joinDistinct(p, kind(k), registers)
	}
	s.mergeCrowds(p, part)
}

// mergeList adds what a Part says of one kind.
func (s *Sliding) mergeList(p *pane, k kind, part *Part) {
	list, to, n := &part.lists[k], &p.lists[k], &s.names[k]
	s.makeRoom(k, part)
	s.unpack(p, k)
	refused := uint64(0)
	for i := range list.names {
		e := &list.names[i]
		id := n.find(e.hash)
		if id < 0 && !n.fits(int(e.name.len)) {
			to.bounds.addName(e.hash, e.cell.sums.Cost)
			refused = max(refused, plus(e.cell.sums.Cost, e.cell.over))
			continue
		}
		if id < 0 {
			id = n.insert(e.hash, part.name(e.name), e.place)
		}
		s.mergeName(p, k, id, list, e, part)
	}
	to.bounds.residual = plus(to.bounds.residual, max(list.bound, refused))
	to.bounds.addCells(list.cells, list.bound)
	if refused > list.bound {
		s.raise(refused - list.bound)
	}
	s.pack(p, k, p.parts+1)
}

// mergeName adds one listed name to the cells at hand.
func (s *Sliding) mergeName(p *pane, k kind, id int, list *ranking, e *listedName, part *Part) {
	n := &s.names[k]
	c := e.cell
	s.translate(&c.tenants, part)
	s.translate(&c.callers, part)
	c.seen, c.seenCells = list.bound, list.least(e.hash)
	s.weigh(n, id, p.number, s.span, c.estimate(), true)
	if i := n.mark[id] - 1; i >= 0 {
		s.join(&s.merging[i].cell, &c)
		return
	}
	s.merging = append(s.merging, merged{id, c})
	n.mark[id] = int32(len(s.merging))
	n.refs[id]++
}

// least is a name's smallest cell in a Part.
func (l *ranking) least(h uint64) uint64 {
	if len(l.cells) == 0 {
		return l.bound
	}
	m, w := spread64(h), uint64(len(l.cells)/depth)
	v := l.cells[m&(w-1)]
	for r := uint64(1); r < depth; r++ {
		v = min(v, l.cells[r*w+m>>(r*fieldBits)&(w-1)])
	}
	return v
}

// translate turns words of a Part into words of the window; a word that does not fit is forgotten.
func (s *Sliding) translate(senders *[2]sender, part *Part) {
	at := 0
	for _, v := range senders {
		if v.word == 0 {
			continue
		}
		w := &part.words[v.word-1]
		id := s.word(w.hash, part.name(w.name))
		if id < 0 {
			continue
		}
		senders[at] = sender{uint32(id) + 1, v.cost}
		at++
	}
	for ; at < len(senders); at++ {
		senders[at] = sender{}
	}
}

// word finds a word, or makes it, and refers to it; -1 if there is no room.
func (s *Sliding) word(h uint64, name []byte) int {
	id := s.words.find(h)
	if id < 0 {
		if !s.words.fits(len(name)) {
			return -1
		}
		id = s.words.insert(h, name, None)
	}
	s.words.refs[id]++
	return id
}

// join adds b, of another part, to a.
func (s *Sliding) join(a, b *cell) {
	a.sums.add(&b.sums)
	a.over, a.guess = plus(a.over, b.over), plus(a.guess, b.guess)
	a.seen, a.seenCells = plus(a.seen, b.seen), plus(a.seenCells, b.seenCells)
	s.joinSenders(&a.tenants, &b.tenants)
	s.joinSenders(&a.callers, &b.callers)
}

// joinSenders keeps the two that sent most.
func (s *Sliding) joinSenders(a, b *[2]sender) {
	all := [4]sender{a[0], a[1]}
	n := 2
	for _, v := range b {
		switch v.word {
		case 0:
		case all[0].word:
			all[0].cost = plus(all[0].cost, v.cost)
			s.words.drop(int(v.word) - 1)
		case all[1].word:
			all[1].cost = plus(all[1].cost, v.cost)
			s.words.drop(int(v.word) - 1)
		default:
			all[n] = v
			n++
		}
	}
	slices.SortStableFunc(all[:], func(x, y sender) int {
		return cmp.Or(cmp.Compare(min(y.word, 1), min(x.word, 1)), cmp.Compare(y.cost, x.cost))
	})
	a[0], a[1] = all[0], all[1]
	for _, v := range all[2:] {
		if v.word > 0 {
			s.words.drop(int(v.word) - 1)
		}
	}
}

// mergeCrowds adds the distinct keys of tenants and shards.
func (s *Sliding) mergeCrowds(p *pane, part *Part) {
	for i := range part.each[0] {
		c := &part.each[0][i]
		id := s.word(c.hash, part.name(c.name))
		if id < 0 {
			continue
		}
		before := len(p.each[0])
		if gone := p.crowd(0, int32(id), c.cost, part.name(c.registers)); gone >= 0 {
			s.words.drop(int(gone))
		} else if len(p.each[0]) == before {
			s.words.drop(id) // it was there already and is referred to once
		}
	}
	for i := range part.each[1] {
		c := &part.each[1][i]
		p.crowd(1, c.shard, c.cost, part.name(c.registers))
	}
}
