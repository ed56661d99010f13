package policy

import (
	"slices"

	"firebreak/routing"
)

// shardSums derives the load of every shard in every pane of s under table t:
// the one in force, the one before, or a candidate. What-if and reality are
// this one function. The result is [pane][shard].
//
// The map places the vshards; then the listed tenants that t places apart and
// the listed keys that t salts are taken from where the map puts them and laid
// where t does. At log point shard the log shows each piece where it was served:
// a salt that t has in common with the table in force is left as measured.
func shardSums(s *Snapshot, t *routing.Table) [][]Sums {
	out := make([][]Sums, len(s.Panes))
	cells := make([]Sums, len(s.Panes)*t.Shards())
	for i := range s.Panes {
		out[i] = cells[i*t.Shards() : (i+1)*t.Shards()]
		for _, v := range s.Panes[i].VShards {
			if owner := t.Owner(v.VShard); owner >= 0 && int(owner) < len(out[i]) {
				out[i][owner] = out[i][owner].plus(v.Sums)
			}
		}
	}
	layPlacements(s, t, out)
	laySalts(s, t, out)
	return out
}

// layPlacements moves each listed tenant with a placement of its own to its
// shards: over several of them its listed keys go where their bytes hash to,
// the rest evenly.
func layPlacements(s *Snapshot, t *routing.Table, out [][]Sums) {
	for _, p := range s.Pairs {
		shards, placed := t.PlacedTenant([]byte(p.Tenant))
		if !placed || len(shards) == 0 {
			continue
		}
		keys := keysOf(s, t, &p, len(shards))
		for i, rest := range p.Panes {
			pane := len(s.Panes) - len(p.Panes) + i
			take(out[pane], p.Shard, rest)
			for _, c := range keys {
				at := i - len(p.Panes) + len(c.Panes)
				if at < 0 {
					continue
				}
				own := c.Panes[at].scaled(c.TenantShare)
				rest = rest.less(own)
				put(out[pane], keyHome(t, c), own)
			}
			for _, shard := range shards {
				put(out[pane], shard, rest.scaled(1/float64(len(shards))))
			}
		}
	}
}

// keysOf lists the listed keys of a tenant whose virtual shards lie on the pair's
// shard; none where the tenant has one shard to lie on.
func keysOf(s *Snapshot, t *routing.Table, p *Pair, shards int) []*Contributor {
	if shards == 1 {
		return nil
	}
	var out []*Contributor
	for i := range s.Keys {
		if c := &s.Keys[i]; c.Tenant == p.Tenant && len(c.Pieces) == 0 && t.Owner(c.VShard) == p.Shard {
			out = append(out, c)
		}
	}
	return out
}

// laySalts spreads each listed key with a salt over its pieces.
func laySalts(s *Snapshot, t *routing.Table, out [][]Sums) {
	var pieces []routing.Piece
	for k := range s.Keys {
		c := &s.Keys[k]
		salt, salted := t.Salt([]byte(c.Tenant), []byte(c.Key))
		switch {
		case !salted && len(c.Pieces) == 0, salted && s.LogPoint == LogPointShard && sameSalt(salt, s.Table, c):
			continue
		case !salted: // the table in force salts it, t does not: all of it is of the bare key
			salt = &routing.Salt{Read: 1, Write: 1}
			pieces = append(pieces[:0], routing.Piece{Shard: keyHome(t, c)})
		default:
			pieces = t.Pieces([]byte(c.Tenant), []byte(c.Key), pieces[:0])
		}
		for i, sums := range c.Panes {
			pane := len(s.Panes) - len(c.Panes) + i
			takeKey(t, c, out[pane], sums)
			for _, p := range pieces {
				put(out[pane], p.Shard, pieceSums(sums, salt, p.Index))
			}
		}
	}
}

// sameSalt says whether the table in force salts the key just so: what its
// pieces carry was measured then.
func sameSalt(salt *routing.Salt, now *routing.Table, c *Contributor) bool {
	old, ok := now.Salt([]byte(c.Tenant), []byte(c.Key))
	return ok && slices.Equal(old.Suffixes, salt.Suffixes) && old.Read == salt.Read && old.Write == salt.Write
}

// takeKey removes what the map alone made of key c in one pane.
func takeKey(t *routing.Table, c *Contributor, row []Sums, sums Sums) {
	if len(c.Pieces) == 0 {
		take(row, keyHome(t, c), sums)
		return
	}
	var all float64
	for _, p := range c.Pieces {
		all += p.Load
	}
	for _, p := range c.Pieces {
		if all > 0 {
			take(row, t.Owner(p.VShard), sums.scaled(p.Load/all))
		}
	}
}

// pieceSums is what piece i of a salted key carries of sums: 1/s of the writes
// and, since readers ask every piece, all of the reads. What is neither counts
// as a read, the heavier of the two.
func pieceSums(sums Sums, salt *routing.Salt, i int) Sums {
	var writes, reads float64
	if i < salt.Write {
		writes = sums.Writes / float64(salt.Write)
	}
	if i < salt.Read {
		reads = sums.Load - sums.Writes
	}
	if sums.Load <= 0 || writes+reads <= 0 {
		return Sums{}
	}
	part := (writes + reads) / sums.Load
	out := sums.scaled(part)
	out.Load, out.Writes, out.Reads = writes+reads, writes, reads*sums.Reads/max(sums.Load-sums.Writes, sums.Reads, 1e-300)
	return out
}

// keyHome is the shard of key c without its salt: its bare piece's place.
func keyHome(t *routing.Table, c *Contributor) routing.ShardID {
	if shards, placed := t.PlacedTenant([]byte(c.Tenant)); placed && len(shards) > 0 {
		return t.Locate([]byte(c.Tenant), []byte(c.Key)).Shard
	}
	return t.Owner(c.VShard)
}

func put(row []Sums, shard routing.ShardID, sums Sums) {
	if shard >= 0 && int(shard) < len(row) {
		row[shard] = row[shard].plus(sums)
	}
}

func take(row []Sums, shard routing.ShardID, sums Sums) {
	if shard < 0 || int(shard) >= len(row) {
		return
	}
	row[shard] = row[shard].less(sums)
}
