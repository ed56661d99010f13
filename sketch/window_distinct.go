package sketch

import (
	"math"
	"slices"
)

// union is the distinct names of one kind in all panes of the ring, kept so that a call merges two sets of registers and
// not one for each pane.
//
// Invariant: for a pane up to Sliding.turned, its registers hold those of all panes from it to turned; back holds those of
// the panes after turned.
type union struct {
	back  registers
	whole registers // what was counted last
	count int
}

// nothingTurned is before every pane.
const nothingTurned = math.MinInt64

func newUnion() union {
	return union{back: make(registers, 1<<wholeBits), whole: make(registers, 1<<wholeBits)}
}

// joinDistinct adds registers to a pane.
func (s *Sliding) joinDistinct(p *pane, k kind, more registers) {
	if len(more) == 0 || len(more) != len(p.whole[k]) {
		return
	}
	if p.number > s.turned {
		mergeRegisters(p.whole[k], more)
		mergeRegisters(s.unions[k].back, more)
		return
	}
	for _, q := range s.ring {
		if q.number <= p.number {
			mergeRegisters(q.whole[k], more)
		}
	}
}

// inherit gives a new pane, the i-th of the ring, what it must hold of the panes behind it.
func (s *Sliding) inherit(i int) {
	if i+1 == len(s.ring) || s.ring[i+1].number > s.turned {
		return
	}
	for k := range kinds {
		copy(s.ring[i].whole[k], s.ring[i+1].whole[k])
	}
}

// turnOver makes the invariant hold after the panes up to turned have left the ring.
func (s *Sliding) turnOver() {
	if len(s.ring) > 0 && s.ring[0].number <= s.turned {
		return
	}
	s.turned = s.span.newest
	for k := range kinds {
		if !s.cfg.counts(k) {
			continue
		}
		clear(s.unions[k].back)
		for i, p := range slices.Backward(s.ring) {
			switch {
			case p.number > s.turned:
				mergeRegisters(s.unions[k].back, p.whole[k])
			case i+1 < len(s.ring) && s.ring[i+1].number <= s.turned:
				mergeRegisters(p.whole[k], s.ring[i+1].whole[k])
			}
		}
	}
}

// distinct counts the names of all panes, those still open included: exactly, where every name is listed.
func (s *Sliding) distinct() Distinct {
	return Distinct{Keys: s.distinctOf(keyKind), Tenants: s.distinctOf(tenantKind), Callers: s.distinctOf(callerKind)}
}

func (s *Sliding) distinctOf(k kind) int {
	if !s.cfg.counts(k) {
		return 0
	}
	if n, ok := s.counted(k); ok {
		return n
	}
	u := &s.unions[k]
	var all [1 << wholeBits]byte
	copy(all[:], u.back)
	if len(s.ring) > 0 && s.ring[0].number <= s.turned {
		mergeRegisters(all[:], s.ring[0].whole[k])
	}
	for i := range s.open {
		if o := &s.open[i]; o.busy {
			mergeRegisters(all[:], o.summary.whole[k])
		}
	}
	if !slices.Equal(u.whole, all[:]) {
		copy(u.whole, all[:])
		u.count = int(u.whole.estimate())
	}
	return u.count
}

// counted counts the names one by one, if all are listed.
func (s *Sliding) counted(k kind) (int, bool) {
	if k == callerKind || !s.cfg.lists(k) {
		return 0, false
	}
	for _, p := range s.ring {
		if p.lists[k].bounds.residual > 0 || p.lists[k].bounds.any {
			return 0, false
		}
	}
	n := s.names[k].used
	for i := range s.open {
		if o := &s.open[i]; o.busy {
			more, all := s.unknown(k, i)
			if !all {
				return 0, false
			}
			n += more
		}
	}
	return n, true
}

// unknown counts the names of the i-th open Summary that neither a pane lists nor a Summary before it holds. It is false if
// the Summary does not hold all of its own.
func (s *Sliding) unknown(k kind, i int) (n int, all bool) {
	t := s.open[i].summary.table(k)
	if t.refused > 0 || t.unlisted.any {
		return 0, false
	}
	for b, tags := range t.tags {
		if tags == 0 {
			continue
		}
		for slot := b * ways; slot < b*ways+ways; slot++ {
			if h := t.rows[slot].hash; t.held(slot) && s.names[k].find(h) < 0 && !s.heldBefore(k, i, h) {
				n++
			}
		}
	}
	return n, true
}

// heldBefore tells whether a Summary before the i-th open one holds a name.
func (s *Sliding) heldBefore(k kind, i int, h uint64) bool {
	return slices.ContainsFunc(s.open[:i], func(o opened) bool { return o.busy && o.summary.table(k).find(h) >= 0 })
}

// table is the candidates of a kind.
func (s *Summary) table(k kind) *candidates {
	switch k {
	case tenantKind:
		return &s.tenants
	case pairKind:
		return &s.pairs
	case keyKind, kinds:
	}
	return &s.keys
}
