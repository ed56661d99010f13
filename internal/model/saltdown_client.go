package model

// put is what becomes of a write to a piece; refused = it has to go to the bare one.
func (m *saltDownModel) put(s *folding, piece int, bit uint8) (refused bool) {
	if piece == 1 && s.frozen && m.TombstoneCondition {
		return true
	}
	s.pieces[piece] |= bit
	s.acked |= bit
	return false
}

// others visits what the clients do that are never behind: each writes once, the second after the first.
func (m *saltDownModel) others(s folding, visit func(Step, folding)) {
	_, write := m.pieces(m.pool.get(s.now).table)
	for _, bit := range [2]uint8{2, 4} {
		if s.acked&bit != 0 || bit == 4 && s.acked&2 == 0 {
			continue
		}
		for i := range s.pieces {
			if n := s; write&(1<<i) != 0 && !m.put(&n, i, bit) {
				visit(Step{"another client", "writes to", pieceName(i)}, n)
			}
		}
	}
}

// write visits the client's documents and its one write: the look-up, and however much later the write.
func (m *saltDownModel) write(s folding, visit func(Step, folding)) {
	const who = "the client"
	if now := m.pool.shape(s.now); s.client.holds != now {
		n := s
		n.client.holds = now
		visit(Step{who, "takes the newest document", ""}, n)
	}
	n := s
	switch {
	case s.client.writes:
		to := int(s.client.to)
		if n.client.to = 0; m.put(&n, to, 1) {
			visit(Step{who, "is refused by", pieceName(to)}, n)
			return
		}
		n.client.writes = false
		visit(Step{who, "writes to", pieceName(to)}, n)
	case s.acked&1 == 0:
		_, write := m.pieces(m.pool.get(s.client.holds).table)
		for i := range s.pieces {
			if write&(1<<i) != 0 {
				n.client.writes, n.client.to = true, uint8(i)
				visit(Step{who, "looks up where to write:", pieceName(i)}, n)
			}
		}
	}
}

// read visits the client's reads: the look-up, and however much later each piece, in any order.
func (m *saltDownModel) read(s folding, visit func(Step, folding)) {
	const who = "the client"
	me := &s.client
	if me.reads.used == 0 {
		n := s
		n.client.reads.used = me.holds
		n.client.reads.left, _ = m.pieces(m.pool.get(me.holds).table)
		visit(Step{who, "looks up where to read", ""}, n)
		return
	}
	began, _ := m.pieces(m.pool.get(me.reads.used).table)
	for i := range s.pieces {
		bit := uint8(1) << i
		if me.reads.left&bit == 0 {
			continue
		}
		n := s
		r := &n.client.reads
		if r.left == began {
			r.need = s.acked
		}
		r.left &^= bit
		switch i {
		case 0:
			r.bare, r.names = s.pieces[0], s.names
		case 1:
			r.rest = s.pieces[1]
		case 2:
			r.other = s.pieces[2]
		}
		if r.left == 0 {
			n.wrong = m.errs(me, r)
			*r = reading{}
		}
		visit(Step{who, "reads", pieceName(i)}, n)
	}
}

// errs says whether an answer is wrong. One by a table that lacks a piece of the one that is held by then is read again: see SaltUp.
func (m *saltDownModel) errs(me *frozenClient, r *reading) bool {
	sum, twice := r.sum(m.ReadersLeaveOut)
	had, _ := m.pieces(m.pool.get(r.used).table)
	has, _ := m.pieces(m.pool.get(me.holds).table)
	return has&^had == 0 && (twice || r.need&^sum != 0)
}
