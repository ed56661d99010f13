package sketch

import (
	"cmp"
	"slices"
)

// unpack brings what a pane lists into s.merging and marks it by number.
func (s *Sliding) unpack(p *pane, k kind) {
	l, n := &p.lists[k], &s.names[k]
	s.merging = s.merging[:0]
	for i := 0; i < len(l.records); {
		id, from, to := readNumber(l.records, i)
		s.merging = append(s.merging, merged{id: id})
		c := &s.merging[len(s.merging)-1].cell
		readCell(l.records, from, c)
		if p.parts == 1 {
			c.seen, c.seenCells = l.bounds.residual, l.bounds.of(n.hash[id])
		}
		n.mark[id] = int32(len(s.merging))
		i = to
	}
}

// pack writes s.merging back into a pane that is the sum of so many parts. What does not fit, lightest first, is shed.
func (s *Sliding) pack(p *pane, k kind, parts int) {
	l, n := &p.lists[k], &s.names[k]
	for i := range s.merging {
		n.mark[s.merging[i].id] = 0
	}
	if len(s.merging) > s.cfg.most(k) || !s.write(l, parts) {
		s.trim(p, k, parts)
		s.write(l, parts)
	}
	l.count = len(s.merging)
}

// write writes the records of s.merging. It is false if they do not fit.
func (s *Sliding) write(l *paneList, parts int) bool {
	room := cap(l.records) - maxRecord
	l.records = l.records[:0]
	for i := range s.merging {
		m := &s.merging[i]
		if parts == 1 {
			m.cell.seen, m.cell.seenCells = 0, 0
		}
		if l.records = appendCell(l.records, m.id, &m.cell); len(l.records) > room {
			return false
		}
	}
	return true
}

// trim sheds the lightest names until the others fit.
func (s *Sliding) trim(p *pane, k kind, parts int) {
	l, n := &p.lists[k], &s.names[k]
	slices.SortFunc(s.merging, func(a, b merged) int {
		return cmp.Or(
			cmp.Compare(plus(b.cell.sums.Cost, b.cell.over), plus(a.cell.sums.Cost, a.cell.over)),
			cmp.Compare(n.hash[a.id], n.hash[b.id]),
		)
	})
	room := cap(l.records) - maxRecord
	fit, used := 0, 0
	var record [maxRecord]byte
	for fit < min(len(s.merging), s.cfg.most(k)) {
		m := &s.merging[fit]
		c := m.cell
		// What is shed makes seen grow: room for that is left.
		c.seen, c.seenCells = saturated, saturated
		if parts == 1 {
			c.seen, c.seenCells = 0, 0
		}
		if used += len(appendCell(record[:0], m.id, &c)); used > room {
			break
		}
		fit++
	}
	s.shed(p, k, parts, fit)
}

// shed takes the names from place fit on out of s.merging: what they had at least goes to the pane's cells, what they can
// have had at most raises its residual.
func (s *Sliding) shed(p *pane, k kind, parts, fit int) {
	l, n := &p.lists[k], &s.names[k]
	most := l.bounds.residual
	for i := fit; i < len(s.merging); i++ {
		m := &s.merging[i]
		high := plus(m.cell.sums.Cost, m.cell.over)
		if parts > 1 {
			high = plus(high, l.bounds.unlisted(n.hash[m.id], m.cell.seen, m.cell.seenCells))
		}
		most = max(most, high)
	}
	for i := fit; i < len(s.merging); i++ {
		m := &s.merging[i]
		l.bounds.addName(n.hash[m.id], m.cell.sums.Cost)
		s.weigh(n, m.id, p.number, s.span, m.cell.estimate(), false)
		s.dropWords(&m.cell)
		n.drop(m.id)
	}
	s.merging = s.merging[:fit]
	s.raise(most - l.bounds.residual)
	l.bounds.residual = most
}

// raise tells the names that stay that the residual grew by something that is none of theirs.
func (s *Sliding) raise(by uint64) {
	if by == 0 {
		return
	}
	for i := range s.merging {
		s.merging[i].cell.seen = plus(s.merging[i].cell.seen, by)
	}
}

// makeRoom frees numbers for the new names of a Part, by dropping the names that weigh least in the window.
func (s *Sliding) makeRoom(k kind, part *Part) {
	n, list := &s.names[k], part.lists[k].names
	count, bytes := 0, 0
	for i := range list {
		if n.find(list[i].hash) < 0 {
			count++
			bytes += int(list[i].name.len)
		}
	}
	for range 4 {
		if count <= len(n.unused) && n.bytes+bytes <= n.maxBytes {
			return
		}
		s.purge(k)
	}
}

// purge sheds the lightest quarter of the names of a kind from every pane. A name weighs what it has in the ring and
// eight times what it has in its best pane: what was heavy just now stays.
func (s *Sliding) purge(k kind) {
	n := &s.names[k]
	sum, best := make([]uint64, len(n.hash)), make([]uint64, len(n.hash))
	for _, p := range s.ring {
		p.lists[k].each(func(id int, c *cell) {
			sum[id], best[id] = plus(sum[id], c.estimate()), max(best[id], c.estimate())
		})
	}
	weights := make([]uint64, 0, n.used)
	for id := range sum {
		if n.refs[id] > 0 {
			for range 8 {
				sum[id] = plus(sum[id], best[id])
			}
			weights = append(weights, sum[id])
		}
	}
	if len(weights) == 0 {
		return
	}
	line := nthLargest(weights, max(1, 3*len(weights)/4))
	s.answer.lines[k].forget()
	for _, p := range s.ring {
		p.lists[k].told = false
		s.unpack(p, k)
		for i := range s.merging {
			n.mark[s.merging[i].id] = 0
		}
		stay := slices.IndexFunc(s.merging, func(m merged) bool { return sum[m.id] <= line })
		if stay < 0 {
			continue
		}
		slices.SortStableFunc(s.merging, func(a, b merged) int { return cmp.Compare(isLight(sum[a.id], line), isLight(sum[b.id], line)) })
		for stay < len(s.merging) && sum[s.merging[stay].id] > line {
			stay++
		}
		s.shed(p, k, p.parts, stay)
		s.pack(p, k, p.parts)
	}
}

func isLight(weight, line uint64) int {
	if weight <= line {
		return 1
	}
	return 0
}
