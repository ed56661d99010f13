package model

import (
	"strconv"

	"firebreak/routing/control"
)

// decider is a process that decides, as far as it matters here: what it believes, and the write that it sent last.
//
//	idle -> claim sent -> holds <-> write sent
//	  ^________/____________________/          (it reads back that the state is another's)
//
// A decider that is frozen, cut off or dead is one that does nothing; what it sent may land at any later moment. The zero value is idle.
type decider struct {
	// base is the state it knows to be its own; 0 = it holds nothing.
	base ref
	// was and next are the write that is under way: next in the place of was. next 0 = none.
	was, next ref
	// landed says that the write took effect, whether or not its sender has learned that.
	landed bool
}

// fleet is the store, its head and the two deciders.
type fleet struct {
	now      ref // the state that the store has
	head     ref // the state whose head clients poll
	deciders [2]decider
	backward bool // the epoch or the version went back
}

// writes are the rules by which deciders write; each is a condition that can be dropped.
type writes struct {
	pool *pool
	// epochs bounds how often the fleet is claimed.
	epochs uint64
	// EpochCondition: a write tests epoch and tenure too, not only the version.
	EpochCondition bool
	// ReadBackLostReply: who got no answer reads back, and does not take his write for written or failed.
	ReadBackLostReply bool
	// prompt says that who writes knows at once that his write took effect, and that one that can not any more is forgotten. A decider that
	// does not know is one that does nothing, so that nothing is lost but steps; Takeover has them all.
	prompt bool
	// asks says in which phases deciders ask for more than a write, where prompt: a deposed one in any other is idle. Nil = in all.
	asks func(Phase) bool
	// OwnTenure: a tenure is random, so that two deciders never have the same.
	OwnTenure bool
	// heads says that the head is part of the model.
	heads bool
	// HeadForward: the head is replaced by a newer one only.
	HeadForward bool
}

func deciderName(d int) string { return [2]string{"decider A", "decider B"}[d] }

// tenure names the d-th decider's tenure of an epoch.
func (w *writes) tenure(d int, epoch uint64) string {
	if !w.OwnTenure {
		d = 0
	}
	return string(rune('a'+d)) + strconv.FormatUint(epoch, 10)
}

// takes says whether the store takes a write. It is the rule of every store: see control.Follows.
func (w *writes) takes(now, was, next ref) bool {
	at, expected := w.pool.at(now), w.pool.at(was)
	if !w.EpochCondition {
		return at.Version == expected.Version
	}
	return at == expected && control.Follows(expected, w.pool.get(next).State) == nil
}

// write lets a decider that holds the fleet send a write.
func (f fleet) write(d int, next ref) fleet {
	f.deciders[d].was, f.deciders[d].next = f.deciders[d].base, next
	f.deciders[d].landed = false
	return f
}

// steps visits what store and deciders do that is the same in every protocol.
func (w *writes) steps(f fleet, visit func(Step, fleet)) {
	for d := range f.deciders {
		who := deciderName(d)
		me := f.deciders[d]
		switch {
		case me.next != 0:
			w.underWay(f, d, visit)
		case me.base == 0 && w.pool.at(f.now).Epoch < w.epochs:
			n := f
			epoch := w.pool.at(f.now).Epoch + 1
			n.deciders[d] = decider{was: f.now, next: w.pool.claim(f.now, w.tenure(d, epoch))}
			if w.prompt {
				visit(Step{who, "claims the fleet", ""}, w.landed(n, d))
				break
			}
			visit(Step{who, "loads the state and sends a claim", ""}, n)
		case w.heads && me.base != 0 && me.base != f.head && (!w.HeadForward || w.pool.newer(me.base, f.head)):
			n := f
			n.head = me.base
			visit(Step{who, "writes the head", ""}, n)
		}
	}
}

// landed is the fleet after the store took a decider's write.
func (w *writes) landed(f fleet, d int) fleet {
	is, was := w.pool.at(f.deciders[d].next), w.pool.at(f.now)
	f.backward = f.backward || is.Epoch < was.Epoch || is.Version <= was.Version
	f.now, f.deciders[d].landed = f.deciders[d].next, true
	if !w.prompt {
		return f
	}
	f.deciders[d] = decider{base: f.now}
	other := &f.deciders[1-d]
	switch {
	case other.next == 0 && other.base == 0 || !w.EpochCondition:
	case other.next == 0 && (w.asks == nil || w.asks(w.pool.get(other.base).phase)):
		other.base = w.pool.shape(other.base)
	default:
		*other = decider{}
	}
	return f
}

// underWay visits what may become of a write: it lands, its sender hears of it, or reads back because it does not.
func (w *writes) underWay(f fleet, d int, visit func(Step, fleet)) {
	who, me := deciderName(d), f.deciders[d]
	if !me.landed && w.takes(f.now, me.was, me.next) {
		visit(Step{"the store", "takes the write of", who}, w.landed(f, d))
	}
	written := f
	written.deciders[d] = decider{base: me.next}
	lost := f
	lost.deciders[d] = decider{}
	switch at := w.pool.at(f.now); {
	case me.landed:
		visit(Step{who, "hears that it was written", ""}, written)
	case w.prompt && w.EpochCondition:
	case at == w.pool.at(me.next):
		visit(Step{who, "hears nothing, reads back, and finds what it wrote", ""}, written)
	case at != w.pool.at(me.was):
		visit(Step{who, "reads that the state is another's, and gives up", ""}, lost)
		if !w.EpochCondition && me.base != 0 {
			again := f
			again.deciders[d].was, again.deciders[d].next = f.now, w.pool.rebased(me.next, at.Version+1)
			visit(Step{who, "reads another version, and sends its write again for that one", ""}, again)
		}
	}
	if me.landed && w.pool.at(f.now) != w.pool.at(me.next) {
		visit(Step{who, "hears nothing, and reads that the state is another's", ""}, lost)
	}
	if w.ReadBackLostReply || me.base == 0 {
		return
	}
	visit(Step{who, "hears nothing, and takes it for written", ""}, written)
	failed := f
	failed.deciders[d] = decider{base: me.base}
	visit(Step{who, "hears nothing, and takes it for failed", ""}, failed)
}
