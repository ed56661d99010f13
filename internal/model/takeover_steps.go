package model

import "time"

func (m *takeoverModel) next(s takeover, visit func(Step, takeover)) {
	for r := range s.answers {
		if s.put&(1<<r) == 0 {
			n := s
			n.put, n.items = s.put|1<<r, s.items|1<<r
			visit(Step{"a person", "asks for", requestNames()[r]}, n)
		}
	}
	m.writes.steps(s.fleet, func(step Step, f fleet) { visit(step, m.after(s, f)) })
	for d := range s.deciders {
		m.ghosts(s, d, visit)
		m.decide(s, d, visit)
	}
}

// after is s with another fleet: requests are counted where they were answered, and who holds nothing any more forgets his list.
func (m *takeoverModel) after(s takeover, f fleet) takeover {
	n := s
	n.fleet = f
	if f.now != s.now {
		e := m.pool.get(f.now)
		for _, a := range e.Answers {
			for r, name := range requestNames() {
				if a.Request == name && a.Version == e.at.Version {
					n.answers[r] = min(n.answers[r]+1, 2)
				}
			}
		}
	}
	for d := range f.deciders {
		if f.deciders[d].base == 0 && s.deciders[d].base != 0 && m.ListAnew {
			n.list[d] = 0
		}
	}
	return n
}

// ghosts visits what comes of a sender who goes on with something else while his write may still land.
func (m *takeoverModel) ghosts(s takeover, d int, visit func(Step, takeover)) {
	me := s.deciders[d]
	if !m.SameWriteAgain && me.next != 0 && me.base != 0 && !me.landed && s.now == me.was && s.ghost[d] == (ghost{}) {
		n := s
		n.ghost[d] = ghost{me.was, me.next}
		n.deciders[d] = decider{base: me.base}
		visit(Step{deciderName(d), "hears nothing, does not find what it wrote, and turns to something else", ""}, n)
	}
	if g := s.ghost[d]; g.next != 0 && m.writes.takes(s.now, g.was, g.next) {
		f := s.fleet
		f.now = g.next
		n := m.after(s, f)
		n.ghost[d] = ghost{}
		visit(Step{"the store", "takes a write that", deciderName(d) + " has given up"}, n)
	}
}

// decide visits what a decider does that holds the fleet, or believes so.
func (m *takeoverModel) decide(s takeover, d int, visit func(Step, takeover)) {
	me, who := s.deciders[d], deciderName(d)
	if s.list[d] != s.items && (me.base != 0 && me.next == 0 || !m.ListAnew) {
		n := s
		n.list[d] = s.items
		visit(Step{who, "lists the requests", ""}, n)
	}
	if me.base == 0 || me.next != 0 {
		return
	}
	for r, name := range requestNames() {
		bit := uint8(1) << r
		_, answered := m.pool.get(me.base).Answered(name)
		if s.list[d]&bit != 0 && !answered {
			n := s
			n.fleet = s.write(d, m.answer(me.base, r))
			visit(Step{who, "sends the answer to", name}, n)
		}
		if s.items&bit != 0 && (answered || !m.AnswerBeforeDrop && s.list[d]&bit != 0) {
			n := s
			n.items &^= bit
			visit(Step{who, "drops the item of", name}, n)
		}
		if s.journal&bit == 0 && (hasNote(m.pool.get(me.base).State, r) || !m.OutboxInSameWrite && answered) {
			n := s
			n.journal |= bit
			visit(Step{who, "writes into the journal what became of", name}, n)
		}
	}
	if next := m.drained(me.base, s.journal, s.items); next != 0 {
		n := s
		if n.fleet = s.write(d, next); m.ListAnew {
			n.list[d] = 0
		}
		visit(Step{who, "sends the state without what is told and dropped", ""}, n)
	}
}

// answer is the state in which a request has its answer.
func (m *takeoverModel) answer(base ref, r int) ref {
	return m.pool.once(memo{requestNames()[r], base, 0}, func() ref {
		e := *m.pool.get(base)
		if e.State = e.Answer(request(r), time.Unix(0, 0)); !m.OutboxInSameWrite {
			e.Outbox = nil
		}
		return m.pool.put(e)
	})
}

// drained is the state without the notes that the journal has and the answers whose items are gone; 0 where there is nothing to take out.
func (m *takeoverModel) drained(base ref, journal, items uint8) ref {
	return m.pool.once(memo{"drain", base, uint64(journal)<<8 | uint64(items)}, func() ref {
		has := func(set uint8, id string) bool {
			return id == requestNames()[0] && set&1 != 0 || id == requestNames()[1] && set&2 != 0
		}
		e := *m.pool.get(base)
		less := e.Pruned(
			func(id string) bool { return has(journal, id) || !m.DrainAfterJournal },
			func(id string) bool { return !has(items, id) || !m.AnswerUntilDropped })
		if len(less.Outbox) == len(e.Outbox) && len(less.Answers) == len(e.Answers) {
			return 0
		}
		e.State = less.Next()
		return m.pool.put(e)
	})
}
