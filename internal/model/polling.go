package model

// Polling are the conditions on which a client's document rests while deciders change.
type Polling struct {
	// HeadAfterDocument: the head is written when its document is known to be.
	HeadAfterDocument bool
	// NewerOnly: a client takes a document only where it is newer than the one it holds.
	NewerOnly bool
	// AtLeastHead: a document that is read cheaply and is older than the head that named it is read again, consistently.
	AtLeastHead bool
}

// polling is a state of the model. Heads of deposed deciders may replace newer ones: what a client holds does not rest on the head.
type polling struct {
	fleet

	holds    ref  // the client's document
	polled   ref  // the head that it read, while it reads the document
	wentBack bool // it took an older document
	behind   bool // it took an older document than the head named
}

type pollingModel struct {
	Polling

	writes writes
	pool   *pool
}

// Model is the protocol as a graph of states: two deciders that write, at most three claims, and a client that polls.
func (c Polling) Model() *Model[polling] {
	p := newPool()
	m := &pollingModel{Polling: c, pool: p, writes: writes{
		pool: p, epochs: 3, EpochCondition: true, ReadBackLostReply: true, OwnTenure: true, heads: true,
	}}
	first := p.first(adopted(), "")
	version := func(s polling) uint64 { return p.version(s.now) }
	return &Model[polling]{
		Start: polling{fleet: fleet{now: first, head: first}, holds: first}, Next: m.next,
		Done: func(s polling) bool { return s.holds == s.now },
		Always: []Property[polling]{
			{"epochs and versions never go back", func(s polling) bool { return !s.backward }},
			{"the head never leads", func(s polling) bool { return p.version(s.head) <= version(s) }},
			{"a client never goes back", func(s polling) bool { return !s.wentBack }},
			{"a client holds what the head named", func(s polling) bool { return !s.behind }},
		},
		Reached: []Property[polling]{
			{"the client is three versions behind", func(s polling) bool { return p.version(s.holds)+3 <= version(s) }},
			{"the head is older than what the client holds", func(s polling) bool { return p.newer(s.holds, s.head) }},
		},
	}
}

func (m *pollingModel) next(s polling, visit func(Step, polling)) {
	m.writes.steps(s.fleet, func(step Step, f fleet) {
		n := s
		n.fleet = f
		visit(step, n)
	})
	for d, me := range s.deciders {
		who := deciderName(d)
		if me.base != 0 && me.next == 0 && m.pool.version(me.base) < 6 {
			n := s
			n.fleet = s.write(d, m.changed(me.base))
			visit(Step{who, "sends a change", ""}, n)
		}
		if me.base != 0 && me.next != 0 && !m.HeadAfterDocument {
			n := s
			n.head = me.next
			visit(Step{who, "writes the head of what it is writing", ""}, n)
		}
	}
	m.client(s, visit)
}

// client visits its polls: the head, then a document by a cheap read, which may be any that there was.
func (m *pollingModel) client(s polling, visit func(Step, polling)) {
	const who = "the client"
	if s.polled == 0 {
		if m.pool.newer(s.head, s.holds) || !m.NewerOnly && s.head != s.holds {
			n := s
			n.polled = s.head
			visit(Step{who, "polls the head", ""}, n)
		}
		return
	}
	take := func(does string, to ref) {
		n := s
		n.holds, n.polled = to, 0
		n.wentBack = m.pool.version(to) < m.pool.version(s.holds)
		n.behind = m.NewerOnly && m.pool.version(to) < m.pool.version(s.polled)
		visit(Step{who, does, ""}, n)
	}
	take("reads the newest document", s.now)
	if s.now != s.polled {
		take("reads the document that the head named", s.polled)
	}
	if !m.AtLeastHead {
		take("reads an older document", s.holds)
	}
}

// changed is the state one write further on.
func (m *pollingModel) changed(r ref) ref {
	return m.pool.once(memo{"change", r, 0}, func() ref {
		e := *m.pool.get(r)
		e.State = e.Next()
		return m.pool.put(e)
	})
}
