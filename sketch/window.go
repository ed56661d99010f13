package sketch

import (
	"math/bits"
	"slices"
)

// answer is the memory that Window answers with; it is used again by the next call.
type answer struct {
	panes   []PaneSums
	lines   [kinds]lines
	listed  [kinds][]Listed
	ids     []int32
	weights []uint64
}

// Window lists the n heaviest keys, tenants and pairs by Cost over the long window, and the n heaviest over its newest
// three panes where these are others. A name has cells only in panes that list it. Low and High bound what it has in all
// of the long window; they are equal where it was counted exactly. Dominant tenants and callers come with the least
// share that they can have. The answer is valid until the next call on s.
func (s *Sliding) Window(n int) Window {
	s.closeUpTo(s.span.newest)
	s.settle()
	w := Window{Distinct: s.distinct()}
	s.answer.panes = s.answer.panes[:0]
	for _, p := range s.ring {
		if s.span.holds(p.number) && len(p.loads) > 0 {
			s.answer.panes = append(s.answer.panes, PaneSums{Pane: p.number, Version: p.version, VShards: p.loads})
		}
	}
	w.Panes = s.answer.panes
	w.Keys, w.Tenants, w.Pairs = s.list(keyKind, n), s.list(tenantKind, n), s.list(pairKind, n)
	return w
}

// complete are the panes of the ring that count.
func (s *Sliding) complete() []*pane {
	first := slices.IndexFunc(s.ring, func(p *pane) bool { return s.span.holds(p.number) })
	if first < 0 {
		return nil
	}
	last := first
	for last < len(s.ring) && s.span.holds(s.ring[last].number) {
		last++
	}
	return s.ring[first:last]
}

// list gives the heaviest names of a kind with their cells.
func (s *Sliding) list(k kind, n int) []Listed {
	names, a := &s.names[k], &s.answer
	l := &a.lines[k]
	all := l.claim(names, s.pick(k, n))
	for _, p := range s.complete() {
		if !p.lists[k].told {
			s.tell(k, p)
		}
	}
	s.retell(k)
	l.sort(names)
	a.weights = l.rank(all, a.weights[:0])
	a.listed[k] = slices.Grow(a.listed[k][:0], len(all))[:len(all)]
	for i, at := range all {
		s.listed(k, int(at), &a.listed[k][i])
	}
	return a.listed[k]
}

// likely is the cell's sums, brought up to its estimate in proportion.
func (c *cell) likely() Sums {
	s, cost := c.sums, c.sums.Cost
	if c.guess == 0 || cost == 0 {
		return s
	}
	up := func(v uint64) uint64 {
		switch v {
		case 0:
			return 0
		case cost:
			return c.estimate()
		}
		high, low := bits.Mul64(v, c.guess)
		if high >= cost {
			return saturated
		}
		more, _ := bits.Div64(high, low, cost)
		return plus(v, more)
	}
	return Sums{up(s.Requests), c.estimate(), up(s.Variance), up(s.Records), up(s.Reads), up(s.Writes), up(s.Throttled)}
}

// listed makes the answer for one name.
func (s *Sliding) listed(k kind, at int, to *Listed) {
	t, names := &s.answer.lines[k].all[at], &s.names[k]
	*to = Listed{
		Name: names.name[t.id], VShard: None, Shard: None, Cells: s.answer.lines[k].cellsOf(at),
		Low: t.low, High: t.high, slot: t.id, weight: t.sum,
	}
	switch k {
	case keyKind:
		to.VShard = names.place[t.id]
	case pairKind:
		to.Shard = names.place[t.id]
	case tenantKind, kinds:
	}
	to.Tenant, to.TenantShare = s.dominant(&t.tenants, t.high)
	to.Caller, to.CallerShare = s.dominant(&t.callers, t.high)
}

// dominant finds who sent most, ties by name, and the least share of all that this can be.
func (s *Sliding) dominant(senders *[4]sender, all uint64) (name string, share float64) {
	best := sender{}
	for _, v := range senders {
		if v.word == 0 || v.cost < best.cost {
			continue
		}
		if n := s.words.name[v.word-1]; best.word == 0 || v.cost > best.cost || n < name {
			best, name = v, n
		}
	}
	if best.word == 0 {
		return "", 0
	}
	return name, min(1, float64(best.cost)/float64(max(all, 1)))
}
