package model

import "firebreak/routing"

// Move are the conditions on which the move of a virtual shard rests, whose shards refuse what they do not own.
type Move struct {
	// EpochCondition: a write tests epoch and tenure of what it replaces, not only its version.
	EpochCondition bool
	// ReadBackLostReply: who gets no answer to a write reads back, before he does what only follows it.
	ReadBackLostReply bool
	// OwnerRefuses: a shard refuses what it does not own, by the document that it obeys.
	OwnerRefuses bool
	// FenceAcknowledged: nothing is flipped before the shard that gives has acknowledged the fence.
	FenceAcknowledged bool
	// AckAfterInFlight: a shard acknowledges when what it let in before is done.
	AckAfterInFlight bool
	// ReadsFenced: a fence stops reads too, since the shard does not see the flip.
	ReadsFenced bool
	// ReadStoreOnStart: a guard that starts serves nothing before it has read the document from the store.
	ReadStoreOnStart bool
	// CaptureBeforeCopy: the copy begins when the old shard has acknowledged that it captures its changes.
	CaptureBeforeCopy bool
	// CaptureAnew: each operation captures anew, so that no change of an earlier one comes behind its copy.
	CaptureAnew bool
	// CopyBeforeFence: the fence begins when the copy is there.
	CopyBeforeFence bool
	// DrainBeforeFlip: the flip waits until all captured changes have arrived.
	DrainBeforeFlip bool
	// ReverseCapture: after the flip the new shard captures its changes for the old one, as long as there is a way back.
	ReverseCapture bool
	// GraceBeforeCleanUp: the old copy goes in a phase of its own, from which there is no way back.
	GraceBeforeCleanUp bool
	// StepOrder: a shard refuses a step of an operation that is older than what was done there.
	StepOrder bool
	// StepOnce: a step is done once, by (operation, step), however often and by whomever it is sent.
	StepOnce bool
}

// The phases of a move, in the order of their steps.
//
//	none -> copy -> fence -> settle -> grace -> clean -> over
//	  ^       |       |         |
//	  |       v       v         v
//	  +----- drop <---+------- back
//
// The flip is the write from fence to settle, the way back is one flip too: from back to drop.
const (
	moveNone = iota
	moveCopy
	moveFence
	moveSettle
	moveGrace
	moveBack
	moveDrop
	moveClean
	moveOver
)

func movePhases() [9]string {
	return [9]string{"none", "copy", "fence", "settle", "grace", "back", "drop", "clean", "over"}
}

// The shards of the move: virtual shard 0 goes from one to the other.
const (
	oldShard = 0
	newShard = 1
)

// moving is a state of the model. A value is the number of the write that made it: the client writes 1, then 2.
type moving struct {
	fleet

	effects [2]effect // what each decider sent to a shard last, if it may still arrive, or arrive again
	shards  [2]shard
	// pending are the changes that were captured at a shard and have not arrived at the other, a bit for each value.
	pending [2]uint8
	client  asker
	missed  bool // a read did not see an acknowledged write
}

// effect is what a decider asks of a shard.
type effect struct {
	kind  effectKind
	by    ref   // the state by which it was sent; it names operation and step
	value uint8 // of a copy, what was read at the old shard
}

type effectKind uint8

const (
	noEffect effectKind = iota
	copyTo              // the new shard takes a copy
	dropNew             // the new shard drops its copy
	cleanOld            // the old shard drops its copy
)

func (k effectKind) shard() int {
	if k == cleanOld {
		return oldShard
	}
	return newShard
}

func (k effectKind) String() string {
	return [4]string{"nothing", "a copy at the new shard", "an end of the new copy", "an end of the old copy"}[k]
}

// shard is a shard with its guard. What a guard holds is gone when it is started again; data and what was done stay.
type shard struct {
	obeys ref   // the shape of the guard's document; 0 = it has none and serves nothing
	acked ref   // the last one it acknowledged, which it does as soon as it may
	let   uint8 // the write that it let in and that is not done; 0 = none
	value uint8
	has   bool
	did   uint8 // operation and step of the last effect
	slot  uint8 // the operation for which the old shard captures
}

// asker is the client. One that is frozen between its look-up and its request is one that still holds the document of the look-up.
type asker struct {
	holds ref   // the shape of its document
	acked uint8 // the last write that was acknowledged
}

