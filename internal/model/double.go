package model

// Double are the conditions on which the move of a virtual shard rests that is written twice, by rows with versions: nobody is fenced.
type Double struct {
	// LastVersionWins: a shard keeps of two writes the one with the higher version, in whatever order they come.
	LastVersionWins bool
	// RefusesOlder: a shard refuses writes by who may hold a document in which the place was not written so yet.
	RefusesOlder bool
	// Acknowledged: the comparison begins when the shard that gives has acknowledged that it refuses them.
	Acknowledged bool
	// AckAfterInFlight: a shard acknowledges when what it let in before is done.
	AckAfterInFlight bool
	// BothBeforeCompare: from before the comparison to after the flip, a write is done when both shards have it.
	BothBeforeCompare bool
	// CompareBeforeFlip: the comparison closes what gaps there are, before anybody reads at the other shard.
	CompareBeforeFlip bool
	// ReadsAtOwner: a shard refuses reads of what it does not own, also while it takes writes to it.
	ReadsAtOwner bool
	// BothUntilAcknowledged: the first shard's word counts again when the shard that gave has acknowledged the flip.
	BothUntilAcknowledged bool
	// ReadStoreOnStart: a guard that starts lets nothing in before it has read the document from the store.
	ReadStoreOnStart bool
}

// The phases, in the order of their writes. A way back is the same way to the other side, on which settle stands where copy does here.
//
//	none -> copy -> both -> compare -> flip -> settle -> grace
const (
	doubleNone    = iota // the old shard alone
	doubleCopy           // written twice, a second write that fails is a gap
	doubleBoth           // a write is done when both have it
	doubleCompare        // and nobody writes who does not know that
	doubleFlip           // the new shard is read
	doubleSettle         // a second write that fails, at the old shard now, is a gap
	doubleGrace          // the new shard alone
)

// doubleRule is what a document says of the place.
type doubleRule struct {
	owner int
	twice bool
	both  bool
	since Phase // writers must know this phase or a later one
}

func (c Double) rule(p Phase) doubleRule {
	r := [...]doubleRule{
		doubleNone:    {oldShard, false, false, doubleNone},
		doubleCopy:    {oldShard, true, false, doubleNone},
		doubleBoth:    {oldShard, true, true, doubleCopy},
		doubleCompare: {oldShard, true, true, doubleBoth},
		doubleFlip:    {newShard, true, true, doubleBoth},
		doubleSettle:  {newShard, true, false, doubleBoth},
		doubleGrace:   {newShard, false, false, doubleNone},
	}[p]
	r.both = r.both && c.BothBeforeCompare
	return r
}

// doubling is a state of the model. A value is the version of the row: two clients write one each.
type doubling struct {
	now    Phase
	shards [2]doubleShard
	acked  Phase // the last phase that the old shard acknowledged and that is waited for: compare or flip
	// copied is what the mover read where it compares, and has not written at the other side; 0 = nothing. closed says that it is done.
	copied uint8
	closed bool
	writes [2]doubleWrite
	done   uint8 // the highest version that was acknowledged to a client
	missed bool  // a read did not see it
}

// doubleShard is a shard with its guard.
type doubleShard struct {
	obeys Phase // the first phase that a guard cannot tell from the one of its document
	up    bool  // the guard has read a document since it was started
	value uint8
	// let are the writes that it let in and that are not done, a bit each.
	let uint8
}

// doubleWrite is a client with its one write, by a document that it holds for as long as it likes.
type doubleWrite struct {
	holds Phase
	step  writeStep
}

type writeStep uint8

const (
	writeIdle    writeStep = iota
	writeFirst             // let in by the first shard, not done there
	writeBetween           // done there
	writeSecond            // let in by the second one
	writeDone
)
