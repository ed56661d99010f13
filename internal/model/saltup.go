package model

// SaltUp are the conditions on which a salt rests while it goes up. Nothing can refuse a client that writes or reads by an old table.
type SaltUp struct {
	// EpochCondition: a write tests epoch and tenure of what it replaces, not only its version.
	EpochCondition bool
	// ReadersFirst: readers read all pieces, in a phase of its own, before writers write to them.
	ReadersFirst bool
	// WaitForConfirmation: the phase ends when every client that is live has confirmed it. Nothing else is believed of a live client.
	WaitForConfirmation bool
	// MinuteForOthers: the phase lasts a minute, so that a client that is not live, or not known yet, knows that it is cut off.
	MinuteForOthers bool
	// MinuteFromHead: the minute counts from when the head is known to be written: until then polls find the old one.
	MinuteFromHead bool
	// HeadForward: a head is replaced by a newer one only, or a deposed decider's would make polls find the old one again.
	HeadForward bool
	// SaysStale: a client that could not poll for 30 s says so with each answer.
	SaysStale bool
	// StaleAtAnswer: whether it could is judged when the answer is there, not only before.
	StaleAtAnswer bool
	// ReadAgain: what was read by a table that lacks a piece of the one that is held by then is read again, or called stale.
	ReadAgain bool
}

// The phases of a salt that goes up.
//
//	none -> readers -> writers
//	  ^________/
const (
	upNone = iota
	upReaders
	upWriters
)

func upPhases() [3]string { return [3]string{"none", "readers", "writers"} }

// salting is a state of the model: one client that is late, and others that are never behind.
type salting struct {
	fleet

	pieces [2]uint8 // the writes that the bare piece and piece 1 have, a bit each
	acked  uint8    // the writes that were acknowledged
	client slow
	missed bool // an answer that was not called stale lacked a write that was acknowledged before
}

// slow is the client: 1 is its own write, the others write 2 and 4.
type slow struct {
	holds, confirmed ref  // shapes: of its document, and of what the store has of it
	live             bool // it confirmed within a minute
	cut              bool // it could not poll for 30 s
	writes           bool // a write is under way
	to               uint8
	reads            reading
}

type saltUpModel struct {
	SaltUp
	salted

	store writes
	pool  *pool
	first ref
}

// Model is the protocol as a graph of states: two deciders, at most two claims, two operations, a late client and others.
func (c SaltUp) Model() *Model[salting] {
	p := newPool()
	m := &saltUpModel{SaltUp: c, pool: p, store: writes{
		pool: p, epochs: 2, EpochCondition: c.EpochCondition, ReadBackLostReply: true, OwnTenure: true, prompt: true, heads: true, HeadForward: c.HeadForward,
	}}
	m.first = p.first(adopted(), "a1")
	m.salted = newSalted(p.get(m.first).table)
	first := p.shape(m.first)
	start := salting{fleet: fleet{now: m.first, head: m.first}, client: slow{holds: first, confirmed: first, live: true}}
	start.deciders[0].base = m.first
	phase := func(s salting) Phase { return p.get(s.now).phase }
	return &Model[salting]{
		Start: start, Next: m.next, Done: func(s salting) bool {
			return s.acked == 7 && (phase(s) == upWriters || p.get(s.now).attempt > 2)
		},
		Always: []Property[salting]{
			{"epochs and versions never go back", func(s salting) bool { return !s.backward }},
			{"the newest table reads every acknowledged write", m.complete},
			{"a read sees every piece or says that it is stale", func(s salting) bool { return !s.missed }},
		},
		Reached: []Property[salting]{
			{"a client is cut off through all of it", func(s salting) bool {
				return phase(s) == upWriters && s.client.cut && s.client.holds == first
			}},
			{"a read began before the readers' phase and ends after it", func(s salting) bool {
				return phase(s) == upWriters && s.client.reads.used == first && s.client.holds != first
			}},
			{"the second operation", func(s salting) bool { return phase(s) == upWriters && p.get(s.now).attempt == 2 }},
		},
	}
}

// complete says whether who reads by the newest table, at once, sees all.
func (m *saltUpModel) complete(s salting) bool {
	read, _ := m.pieces(m.pool.get(s.now).table)
	var sum uint8
	for i, v := range s.pieces {
		if read&(1<<i) != 0 {
			sum |= v
		}
	}
	return sum&s.acked == s.acked
}

func (m *saltUpModel) next(s salting, visit func(Step, salting)) {
	m.store.steps(s.fleet, func(step Step, f fleet) {
		n := s
		n.fleet = f
		visit(step, n)
	})
	for d := range s.deciders {
		m.decide(s, d, visit)
	}
	m.others(s, visit)
	m.poll(s, visit)
	m.write(s, visit)
	m.read(s, visit)
}

// decide visits the next phases.
func (m *saltUpModel) decide(s salting, d int, visit func(Step, salting)) {
	me := s.deciders[d]
	if me.base == 0 || me.next != 0 || me.base != s.now && m.EpochCondition {
		return
	}
	send := func(phase Phase, read, write int) {
		n := s
		pieces := []int{0, 1}[:read]
		n.fleet = s.write(d, m.pool.phased(me.base, phase, m.set(pieces, read, write)))
		visit(Step{deciderName(d), "sends the phase", upPhases()[phase]}, n)
	}
	switch e := m.pool.get(me.base); {
	case e.phase == upNone && e.attempt <= 2:
		if m.ReadersFirst {
			send(upReaders, 2, 1)
		} else {
			send(upWriters, 2, 2)
		}
	case e.phase == upReaders:
		send(upNone, 1, 1)
		if m.over(&s, me.base) {
			send(upWriters, 2, 2)
		}
	}
}

// over says whether the readers' phase may end.
func (m *saltUpModel) over(s *salting, base ref) bool {
	me, shape := &s.client, m.pool.shape(base)
	if m.WaitForConfirmation && me.live && me.confirmed != shape {
		return false
	}
	if !m.MinuteForOthers {
		return true
	}
	if m.MinuteFromHead && m.pool.shape(s.head) != shape {
		return false
	}
	// After a minute a client has polled, or knows that it could not. Of one that is live that is not believed.
	return me.holds == shape || me.cut || me.live
}