// order is operation and step of a state, ascending.
func (p *pool) order(r ref) uint8 { return p.get(r).attempt<<4 | uint8(p.get(r).phase) }

// moveModel has the conditions and the rules of a walk.
type moveModel struct {
	Move

	store writes
	pool  *pool
	first ref
	moveSize
}

// moveSize bounds the model: how many operations there are, and how many writes of the client.
type moveSize struct{ attempts, writes uint8 }

// Model is the protocol as a graph of states: two deciders, of which one holds the fleet, at most two claims.
func (c Move) Model(size moveSize) *Model[moving] {
	p := newPool()
	m := &moveModel{Move: c, moveSize: size, pool: p, store: writes{
		pool: p, epochs: 2, EpochCondition: c.EpochCondition, ReadBackLostReply: c.ReadBackLostReply, OwnTenure: true, prompt: true,
		asks: func(f Phase) bool {
			return f == moveCopy || f == moveDrop || f == moveClean || f == moveSettle && !c.GraceBeforeCleanUp
		},
	}}
	m.first = p.first(adopted(), "a1")
	start := moving{fleet: fleet{now: m.first}, client: asker{holds: m.owned(m.first)}}
	start.deciders[0].base = m.first
	for i := range start.shards {
		start.shards[i] = shard{obeys: m.view(m.first, i), acked: m.first, has: i == oldShard}
	}
	phase := func(s moving) Phase { return p.get(s.now).phase }
	return &Model[moving]{
		Start: start, Next: m.next, Done: func(s moving) bool {
			over := phase(s) == moveOver || phase(s) == moveNone && p.get(s.now).attempt > size.attempts
			return over && s.client.acked == size.writes
		}, Always: m.always(),
		Reached: []Property[moving]{
			{"a client is at the old shard when its copy is gone", func(s moving) bool {
				return phase(s) == moveOver && p.get(s.client.holds).table.Owner(0) == oldShard
			}},
			{"the last operation flips", func(s moving) bool { return phase(s) == moveSettle && p.get(s.now).attempt == size.attempts }},
			{"it is rolled back after the last write", func(s moving) bool {
				return phase(s) == moveDrop && s.shards[oldShard].value == size.writes && s.shards[oldShard].acked == s.shards[newShard].acked
			}},
			{"the second decider takes over in the fence", func(s moving) bool { return phase(s) == moveFence && p.at(s.now).Epoch == 2 }},
		},
	}
}

func (m *moveModel) always() []Property[moving] {
	return []Property[moving]{
		{"epochs and versions never go back", func(s moving) bool { return !s.backward }},
		{"one shard serves a vshard, and it owns it", func(s moving) bool {
			for i := range s.shards {
				if m.serves(&s.shards[i], i, true) && int(m.pool.get(s.now).table.Owner(0)) != i {
					return false
				}
			}
			return m.pool.get(s.now).table.Owner(1) == newShard
		}},
		{"no acknowledged write is lost", func(s moving) bool {
			return s.shards[m.pool.get(s.now).table.Owner(0)].value >= s.client.acked
		}},
		{"a read sees every acknowledged write", func(s moving) bool { return !s.missed }},
	}
}

// serves says whether a shard lets a request in.
func (m *moveModel) serves(s *shard, i int, write bool) bool {
	if s.obeys == 0 {
		return false
	}
	e := m.pool.get(s.obeys)
	fenced := e.phase == moveFence && i == oldShard || e.phase == moveBack && i == newShard
	if fenced && (write || m.ReadsFenced) {
		return false
	}
	return int(e.table.Owner(0)) == i
}

// captures says whether a shard keeps its changes for the other one.
func (m *moveModel) captures(s *shard, i int) bool {
	if s.obeys == 0 {
		return false
	}
	switch m.pool.get(s.obeys).phase {
	case moveCopy, moveFence:
		return i == oldShard
	case moveSettle, moveBack:
		return i == newShard && m.ReverseCapture
	default:
		return false
	}
}

// flip gives virtual shard 0 to a shard.
func flip(to routing.ShardID) func(*routing.Document) {
	return func(d *routing.Document) {
		d.Moves = nil
		if to == newShard {
			d.Moves = []routing.Move{{VShard: 0, To: newShard}}
		}
	}
}
