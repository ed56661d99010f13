package model

import "firebreak/routing"

// SaltDown are the conditions on which a salt rests while it goes down. The pieces are counters; a piece can be written on a condition.
type SaltDown struct {
	// EpochCondition: a write tests epoch and tenure of what it replaces, not only its version.
	EpochCondition bool
	// ReadBackLostReply: who gets no answer to a write reads back, before he does what only follows it.
	ReadBackLostReply bool
	// WritersFirst: writers leave a piece, in a phase of its own, before it is frozen.
	WritersFirst bool
	// IntentFirst: the document names the tombstone before the piece is frozen; from there on nobody goes back to the piece.
	IntentFirst bool
	// TombstoneCondition: a piece is written on the condition that it has no tombstone; who is refused writes to the bare piece.
	TombstoneCondition bool
	// FreezeBeforeFold: what is folded is the value with the tombstone, which nothing changes any more.
	FreezeBeforeFold bool
	// FoldNamesPiece: the bare piece takes the value and the name of the piece in one write.
	FoldNamesPiece bool
	// FoldOnce: it takes them on the condition that it does not name the piece yet.
	FoldOnce bool
	// TombstoneKeepsValue: a folded piece keeps its value, for who has read the bare piece before the fold.
	TombstoneKeepsValue bool
	// ReadersLeaveOut: readers leave out the pieces that the bare one names.
	ReadersLeaveOut bool
	// ReadersLast: readers read the piece until it is folded.
	ReadersLast bool
	// NeverReused: the next salt of the key has other suffixes.
	NeverReused bool
}

// The phases of a salt that goes down, and up again.
//
//	up -> lower -> fold -> readers -> again, readers -> again, writers
//	 ^______/
const (
	downUp Phase = iota
	downLower
	downFold
	downReaders
	downAgainRead
	downAgain
)

func downPhases() [6]string {
	return [6]string{"up", "lower", "fold", "readers", "again, readers", "again, writers"}
}

// folding is a state of the model.
type folding struct {
	fleet

	effects [2]fold // what each decider sent to a piece last, if it may still arrive, or arrive again
	pieces  [3]uint8
	frozen  bool  // piece 1 has a tombstone, with its value
	names   uint8 // the pieces that the bare one names as folded into it
	acked   uint8 // the writes that were acknowledged: 1 is the late client's, 2 and 4 are the others'
	twice   bool  // the bare piece took a write that it had
	client  frozenClient
	wrong   bool // an answer lacked a write that was acknowledged before, or counted one twice
}

// fold is what a decider asks of a piece: to be frozen, or to take what piece 1 has.
type fold struct {
	kind  foldKind
	value uint8
}

type foldKind uint8

const (
	noFold    foldKind = iota
	foldPiece          // the bare piece takes the value, and the name
	foldName           // the bare piece takes the name alone
	freeze
)

func (k foldKind) String() string {
	return [4]string{"nothing", "the value of piece 1 for the bare one", "the name of piece 1 for the bare one", "a tombstone for piece 1"}[k]
}

// frozenClient is the client, which may be frozen anywhere.
type frozenClient struct {
	holds  ref // the shape of its document
	writes bool
	to     uint8
	reads  reading
}

type saltDownModel struct {
	SaltDown
	salted

	store writes
	pool  *pool
}

// Model is the protocol as a graph of states: two deciders, at most two claims, one way back, a client that may be frozen and others.
func (c SaltDown) Model() *Model[folding] {
	p := newPool()
	m := &saltDownModel{SaltDown: c, pool: p, store: writes{
		pool: p, epochs: 2, EpochCondition: c.EpochCondition, ReadBackLostReply: c.ReadBackLostReply, OwnTenure: true, prompt: true,
		asks: func(f Phase) bool { return f == downFold || f == downLower && !c.IntentFirst },
	}}
	d := adopted()
	table, err := routing.NewTable(d)
	if err != nil {
		panic(err)
	}
	m.salted = newSalted(table)
	m.set([]int{0, 1}, 2, 2)(d)
	first := p.first(d, "a1")
	start := folding{fleet: fleet{now: first}, client: frozenClient{holds: p.shape(first)}}
	start.deciders[0].base = first
	phase := func(s folding) Phase { return p.get(s.now).phase }
	return &Model[folding]{
		Start: start, Next: m.next, Always: m.always(),
		Done: func(s folding) bool { return s.acked == 7 && phase(s) == downAgain },
		Reached: []Property[folding]{
			{"a write of before the fold wakes after everything", func(s folding) bool {
				return phase(s) == downAgain && s.client.writes && s.client.to == 1
			}},
			{"a read of before the fold ends after everything", func(s folding) bool {
				return phase(s) == downAgain && s.client.reads.used != 0 && s.client.reads.left == 2 && s.client.reads.names == 0
			}},
			{"piece 1 is folded with a write", func(s folding) bool { return s.names == 2 && s.pieces[1] != 0 }},
			{"the way back", func(s folding) bool { return phase(s) == downUp && p.get(s.now).attempt == 2 }},
		},
	}
}

func (m *saltDownModel) always() []Property[folding] {
	return []Property[folding]{
		{"epochs and versions never go back", func(s folding) bool { return !s.backward }},
		{"who writes by the newest table is not refused", func(s folding) bool {
			_, write := m.salted.pieces(m.pool.get(s.now).table)
			return write&2 == 0 || !s.frozen
		}},
		{"the newest table reads every acknowledged write once", func(s folding) bool {
			r := reading{bare: s.pieces[0], names: s.names}
			read, _ := m.salted.pieces(m.pool.get(s.now).table)
			if read&2 != 0 {
				r.rest = s.pieces[1]
			}
			if read&4 != 0 {
				r.other = s.pieces[2]
			}
			sum, twice := r.sum(m.ReadersLeaveOut)
			return !twice && !s.twice && sum&s.acked == s.acked
		}},
		{"a read has every acknowledged write once", func(s folding) bool { return !s.wrong }},
	}
}

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
	write := func(phase Phase, change func(*routing.Document)) {
		if me.base != s.now && m.EpochCondition {
			return // it would not land
		}
		n := s
		n.fleet = s.write(d, m.pool.phased(me.base, phase, change))
		visit(Step{deciderName(d), "sends the phase", downPhases()[phase]}, n)
	}
	ask := func(kind foldKind) {
		e := fold{kind: kind}
		if kind == foldPiece {
			e.value = s.pieces[1]
		}
		if n := s; n.effects[d] != e {
			n.effects[d] = e
			visit(Step{deciderName(d), "asks for", kind.String()}, n)
		}
	}
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
	case downAgain:
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
	_, write := m.salted.pieces(m.pool.get(s.now).table)
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
		_, write := m.salted.pieces(m.pool.get(s.client.holds).table)
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
		n.client.reads.left, _ = m.salted.pieces(m.pool.get(me.holds).table)
		visit(Step{who, "looks up where to read", ""}, n)
		return
	}
	began, _ := m.salted.pieces(m.pool.get(me.reads.used).table)
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
	had, _ := m.salted.pieces(m.pool.get(r.used).table)
	has, _ := m.salted.pieces(m.pool.get(me.holds).table)
	return has&^had == 0 && (twice || r.need&^sum != 0)
}
