package sketch

import (
	"cmp"
	"slices"
)

// pane is the sum of the Parts accepted for one pane.
type pane struct {
	number  int64
	parts   int
	version uint64
	loads   []VShardSums // ascending
	lists   [kinds]paneList
	whole   [kinds]registers
	each    [2][]paneCrowd
}

// paneList is what a pane lists of one kind.
type paneList struct {
	records []byte // see cells.go
	count   int
	bounds  bounds // of what it does not list
	told    bool   // the lines of the answer have it
}

// paneCrowd is the distinct keys of a tenant (a word) or of a shard in one pane.
type paneCrowd struct {
	who       int32
	cost      uint64
	registers [1 << eachBits]byte
}

const (
	recordBytes = 20 // room a listed name has in a pane, on average; most need 8 to 14
)

func newPane(cfg *Config) *pane {
	p := &pane{loads: make([]VShardSums, 0, cfg.VShards)}
	for k := range kinds {
		if cfg.lists(k) {
			p.lists[k] = paneList{records: make([]byte, 0, recordBytes*cfg.listed(k)+maxRecord), bounds: newBounds(cfg.fold(k))}
		}
		if cfg.counts(k) {
			p.whole[k] = make(registers, 1<<wholeBits)
		}
	}
	for i := range p.each {
		p.each[i] = make([]paneCrowd, 0, cfg.Spread)
	}
	return p
}

// most is how many names of a kind a pane lists at most.
func (c *Config) most(k kind) int { return c.listed(k) + c.listed(k)/2 }

// lists tells whether names of a kind are counted at all.
func (c *Config) lists(k kind) bool {
	switch k {
	case tenantKind:
		return c.TenantSlots > 0
	case pairKind:
		return c.TenantSlots > 0 && c.PairSlots > 0
	case keyKind, kinds:
	}
	return true
}

// counts tells whether distinct names of a kind are counted; callers stand in the place of pairs.
func (c *Config) counts(k kind) bool {
	switch k {
	case tenantKind:
		return c.TenantSlots > 0
	case callerKind:
		return c.CallerSlots > 0
	case keyKind, kinds:
	}
	return true
}

// reset empties a pane, whose names were dropped before.
func (p *pane) reset(number int64) {
	p.number, p.parts, p.version = number, 0, 0
	p.loads = p.loads[:0]
	for k := range p.lists {
		l := &p.lists[k]
		l.records, l.count = l.records[:0], 0
		l.bounds.reset()
		clear(p.whole[k])
	}
	p.each[0], p.each[1] = p.each[0][:0], p.each[1][:0]
}

// gap is the most that a listed name can have in parts of the pane that do not list it.
func (p *pane) gap(k kind, h uint64, c *cell) uint64 {
	if p.parts <= 1 {
		return 0
	}
	return p.lists[k].bounds.unlisted(h, c.seen, c.seenCells)
}

// high is the most that a listed name can have in the pane.
func (p *pane) high(k kind, h uint64, c *cell) uint64 {
	return plus(plus(c.sums.Cost, c.over), p.gap(k, h, c))
}

// each record of a list, with its number.
func (l *paneList) each(do func(id int, c *cell)) {
	var c cell
	for i := 0; i < len(l.records); {
		id, from, to := readNumber(l.records, i)
		readCell(l.records, from, &c)
		do(id, &c)
		i = to
	}
}

// crowd adds the distinct keys of a tenant or shard; of too many the lightest goes. It gives who went, None if nobody.
func (p *pane) crowd(of int, who int32, cost uint64, registers []byte) int32 {
	all := p.each[of]
	i := slices.IndexFunc(all, func(c paneCrowd) bool { return c.who == who })
	gone := int32(None)
	if i < 0 {
		switch {
		case cap(all) == 0:
			return who
		case len(all) < cap(all):
			i = len(all)
			all = append(all, paneCrowd{})
		default:
			i = 0
			for j := range all {
				if cmp.Or(cmp.Compare(all[j].cost, all[i].cost), cmp.Compare(all[i].who, all[j].who)) < 0 {
					i = j
				}
			}
			if all[i].cost >= cost {
				return who
			}
			gone = all[i].who
		}
		all[i] = paneCrowd{who: who}
	}
	all[i].cost = plus(all[i].cost, cost)
	mergeRegisters(all[i].registers[:], registers)
	p.each[of] = all
	return gone
}
