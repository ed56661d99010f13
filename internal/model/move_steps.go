package model

import (
	"math/bits"

	"firebreak/routing"
)

func (m *moveModel) next(s moving, visit func(Step, moving)) {
	m.store.steps(s.fleet, func(step Step, f fleet) {
		n := s
		n.fleet = f
		visit(step, n)
	})
	for d := range s.deciders {
		m.decide(s, d, visit)
		m.effects(s, d, visit)
	}
	m.follow(s, visit)
	for i := range s.shards {
		m.guard(s, i, visit)
	}
	m.client(s, visit)
}

// decide visits the next phases that a decider may write, as it sees the shards, and the effects that belong to a phase.
func (m *moveModel) decide(s moving, d int, visit func(Step, moving)) {
	base := s.deciders[d].base
	if base == 0 || s.deciders[d].next != 0 {
		return
	}
	write := func(phase Phase, change func(*routing.Document)) { m.write(s, d, phase, change, visit) }
	e := m.pool.get(base)
	from, to := &s.shards[oldShard], &s.shards[newShard]
	switch e.phase {
	case moveNone:
		if e.attempt <= m.attempts {
			write(moveCopy, nil)
		}
	case moveCopy:
		if to.did == m.pool.order(base) || !m.CopyBeforeFence {
			write(moveFence, nil)
		} else if m.acknowledged(from, base) || !m.CaptureBeforeCopy {
			m.send(s, d, copyTo, visit)
		}
		write(moveDrop, nil)
	case moveFence:
		if m.mayFlip(&s, oldShard, base) {
			write(moveSettle, flip(newShard))
		}
		write(moveDrop, nil)
	case moveSettle:
		write(moveGrace, nil)
		write(moveBack, nil)
		if !m.GraceBeforeCleanUp {
			m.send(s, d, cleanOld, visit)
		}
	case moveGrace:
		write(moveClean, nil)
	case moveBack:
		if m.mayFlip(&s, newShard, base) {
			write(moveDrop, flip(oldShard))
		}
	case moveDrop:
		m.finish(s, d, dropNew, moveNone, visit)
	case moveClean:
		m.finish(s, d, cleanOld, moveOver, visit)
	}
}

// write visits that a decider sends a phase. What a deposed one would send would not land, and is left out.
func (m *moveModel) write(s moving, d int, phase Phase, change func(*routing.Document), visit func(Step, moving)) {
	base := s.deciders[d].base
	if base != s.now && m.EpochCondition {
		return
	}
	s.fleet = s.write(d, m.pool.phased(base, phase, change))
	visit(Step{deciderName(d), "sends the phase", movePhases()[phase]}, s)
}

// finish visits the effect of a phase, and the phase after it when it is done.
func (m *moveModel) finish(s moving, d int, kind effectKind, then Phase, visit func(Step, moving)) {
	if s.shards[kind.shard()].did != m.pool.order(s.deciders[d].base) {
		m.send(s, d, kind, visit)
		return
	}
	m.write(s, d, then, nil, visit)
}

// mayFlip says whether the shard that gives has acknowledged the fence, and all its changes have arrived.
func (m *moveModel) mayFlip(s *moving, gives int, base ref) bool {
	return (m.acknowledged(&s.shards[gives], base) || !m.FenceAcknowledged) && (s.pending[gives] == 0 || !m.DrainBeforeFlip)
}

// acknowledged says whether a shard acknowledged the phase in which the operation stands.
func (m *moveModel) acknowledged(s *shard, base ref) bool { return s.acked == m.pool.shape(base) }

// view is what a shard makes of a state: the old one captures from the copy on, is fenced, and is not the owner after the flip; the new one is
// the owner after it, captures as long as there is a way back, and may be fenced then.
func (m *moveModel) view(r ref, i int) ref {
	e := m.pool.get(r)
	owner := uint32(e.table.Owner(0))
	switch e.phase {
	case moveCopy, moveFence:
		if i == oldShard {
			return m.pool.shape(r)
		}
	case moveBack:
		if i == newShard {
			return m.pool.shape(r)
		}
	case moveSettle:
		if i == newShard {
			return m.pool.like(1<<16, r)
		}
	default:
	}
	return m.pool.like(1<<17|uint32(i)<<8|owner, r)
}

