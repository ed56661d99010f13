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
	downUp = iota
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
			_, write := m.pieces(m.pool.get(s.now).table)
			return write&2 == 0 || !s.frozen
		}},
		{"the newest table reads every acknowledged write once", func(s folding) bool {
			r := reading{bare: s.pieces[0], names: s.names}
			read, _ := m.pieces(m.pool.get(s.now).table)
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
