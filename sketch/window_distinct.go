package sketch

import "slices"

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
	size := 1 << wholeBits
	s.answer.whole = slices.Grow(s.answer.whole[:0], size)[:size]
	clear(s.answer.whole)
	for _, p := range s.ring {
		mergeRegisters(s.answer.whole, p.whole[k])
	}
	for i := range s.open {
		if o := &s.open[i]; o.busy {
			mergeRegisters(s.answer.whole, o.summary.whole[k])
		}
	}
	return int(s.answer.whole.estimate())
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
	more := map[uint64]struct{}{}
	for i := range s.open {
		if o := &s.open[i]; o.busy && !o.summary.each(k, func(h uint64) {
			if s.names[k].find(h) < 0 {
				more[h] = struct{}{}
			}
		}) {
			return 0, false
		}
	}
	return s.names[k].used + len(more), true
}

// each gives the hash of every name of a kind, some twice. It is false if not all are held.
func (s *Summary) each(k kind, do func(h uint64)) bool {
	t := s.table(k)
	if t.refused > 0 || t.unlisted.any {
		return false
	}
	for slot := range t.rows {
		if t.held(slot) {
			do(t.rows[slot].hash)
		}
	}
	return true
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
