package sketch

// Slide makes the panes up to newest complete and drops what leaves the window. A newest that is not later does nothing.
func (s *Sliding) Slide(newest int64) {
	if newest <= s.span.newest {
		return
	}
	s.closeUpTo(newest)
	from, to := s.span, span{newest: newest, long: s.span.long}
	kept := s.ring[:0]
	for _, p := range s.ring {
		if to.past(p.number) {
			s.leave(p, from)
			s.idle = append(s.idle, p)
			continue
		}
		kept = append(kept, p)
		s.turn(p, from, to)
	}
	s.ring = kept
	s.span = to
	s.turnOver()
	s.settle()
}

// leave drops the names of a pane that leaves the ring.
func (s *Sliding) leave(p *pane, w span) {
	s.untell(p)
	var c cell
	for k := range kinds {
		n, l := &s.names[k], &p.lists[k]
		for at := 0; at < len(l.records); {
			id, from, to := readNumber(l.records, at)
			at = to
			estimate, senders := readEstimate(l.records, from)
			if senders {
				readCell(l.records, from, &c)
				s.dropWords(&c)
			}
			s.weigh(n, id, p.number, w, estimate, false)
			n.drop(id)
		}
	}
	for i := range p.each[0] {
		s.words.drop(int(p.each[0][i].who))
	}
}

func (s *Sliding) dropWords(c *cell) {
	for i := range 2 {
		if w := c.tenants[i].word; w > 0 {
			s.words.drop(int(w) - 1)
		}
		if w := c.callers[i].word; w > 0 {
			s.words.drop(int(w) - 1)
		}
	}
}

// turn brings the totals from one span to a later one, as far as a pane goes that stays.
func (s *Sliding) turn(p *pane, from, to span) {
	long, recent := to.holds(p.number) && !from.holds(p.number), to.recent(p.number)
	if !long && recent == from.recent(p.number) {
		return
	}
	for k := range kinds {
		n, l := &s.names[k], &p.lists[k]
		for at := 0; at < len(l.records); {
			id, from, to := readNumber(l.records, at)
			at = to
			estimate, _ := readEstimate(l.records, from)
			if long {
				s.shift(&n.long[id], estimate, true)
			}
			if recent || !long {
				s.shift(&n.recent[id], estimate, recent)
			}
		}
	}
}

// weigh adds an estimate to the totals of a name, or takes it away, as far as the pane counts in the span.
func (s *Sliding) weigh(n *names, id int, number int64, w span, v uint64, add bool) {
	if w.holds(number) {
		s.shift(&n.long[id], v, add)
	}
	if w.recent(number) {
		s.shift(&n.recent[id], v, add)
	}
}

func (s *Sliding) shift(total *uint64, v uint64, add bool) {
	switch {
	case add:
		*total = plus(*total, v)
		s.dirty = s.dirty || *total == saturated
	case *total == saturated || v == saturated:
		s.dirty = true
	default:
		*total -= v
	}
}

// settle counts totals anew that had saturated: a sum that has lost what was over its end cannot be taken from.
func (s *Sliding) settle() {
	if !s.dirty {
		return
	}
	s.dirty = false
	for k := range kinds {
		n := &s.names[k]
		clear(n.long)
		clear(n.recent)
		for _, p := range s.ring {
			p.lists[k].each(func(id int, c *cell) { s.weigh(n, id, p.number, s.span, c.estimate(), true) })
		}
	}
}
