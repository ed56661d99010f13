package model

import "fmt"

// Model is the protocol as a graph of states: one operation. Who decides, and how a phase is written, is Move's.
func (c Double) Model() *Model[doubling] {
	start := doubling{}
	for i := range start.shards {
		start.shards[i].up = true
	}
	return &Model[doubling]{
		Start: start, Next: c.next, Done: func(s doubling) bool {
			return s.now == doubleGrace && s.writes[0].step == writeDone && s.writes[1].step == writeDone
		},
		Always: []Property[doubling]{
			{"no acknowledged write is lost", func(s doubling) bool { return s.shards[c.rule(s.now).owner].value >= s.done }},
			{"a read sees every acknowledged write", func(s doubling) bool { return !s.missed }},
		},
		Reached: []Property[doubling]{
			{"the comparison closes a gap", func(s doubling) bool {
				return s.now == doubleCompare && s.copied > s.shards[newShard].value && s.copied == s.done
			}},
			{"a gap is open at the old shard while the new one is read", func(s doubling) bool {
				return s.now == doubleSettle && s.shards[oldShard].value < s.done
			}},
			{"both shards take first writes", func(s doubling) bool {
				return s.writes[0].step == writeFirst && s.writes[1].step == writeFirst && s.shards[0].let != 0 && s.shards[1].let != 0
			}},
			{"a client holds a document of before the copy in the end", func(s doubling) bool {
				return s.now == doubleGrace && s.writes[0] == doubleWrite{holds: doubleNone}
			}},
		},
	}
}

func (c Double) next(s doubling, visit func(Step, doubling)) {
	c.decide(s, visit)
	c.compare(s, visit)
	for i := range s.shards {
		c.guard(s, i, visit)
		c.read(s, i, visit)
	}
	for i := range s.writes {
		c.write(s, i, visit)
	}
}

// decide visits the write of the next phase. That clients confirm it is waited for in earnest, so that none is refused; nothing rests on it.
func (c Double) decide(s doubling, visit func(Step, doubling)) {
	switch {
	case s.now == doubleGrace,
		s.now == doubleCompare && !s.closed && c.CompareBeforeFlip,
		s.now == doubleFlip && s.acked < doubleFlip && c.BothUntilAcknowledged:
		return
	}
	s.now, s.copied = s.now+1, 0
	visit(Step{"the decider", "writes the phase", s.now.double()}, s)
}

func (p Phase) double() string {
	return [...]string{"none", "copy", "both", "compare", "flip", "settle", "grace"}[p]
}

// compare visits that the mover reads the row at the old shard, and then writes it at the new one.
func (c Double) compare(s doubling, visit func(Step, doubling)) {
	if s.now != doubleCompare || s.closed {
		return
	}
	switch at := &s.shards[oldShard]; {
	case s.copied != 0:
		c.put(&s.shards[newShard], s.copied)
		s.closed, s.copied = true, 0
		visit(Step{"the mover", "writes what it read at", shardName(newShard)}, s)
	case s.acked < doubleCompare && c.Acknowledged:
	case at.value == 0:
		s.closed = true
		visit(Step{"the mover", "finds nothing at", shardName(oldShard)}, s)
	default:
		s.copied = at.value
		visit(Step{"the mover", "reads at", shardName(oldShard)}, s)
	}
}

func (c Double) put(at *doubleShard, version uint8) {
	if version > at.value || !c.LastVersionWins {
		at.value = version
	}
}

// guard visits what a guard does: it takes the document and acknowledges it when it may, and is started again, which ends what it let in.
func (c Double) guard(s doubling, i int, visit func(Step, doubling)) {
	n := s
	me := &n.shards[i]
	me.obeys, me.up = s.now, true
	if s.now == doubleSettle {
		me.obeys = doubleFlip // a guard does not mind when a write is done
	}
	c.acknowledge(&n)
	if n != s {
		visit(Step{shardName(i), "reads the document from the store", ""}, n)
	}
	n = s
	me = &n.shards[i]
	for w := range n.writes {
		if me.let&(1<<w) != 0 {
			c.fails(&n, w)
		}
	}
	me.up, me.let, me.obeys = !c.ReadStoreOnStart, 0, doubleNone
	visit(Step{shardName(i), "is started again", ""}, n)
}

// acknowledge is what the old shard may say that it obeys.
func (c Double) acknowledge(s *doubling) {
	me := &s.shards[oldShard]
	if me.let == 0 || !c.AckAfterInFlight {
		if at := min(me.obeys, doubleFlip); at >= doubleCompare {
			s.acked = max(s.acked, at)
		}
	}
}

// read visits a read by a client that holds some document or other.
func (c Double) read(s doubling, i int, visit func(Step, doubling)) {
	me := &s.shards[i]
	r := c.rule(me.obeys)
	if !me.up || i == newShard && s.now < doubleFlip || r.owner != i && (c.ReadsAtOwner || !r.twice) {
		return
	}
	s.missed = me.value < s.done
	visit(Step{"a reader", "reads at", shardName(i)}, s)
}

// lets says whether a guard lets a write by a document in.
func (c Double) lets(s *doubling, i int, by Phase) bool {
	me := &s.shards[i]
	r := c.rule(me.obeys)
	if !r.twice {
		return me.up && r.owner == i
	}
	return me.up && (by >= r.since || !c.RefusesOlder)
}

// write visits what a client does. While a write is under way it goes by the document that it began with.
func (c Double) write(s doubling, i int, visit func(Step, doubling)) {
	w, who := s.writes[i], fmt.Sprintf("client %d", i+1)
	r := c.rule(w.holds)
	n := s
	switch w.step {
	case writeIdle:
		if w.holds != s.now {
			n.writes[i].holds = s.now
			visit(Step{who, "reads the document", ""}, n)
		}
		c.asks(s, i, r.owner, writeFirst, visit)
	case writeFirst:
		n.writes[i].step = writeBetween
		c.does(&n, i, r.owner)
		if !r.twice {
			n.acknowledge(i)
		}
		visit(Step{shardName(r.owner), "does the first write of", who}, n)
	case writeBetween:
		c.asks(s, i, 1-r.owner, writeSecond, visit)
		c.fails(&n, i)
		visit(Step{who, "fails with its second write", ""}, n)
	case writeSecond:
		c.does(&n, i, 1-r.owner)
		n.acknowledge(i)
		visit(Step{shardName(1 - r.owner), "does the second write of", who}, n)
	case writeDone:
	}
}

// asks visits that a shard lets a client in, if it does.
func (c Double) asks(s doubling, i, at int, step writeStep, visit func(Step, doubling)) {
	if c.lets(&s, at, s.writes[i].holds) {
		s.writes[i].step = step
		s.shards[at].let |= 1 << i
		visit(Step{fmt.Sprintf("client %d", i+1), "is let in by", shardName(at)}, s)
	}
}

// does is that a write takes effect at a shard.
func (c Double) does(s *doubling, i, at int) {
	c.put(&s.shards[at], uint8(i)+1)
	s.shards[at].let &^= 1 << i
	c.acknowledge(s)
}

// fails is that a request is not taken: the first one, or one that both have to take, is sent anew; a second one is a gap.
func (c Double) fails(s *doubling, i int) {
	if w := &s.writes[i]; w.step == writeFirst || c.rule(w.holds).both {
		w.step = writeIdle
		return
	}
	s.acknowledge(i)
}

// acknowledge is that a client is told that its write is done.
func (s *doubling) acknowledge(i int) {
	s.writes[i] = doubleWrite{step: writeDone}
	s.done = max(s.done, uint8(i)+1)
}