// owned is what the client makes of a state: who owns the virtual shard.
func (m *moveModel) owned(r ref) ref {
	return m.pool.like(1<<18|uint32(m.pool.get(r).table.Owner(0)), r)
}

// send visits that a decider asks a shard for an effect.
func (m *moveModel) send(s moving, d int, kind effectKind, visit func(Step, moving)) {
	e := effect{kind: kind, by: s.deciders[d].base}
	if kind == copyTo {
		e.value = s.shards[oldShard].value
	}
	if s.effects[d].kind == kind && s.effects[d].by == e.by {
		return
	}
	s.effects[d] = e
	visit(Step{deciderName(d), "asks for", kind.String()}, s)
}

// effects visits that an effect arrives, once or more often.
func (m *moveModel) effects(s moving, d int, visit func(Step, moving)) {
	e := s.effects[d]
	if e.kind == noEffect {
		return
	}
	n := s
	m.effect(&n, e)
	visit(Step{"the network", "brings, and may bring again,", e.kind.String()}, n)
	n.effects[d] = effect{}
	visit(Step{"the network", "brings", e.kind.String()}, n)
}

// effect is what a shard does of what it is asked for.
func (m *moveModel) effect(s *moving, e effect) {
	at, order := &s.shards[e.kind.shard()], m.pool.order(e.by)
	if order < at.did && m.StepOrder || order == at.did && m.StepOnce {
		return
	}
	at.did, at.value, at.has = order, e.value, e.kind == copyTo
	if e.kind == dropNew {
		s.pending = [2]uint8{}
	}
}

// follow visits that the oldest captured change arrives.
func (m *moveModel) follow(s moving, visit func(Step, moving)) {
	for i, p := range s.pending {
		if p != 0 && s.shards[1-i].has {
			n := s
			oldest := uint8(bits.TrailingZeros8(p))
			n.pending[i] &^= 1 << oldest
			n.shards[1-i].value = oldest
			visit(Step{"the mover", "brings a change from", shardName(i)}, n)
		}
	}
}

func shardName(i int) string { return [2]string{"the old shard", "the new shard"}[i] }

// guard visits what a shard does: it takes documents and acknowledges them, does what it let in, and is started again.
func (m *moveModel) guard(s moving, i int, visit func(Step, moving)) {
	me, who := s.shards[i], shardName(i)
	if now := m.view(s.now, i); me.obeys != now {
		n := s
		n.shards[i].obeys = now
		if e := m.pool.get(now); i == oldShard && e.phase == moveCopy && e.attempt != me.slot {
			if n.shards[i].slot = e.attempt; m.CaptureAnew {
				n.pending[i] = 0
			}
		}
		does := "reads the document from the store"
		if me.let == 0 || !m.AckAfterInFlight {
			n.shards[i].acked = now
			does += " and acknowledges it"
		}
		visit(Step{who, does, ""}, n)
	}
	if me.let != 0 {
		n := s
		n.shards[i].let, n.shards[i].value, n.shards[i].acked = 0, me.let, me.obeys
		if m.captures(&me, i) {
			n.pending[i] |= 1 << me.let
		}
		n.client.acked = me.let
		visit(Step{who, "does the write and acknowledges it", ""}, n)
	}
	restarted := s
	restarted.shards[i].obeys, restarted.shards[i].let = 0, 0
	if !m.ReadStoreOnStart {
		restarted.shards[i].obeys = m.first
	}
	visit(Step{who, "is started again", ""}, restarted)
}

// client visits its requests, by the document that it holds.
func (m *moveModel) client(s moving, visit func(Step, moving)) {
	const who = "the client"
	me := s.client
	if now := m.owned(s.now); me.holds != now {
		n := s
		n.client.holds = now
		visit(Step{who, "reads the document", ""}, n)
	}
	target := int(m.pool.get(me.holds).table.Owner(0))
	at, name := &s.shards[target], shardName(target)
	if m.serves(at, target, false) || !m.OwnerRefuses {
		n := s
		n.missed = at.value < me.acked
		visit(Step{who, "reads at", name}, n)
	}
	if s.shards[oldShard].let|s.shards[newShard].let == 0 && me.acked < m.writes && (m.serves(at, target, true) || !m.OwnerRefuses) {
		n := s
		n.shards[target].let = me.acked + 1
		visit(Step{who, "is let in with a write by", name}, n)
	}
}
