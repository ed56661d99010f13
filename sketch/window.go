package sketch

import (
	"cmp"
	"math/bits"
	"slices"
)

// answer is the memory that Window answers with; it is used again by the next call.
type answer struct {
	panes   []PaneSums
	cells   [kinds][]Cell
	listed  [kinds][]Listed
	tallies []tally
	whole   registers
}

// tally is what was found of a listed name so far.
type tally struct {
	id        int
	cellsAt   int // where its cells begin
	cells     int // number of panes that list it
	low, high uint64
	sum       uint64 // of the estimates of its cells
	seen      int    // 1 + the last pane that lists it
	tenants   [4]sender
	callers   [4]sender
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
	names, panes, a := &s.names[k], s.complete(), &s.answer
	ids := heaviest(names.long, names.recent, n)
	a.tallies = slices.Grow(a.tallies[:0], len(ids))[:len(ids)]
	a.cells[k] = slices.Grow(a.cells[k][:0], len(ids)*len(panes))[:len(ids)*len(panes)]
	for i, id := range ids {
		a.tallies[i] = tally{id: int(id), cellsAt: i * len(panes)}
		names.mark[id] = int32(i) + 1
	}
	for i, p := range panes {
		s.tallyPane(k, p, i)
	}
	for i := range a.tallies {
		names.mark[a.tallies[i].id] = 0
	}
	slices.SortFunc(a.tallies, func(x, y tally) int {
		return cmp.Or(
			cmp.Compare(y.sum, x.sum), cmp.Compare(names.name[x.id], names.name[y.id]),
			cmp.Compare(names.place[x.id], names.place[y.id]),
		)
	})
	a.listed[k] = a.listed[k][:0]
	for i := range a.tallies {
		a.listed[k] = append(a.listed[k], s.listed(k, &a.tallies[i]))
	}
	return a.listed[k]
}

// listed adds a pane that lists the name.
func (t *tally) listed(p *pane, k kind, h uint64, c *cell) {
	t.sum, t.low, t.high = plus(t.sum, c.estimate()), plus(t.low, c.sums.Cost), plus(t.high, p.high(k, h, c))
}

// tallyPane adds what the i-th pane knows of the names that are being listed.
func (s *Sliding) tallyPane(k kind, p *pane, i int) {
	names, l, a := &s.names[k], &p.lists[k], &s.answer
	var c cell
	for at := 0; at < len(l.records); {
		id, from, to := readNumber(l.records, at)
		at = to
		place := int(names.mark[id]) - 1
		if place < 0 {
			continue
		}
		readCell(l.records, from, &c)
		t := &a.tallies[place]
		a.cells[k][t.cellsAt+t.cells] = Cell{p.number, c.likely()}
		t.cells++
		t.seen = i + 1
		t.listed(p, k, names.hash[id], &c)
		tallySenders(&t.tenants, &c.tenants)
		tallySenders(&t.callers, &c.callers)
	}
	if l.bounds.residual == 0 {
		return
	}
	for j := range a.tallies {
		if t := &a.tallies[j]; t.seen != i+1 {
			t.high = plus(t.high, l.bounds.unlisted(names.hash[t.id], 0, 0))
		}
	}
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

// tallySenders adds two senders to those of other panes. Of too many the lightest is forgotten.
func tallySenders(to *[4]sender, from *[2]sender) {
	for _, v := range from {
		if v.word == 0 {
			continue
		}
		at := -1
		for i := range to {
			if to[i].word == v.word {
				at = i
				break
			}
			if at < 0 || to[i].cost < to[at].cost {
				at = i
			}
		}
		switch {
		case to[at].word == v.word:
			to[at].cost = plus(to[at].cost, v.cost)
		case to[at].word == 0 || to[at].cost < v.cost:
			to[at] = v
		}
	}
}

// listed makes the answer for one name.
func (s *Sliding) listed(k kind, t *tally) Listed {
	names := &s.names[k]
	l := Listed{
		Name: names.name[t.id], VShard: None, Shard: None, Cells: s.answer.cells[k][t.cellsAt : t.cellsAt+t.cells : t.cellsAt+t.cells],
		Low: t.low, High: t.high, slot: int32(t.id), weight: t.sum,
	}
	switch k {
	case keyKind:
		l.VShard = names.place[t.id]
	case pairKind:
		l.Shard = names.place[t.id]
	case tenantKind, kinds:
	}
	l.Tenant, l.TenantShare = s.dominant(&t.tenants, t.high)
	l.Caller, l.CallerShare = s.dominant(&t.callers, t.high)
	return l
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
