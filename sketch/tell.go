package sketch

// tell adds to the lines of a kind what a pane says of their names, which must be marked. Lines of which nothing is known
// are left for retell, but for names that no other pane lists.
func (s *Sliding) tell(k kind, p *pane) {
	n, l, of := &s.names[k], &p.lists[k], &s.answer.lines[k]
	of.pane++
	var c cell
	for i, from, to := seek(l.records, 0, n.mark); i >= 0; i, from, to = seek(l.records, to, n.mark) {
		t := &of.all[i]
		if t.fresh {
			if n.refs[t.id] != 1 {
				continue
			}
			t.restart()
			t.fresh = false
			s.unlisted(k, t, p)
		}
		readCell(l.records, from, &c)
		lost := t.lost
		if newest := of.add(i, k, p, &c); t.lost && (!newest || !lost) {
			t.again, of.stale = true, true
		}
	}
	l.told = true
	of.rest(&l.bounds)
}

// rest adds what those lines can have in a pane that does not list them.
func (l *lines) rest(b *bounds) {
	if b.residual == 0 {
		return
	}
	for i := range l.all {
		if t := &l.all[i]; t.id >= 0 && !t.fresh && t.pane != l.pane {
			t.raise(b.unlisted(t.hash, 0, 0))
		}
	}
}

// unlisted adds what a line can have in all panes that are told but one.
func (s *Sliding) unlisted(k kind, t *line, but *pane) {
	for _, p := range s.complete() {
		if l := &p.lists[k]; l.told && p != but {
			t.raise(l.bounds.unlisted(t.hash, 0, 0))
		}
	}
}

// retell tells lines from the start that must be. The names of all lines are marked, and no longer afterwards.
func (s *Sliding) retell(k kind) {
	n, of := &s.names[k], &s.answer.lines[k]
	if !of.stale {
		of.mark(n, false)
		return
	}
	for i := range of.all {
		t := &of.all[i]
		switch {
		case t.id < 0:
		case t.fresh:
			t.restart()
		case t.again:
			t.tenants, t.callers, t.lost = [4]sender{}, [4]sender{}, false
		default:
			n.mark[t.id] = 0
		}
	}
	for _, p := range s.complete() {
		if p.lists[k].told {
			s.retellPane(k, p)
		}
	}
	for i := range of.all {
		if t := &of.all[i]; t.id >= 0 {
			n.mark[t.id], t.fresh, t.again = 0, false, false
		}
	}
	of.stale = false
}

func (s *Sliding) retellPane(k kind, p *pane) {
	n, l, of := &s.names[k], &p.lists[k], &s.answer.lines[k]
	of.pane++
	var c cell
	for i, from, to := seek(l.records, 0, n.mark); i >= 0; i, from, to = seek(l.records, to, n.mark) {
		readCell(l.records, from, &c)
		if t := &of.all[i]; t.fresh {
			of.add(i, k, p, &c)
		} else {
			t.hear(&c)
		}
	}
	if l.bounds.residual == 0 {
		return
	}
	for i := range of.all {
		if t := &of.all[i]; t.id >= 0 && t.fresh && t.pane != of.pane {
			t.raise(l.bounds.unlisted(t.hash, 0, 0))
		}
	}
}

// untell takes back what a pane said, before it changes or leaves.
func (s *Sliding) untell(p *pane) {
	for k := range kinds {
		if l := &p.lists[k]; l.told {
			l.told = false
			s.answer.lines[k].mark(&s.names[k], true)
			s.untellList(k, p)
			s.answer.lines[k].mark(&s.names[k], false)
		}
	}
}

func (s *Sliding) untellList(k kind, p *pane) {
	n, l, of := &s.names[k], &p.lists[k], &s.answer.lines[k]
	of.pane++
	var c cell
	for i, from, to := seek(l.records, 0, n.mark); i >= 0; i, from, to = seek(l.records, to, n.mark) {
		if of.all[i].fresh {
			continue
		}
		readCell(l.records, from, &c)
		of.take(i, k, p, &c)
	}
	for i := range of.all {
		t := &of.all[i]
		if l.bounds.residual > 0 && t.id >= 0 && !t.fresh && t.pane != of.pane {
			t.high -= l.bounds.unlisted(t.hash, 0, 0)
		}
		if t.full {
			t.fresh = true
		}
		of.stale = of.stale || t.fresh || t.again
	}
}

// add adds what a pane says of a line that it lists. It reports whether that is its newest pane.
func (l *lines) add(at int, k kind, p *pane, c *cell) bool {
	t := &l.all[at]
	t.pane = l.pane
	t.sum, t.low = plus(t.sum, c.estimate()), plus(t.low, c.sums.Cost)
	t.raise(p.high(k, t.hash, c))
	t.hear(c)
	return l.put(at, Cell{p.number, c.likely()})
}

// take takes away what add added. What has saturated cannot be taken from.
func (l *lines) take(at int, k kind, p *pane, c *cell) {
	t := &l.all[at]
	t.pane = l.pane
	t.sum, t.low, t.high = t.sum-c.estimate(), t.low-c.sums.Cost, t.high-p.high(k, t.hash, c)
	l.drop(at, p.number)
	if t.lost {
		t.again = true
		return
	}
	takeSenders(&t.tenants, &c.tenants)
	takeSenders(&t.callers, &c.callers)
}

// raise adds to the upper bound, the largest of the totals.
func (t *line) raise(by uint64) {
	t.high = plus(t.high, by)
	t.full = t.full || t.high == saturated || t.sum == saturated
}

// hear adds the senders of one more pane.
func (t *line) hear(c *cell) {
	tenants, callers := tallySenders(&t.tenants, &c.tenants), tallySenders(&t.callers, &c.callers)
	t.lost = t.lost || tenants || callers
}

// tallySenders adds two senders to those of other panes. Of too many the lightest is forgotten: then, and where taking away
// could no longer tell who is there, it reports true.
func tallySenders(to *[4]sender, from *[2]sender) (lost bool) {
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
		lost = lost || v.cost == 0
		switch {
		case to[at].word == v.word:
			to[at].cost = plus(to[at].cost, v.cost)
		case to[at].word == 0 || to[at].cost < v.cost:
			lost = lost || to[at].word != 0
			to[at] = v
		default:
			lost = true
		}
		lost = lost || to[at].cost == saturated
	}
	return lost
}

// takeSenders takes away what tallySenders added, nothing being lost since.
func takeSenders(to *[4]sender, from *[2]sender) {
	for _, v := range from {
		for i := range to {
			if v.word == 0 || to[i].word != v.word {
				continue
			}
			if to[i].cost -= v.cost; to[i].cost == 0 {
				to[i] = sender{}
			}
		}
	}
}
