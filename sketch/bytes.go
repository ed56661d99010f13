package sketch

// Sizes in memory, in bytes, of what slices here are made of; a test holds them against the compiler's.
const (
	rowSize    = 64
	sumsSize   = 56
	pieceSize  = 8
	votesSize  = 56
	knownSize  = 32
	keptSize   = 256
	mergedSize = 160
	crowdSize  = 272
	loadSize   = 64
	stringSize = 16
)

// Bytes is the most memory that the window takes, in bytes: fixed from the start, but for vshards and shards beyond those
// announced. The strings of names count with the most they can have, and panes that are not made yet count too. What
// Window answers with, and the Part that goes through, come on top: some 90 bytes for each pane of
// each listed name.
func (s *Sliding) Bytes() int {
	n := s.words.size() + keptSize*cap(s.backlog.events) + cap(s.backlog.bytes) + mergedSize*cap(s.merging) + loadSize*cap(s.spare)
	for i := range s.open {
		n += s.open[i].summary.Bytes()
	}
	for _, p := range s.ring {
		n += p.size()
	}
	for _, p := range s.idle {
		n += p.size()
	}
	for k := range s.names {
		n += s.names[k].size() + cap(s.unions[k].back) + cap(s.unions[k].whole)
	}
	return n + s.unmade*s.cfg.paneSize()
}

// Bytes is the memory of the Summary in bytes.
func (s *Summary) Bytes() int {
	n := cap(s.contexts.bytes.spare) + 8*cap(s.bound) + sumsSize*cap(s.base) + s.contexts.size() +
		votesSize*(cap(s.keyTenants)+cap(s.keyCallers)+cap(s.tenantCallers)+cap(s.pairCallers)) +
		sumsSize*cap(s.loads.sums) + 8*cap(s.loads.touched) + 8*cap(s.shardKeys.cost) +
		4*cap(s.tenantKeys.at) + 4*cap(s.tenantKeys.slot) + 8*cap(s.tenantKeys.hash) +
		(len(s.tenantKeys.hlls)+len(s.shardKeys.hlls))*(1<<eachBits+3*8)
	for k := range kinds {
		n += cap(s.whole[k])
	}
	for _, t := range s.tables() {
		n += t.size()
	}
	return n + 8*cap(s.ship.scores) + 4*(cap(s.ship.words[0])+cap(s.ship.words[1])+cap(s.ship.heavy))
}

func (t *candidates) size() int {
	return 8*(cap(t.tags)+cap(t.least)+cap(t.over)) + rowSize*cap(t.rows) + pieceSize*cap(t.names) + 4*cap(t.places) +
		t.bytes.size() + 4*cap(t.unlisted.cells)
}

func (c *contexts) size() int {
	return knownSize*cap(c.known) + pieceSize*cap(c.names) + c.bytes.size() + 8*cap(c.held)
}

// size leaves out what slabs share.
func (s *slab) size() int { return cap(s.buf) }

func (p *pane) size() int {
	n := loadSize * cap(p.loads)
	for k := range p.lists {
		n += cap(p.lists[k].records) + 4*cap(p.lists[k].bounds.cells) + cap(p.whole[k])
	}
	return n + crowdSize*(cap(p.each[0])+cap(p.each[1]))
}

// paneSize is the size of a pane before it is made.
func (c *Config) paneSize() int {
	n := loadSize*c.VShards + 2*crowdSize*c.Spread
	for k := range kinds {
		if c.lists(k) {
			n += recordBytes*c.listed(k) + maxRecord + 4*depth*c.fold(k)
		}
		if c.counts(k) {
			n += 1 << wholeBits
		}
	}
	return n
}

func (n *names) size() int {
	return 4*(cap(n.index)+cap(n.place)+cap(n.refs)+cap(n.mark)+cap(n.unused)) + 8*(cap(n.hash)+cap(n.long)+cap(n.recent)) +
		stringSize*cap(n.name) + n.maxBytes
}
