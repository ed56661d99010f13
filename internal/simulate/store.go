package simulate

import "firebreak/routing"

// counted is a counter as the shards keep it: the bare key, and pieces that clients were told of. The zero value was never written.
type counted struct {
	acknowledged uint64 // writes, of those that are logged
	bare         uint64
	pieces       map[uint32]uint64
	folded       map[uint32]bool // pieces that have a tombstone, whose value the bare key has
}

// add takes a write to a piece; index 0 is the bare key. A piece that has a tombstone refuses it, and the client writes to the bare key.
func (c *counted) add(index int, suffix uint32) {
	c.acknowledged++
	if index == 0 || c.folded[suffix] {
		c.bare++
		return
	}
	if c.pieces == nil {
		c.pieces, c.folded = map[uint32]uint64{}, map[uint32]bool{}
	}
	c.pieces[suffix]++
}

// Fold adds the pieces of a key that are among the salt's tombstones to the bare key, each once, and gives them a tombstone.
func (w *World) Fold(s *routing.Salt) {
	c := w.key(s.Tenant, s.Key)
	if c.folded == nil {
		c.pieces, c.folded = map[uint32]uint64{}, map[uint32]bool{}
	}
	for _, suffix := range s.Tombstones {
		if !c.folded[suffix] {
			c.bare += c.pieces[suffix]
			c.folded[suffix] = true
		}
	}
}

// Sum is what a whole read of a planted key by a table gives, and how many of its writes, of those that are logged, were acknowledged.
func (w *World) Sum(tenant, key string, table *routing.Table) (sum, acknowledged uint64) {
	c := w.key(tenant, key)
	sum = c.bare
	if salt, salted := table.Salt([]byte(tenant), []byte(key)); salted {
		for _, suffix := range salt.Suffixes[1:salt.Read] {
			if !c.folded[suffix] {
				sum += c.pieces[suffix]
			}
		}
	}
	return sum, c.acknowledged
}

func (w *World) key(tenant, key string) *counted {
	c := w.values[tenant+"\x00"+key]
	if c == nil {
		c = &counted{}
		w.values[tenant+"\x00"+key] = c
	}
	return c
}
