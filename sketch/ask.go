package sketch

import (
	"cmp"
	"slices"
)

// Ask gives what a key has in the complete panes of the window, in 1/256 cost units: low <= truth <= high. The estimate
// is what panes list of it; of a key that none lists, what the panes' Count-Mins say less what other names leave there.
func (s *Sliding) Ask(key []byte) (estimate, low, high uint64) { return s.ask(keyKind, key) }

// AskTenant is Ask for a tenant.
func (s *Sliding) AskTenant(tenant []byte) (estimate, low, high uint64) {
	return s.ask(tenantKind, tenant)
}

func (s *Sliding) ask(k kind, name []byte) (estimate, low, high uint64) {
	if !s.cfg.lists(k) || len(name) == 0 {
		return 0, 0, 0
	}
	s.closeUpTo(s.span.newest)
	h := hashed(name, s.cfg.Seed)
	if k == tenantKind {
		h = s.hasher.name(name)
	}
	id := s.names[k].find(h)
	guess, listed := int64(0), false
	for _, p := range s.complete() {
		if c, ok := p.lists[k].find(id); ok {
			estimate, low, high = plus(estimate, c.estimate()), plus(low, c.sums.Cost), plus(high, p.high(k, h, &c))
			listed = true
			continue
		}
		high = plus(high, p.lists[k].bounds.unlisted(h, 0, 0))
		guess += p.lists[k].bounds.guess(h)
	}
	if !listed {
		estimate = min(uint64(max(guess, 0)), high)
	}
	return estimate, low, high
}

// find reads the cell of a name; -1 = one that has no number.
func (l *paneList) find(id int) (c cell, ok bool) {
	if id < 0 {
		return c, false
	}
	for i := 0; i < len(l.records); {
		at, from, to := readNumber(l.records, i)
		if at == id {
			readCell(l.records, from, &c)
			return c, true
		}
		i = to
	}
	return c, false
}

// Spread is how many distinct keys a heavy tenant or shard has in the complete panes.
type Spread struct {
	Tenant string
	Shard  int32 // None for a tenant
	Keys   uint64
}

// Spreads estimates the distinct keys of the tenants, and of the shards, that were heaviest: at most twice Config.Spread
// of each, heaviest first. A key counts once for each tenant that sends it. It is slow; ask when somebody looks.
func (s *Sliding) Spreads() (tenants, shards []Spread) {
	s.closeUpTo(s.span.newest)
	return s.spreads(0), s.spreads(1)
}

func (s *Sliding) spreads(of int) []Spread {
	all := map[int32]*paneCrowd{}
	for _, p := range s.complete() {
		for i := range p.each[of] {
			c := &p.each[of][i]
			sum := all[c.who]
			if sum == nil {
				sum = &paneCrowd{who: c.who}
				all[c.who] = sum
			}
			sum.cost = plus(sum.cost, c.cost)
			mergeRegisters(sum.registers[:], c.registers[:])
		}
	}
	sums := make([]*paneCrowd, 0, len(all))
	for _, c := range all {
		sums = append(sums, c)
	}
	slices.SortFunc(sums, func(a, b *paneCrowd) int { return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.who, b.who)) })
	out := make([]Spread, 0, min(len(sums), 2*s.cfg.Spread))
	for _, c := range sums[:cap(out)] {
		sp := Spread{Shard: None, Keys: registers(c.registers[:]).estimate()}
		if of == 0 {
			sp.Tenant = s.words.name[c.who]
		} else {
			sp.Shard = c.who
		}
		out = append(out, sp)
	}
	return out
}
