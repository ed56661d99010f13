package model

import "firebreak/routing"

func (m *saltDownModel) next(s folding, visit func(Step, folding)) {
	m.store.steps(s.fleet, func(step Step, f fleet) {
		n := s
		n.fleet = f
		visit(step, n)
	})
	for d := range s.deciders {
		m.decide(s, d, visit)
		m.arrive(s, d, visit)
	}
	m.others(s, visit)
	m.write(s, visit)
	m.read(s, visit)
}

// decide visits the next phases and what belongs to them.
func (m *saltDownModel) decide(s folding, d int, visit func(Step, folding)) {
	me := s.deciders[d]
	if me.base == 0 || me.next != 0 {
		return
	}
	write := func(phase Phase, change func(*routing.Document)) { m.send(s, d, phase, change, visit) }
	ask := func(kind foldKind) { m.ask(s, d, kind, visit) }
	switch e := m.pool.get(me.base); e.phase {
	case downUp:
		switch {
		case !m.WritersFirst:
			write(downFold, m.set([]int{0, 1}, 2, 2))
		default:
			write(downLower, m.set([]int{0, 1}, 2, 1))
		}
	case downLower:
		if e.attempt < 2 {
			write(downUp, m.set([]int{0, 1}, 2, 2))
		}
		write(downFold, m.set([]int{0, 1}, 2, 1, 1))
		if !m.IntentFirst {
			ask(freeze)
		}
	case downFold:
		m.fold(&s, ask)
		if s.names == 2 || !m.ReadersLast {
			write(downReaders, m.set([]int{0}, 1, 1, 1))
		}
	case downReaders:
		write(downAgainRead, m.again(1))
	case downAgainRead:
		if m.pool.get(s.client.holds).phase == downAgainRead { // the client is waited for, see SaltUp
			write(downAgain, m.again(2))
		}
	}
}

// send visits that a decider sends a phase. What a deposed one would send would not land, and is left out.
func (m *saltDownModel) send(s folding, d int, phase Phase, change func(*routing.Document), visit func(Step, folding)) {
	base := s.deciders[d].base
	if base != s.now && m.EpochCondition {
		return
	}
	s.fleet = s.write(d, m.pool.phased(base, phase, change))
	visit(Step{deciderName(d), "sends the phase", downPhases()[phase]}, s)
}

// ask visits that a decider asks for a step of the fold.
func (m *saltDownModel) ask(s folding, d int, kind foldKind, visit func(Step, folding)) {
	e := fold{kind: kind}
	if kind == foldPiece {
		e.value = s.pieces[1]
	}
	if s.effects[d] != e {
		s.effects[d] = e
		visit(Step{deciderName(d), "asks for", kind.String()}, s)
	}
}

// again is the salt that follows.
func (m *saltDownModel) again(write int) func(*routing.Document) {
	if m.NeverReused {
		return m.set([]int{0, 2}, 2, write, 1)
	}
	return m.set([]int{0, 1}, 2, write)
}

// fold asks for what is missing of the fold.
func (m *saltDownModel) fold(s *folding, ask func(foldKind)) {
	switch {
	case !s.frozen && m.FreezeBeforeFold:
		ask(freeze)
	case s.names == 0 && !m.FoldNamesPiece && s.pieces[0]&s.pieces[1] != 0:
		ask(foldName)
	case s.names == 0:
		ask(foldPiece)
	case !s.frozen:
		ask(freeze)
	}
}

// arrive visits that what a decider asked for arrives, once or more often.
func (m *saltDownModel) arrive(s folding, d int, visit func(Step, folding)) {
	e := s.effects[d]
	n := s
	switch e.kind {
	case noFold:
		return
	case freeze:
		n.frozen = true
	case foldName:
		n.names = 2
	case foldPiece:
		if s.names != 0 && m.FoldOnce {
			break
		}
		n.twice = s.twice || s.pieces[0]&e.value != 0
		n.pieces[0] |= e.value
		if m.FoldNamesPiece {
			n.names = 2
		}
		if !m.TombstoneKeepsValue {
			n.pieces[1] = 0
		}
	}
	visit(Step{"the network", "brings, and may bring again,", e.kind.String()}, n)
	n.effects[d] = fold{}
	visit(Step{"the network", "brings", e.kind.String()}, n)
}
