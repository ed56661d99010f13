package sketch

// Coarsen merges each pair of panes 2n and 2n+1 into pane n, for a window that grows with its input. It may be called
// only before the first Slide.
func (s *Sliding) Coarsen() {
	s.work()
	for i := range s.open {
		s.close(&s.open[i])
	}
	kept := s.ring[:0]
	for _, p := range s.ring {
		number := p.number >> 1
		if n := len(kept); n > 0 && kept[n-1].number == number {
			s.export(p, &s.part)
			s.leave(p, s.span)
			s.idle = append(s.idle, p)
			s.merge(kept[n-1], &s.part)
			continue
		}
		p.number = number
		kept = append(kept, p)
	}
	s.ring = kept
}

// export writes a whole pane into a Part.
func (s *Sliding) export(p *pane, to *Part) {
	to.Reset()
	to.seed = s.print
	for k := range kinds {
		s.exportList(p, k, to)
		to.whole[k] = append(to.whole[k], p.whole[k]...)
	}
	to.loads = append(to.loads, p.loads...)
	for of := range p.each {
		for i := range p.each[of] {
			c := &p.each[of][i]
			out := crowd{shard: c.who, cost: c.cost, registers: to.put(c.registers[:])}
			if of == 0 {
				out.shard, out.hash, out.name = None, s.words.hash[c.who], to.put([]byte(s.words.name[c.who]))
			}
			to.each[of] = append(to.each[of], out)
		}
	}
}

func (s *Sliding) exportList(p *pane, k kind, to *Part) {
	l, out, n := &p.lists[k], &to.lists[k], &s.names[k]
	l.each(func(id int, c *cell) {
		e := listedName{hash: n.hash[id], name: to.put([]byte(n.name[id])), place: n.place[id], cell: *c}
		e.cell.over = plus(c.over, p.gap(k, n.hash[id], c))
		e.cell.seen, e.cell.seenCells = 0, 0
		s.exportSenders(&e.cell.tenants, to)
		s.exportSenders(&e.cell.callers, to)
		out.names = append(out.names, e)
	})
	out.bound = l.bounds.residual
	if l.bounds.any {
		for _, v := range l.bounds.cells {
			out.cells = append(out.cells, l.bounds.value(v))
		}
	}
}

func (s *Sliding) exportSenders(senders *[2]sender, to *Part) {
	for i := range senders {
		if id := int(senders[i].word) - 1; id >= 0 {
			to.words = append(to.words, word{s.words.hash[id], to.put([]byte(s.words.name[id]))})
			senders[i].word = uint32(len(to.words))
		}
	}
}
