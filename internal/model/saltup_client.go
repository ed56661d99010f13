package model

// others visits what the clients do that are never behind: each writes once.
func (m *saltUpModel) others(s salting, visit func(Step, salting)) {
	_, write := m.pieces(m.pool.get(s.now).table)
	for _, bit := range [2]uint8{2, 4} {
		if s.acked&bit != 0 || bit == 4 && s.acked&2 == 0 {
			continue
		}
		for i := range s.pieces {
			if write&(1<<i) != 0 {
				n := s
				n.pieces[i], n.acked = s.pieces[i]|bit, s.acked|bit
				visit(Step{"another client", "writes to", pieceName(i)}, n)
			}
		}
	}
}

// poll visits what becomes of the client's polls and confirmations.
func (m *saltUpModel) poll(s salting, visit func(Step, salting)) {
	const who = "the late client"
	put := func(does string, change func(*slow)) {
		n := s
		change(&n.client)
		if n != s {
			visit(Step{who, does, ""}, n)
		}
	}
	if m.pool.order(s.head) > m.pool.order(s.client.holds) {
		put("polls the head and takes the document", func(c *slow) { c.holds, c.cut = m.pool.shape(s.head), false })
		put("polls the head and takes the newest document", func(c *slow) { c.holds, c.cut = m.pool.shape(s.now), false })
	} else {
		put("polls the head", func(c *slow) { c.cut = false })
	}
	put("could not poll for 30 s", func(c *slow) { c.cut = true })
	put("confirms what it holds", func(c *slow) { c.confirmed, c.live = c.holds, true })
	put("has not confirmed for a minute", func(c *slow) { c.live = false })
}

// write visits the client's one write: the look-up, and however much later the write.
func (m *saltUpModel) write(s salting, visit func(Step, salting)) {
	const who = "the late client"
	n := s
	if s.client.writes {
		n.pieces[s.client.to] |= 1
		n.acked |= 1
		n.client.writes, n.client.to = false, 0
		visit(Step{who, "writes to", pieceName(int(s.client.to))}, n)
		return
	}
	if s.acked&1 != 0 {
		return
	}
	_, write := m.pieces(m.pool.get(s.client.holds).table)
	for i := range s.pieces {
		if write&(1<<i) != 0 {
			n.client.writes, n.client.to = true, uint8(i)
			visit(Step{who, "looks up where to write:", pieceName(i)}, n)
		}
	}
}

// read visits the client's reads: the look-up, and however much later each piece; with the last one it answers.
func (m *saltUpModel) read(s salting, visit func(Step, salting)) {
	const who = "the late client"
	me := &s.client
	if me.reads.used == 0 {
		n := s
		n.client.reads.used = me.holds
		n.client.reads.left, _ = m.pieces(m.pool.get(me.holds).table)
		n.client.reads.late = me.cut && !m.StaleAtAnswer
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
		if i == 0 {
			r.bare = s.pieces[0]
		} else {
			r.rest = s.pieces[1]
		}
		if r.left == 0 {
			n.missed = m.misses(me, r)
			*r = reading{}
		}
		visit(Step{who, "reads", pieceName(i)}, n)
	}
}

// misses says whether an answer lacks a write and is not called stale.
func (m *saltUpModel) misses(me *slow, r *reading) bool {
	sum, _ := r.sum(true)
	had, _ := m.pieces(m.pool.get(r.used).table)
	has, _ := m.pieces(m.pool.get(me.holds).table)
	stale := m.ReadAgain && has&^had != 0
	if m.SaysStale {
		stale = stale || r.late || me.cut && m.StaleAtAnswer
	}
	return !stale && r.need&^sum != 0
}
