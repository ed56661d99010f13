package history

import (
	"firebreak/policy"
	"firebreak/routing"
)

// shardsOf measures every shard over the panes [from, to) of a tick, by id. All of it comes from policy.Gauges, so that
// salts and tenants with places of their own lie where policy sees them.
func shardsOf(t *Tick, from, to int) []Shard {
	s, cfg := t.Snapshot, t.Config
	doc := s.Table.Document()
	out := make([]Shard, len(doc.Shards))
	for i, g := range policy.Gauges(s, cfg, from, to) {
		out[i] = shard(doc.Shards[i], &cfg.Capacity)
		if g.Full > 0 {
			out[i].Full, out[i].Line = rounded(g.Full), rounded(g.Load/g.Full)
			if out[i].known() {
				out[i].Critical = rounded(g.Load / g.Full * cfg.Lines.Critical / cfg.Lines.Warning)
			}
		}
	}
	plain, err := withoutCapacity(s)
	if err != nil {
		return out
	}
	parts := [...]struct {
		of   func(*policy.Sums) policy.Sums
		into func(*Shard) *float64
	}{
		{func(x *policy.Sums) policy.Sums { return *x }, func(sh *Shard) *float64 { return &sh.Load }},
		{func(x *policy.Sums) policy.Sums { return policy.Sums{Load: x.Reads, Reads: x.Reads} }, func(sh *Shard) *float64 { return &sh.Reads }},
		{func(x *policy.Sums) policy.Sums { return policy.Sums{Load: x.Writes, Writes: x.Writes} }, func(sh *Shard) *float64 { return &sh.Writes }},
		{throttled, func(sh *Shard) *float64 { return &sh.Throttled }},
	}
	bare := *cfg
	bare.Capacity = policy.Capacity{}
	for _, p := range parts {
		for i, g := range policy.Gauges(partOf(plain, from, to, p.of), &bare, 0, to-from) {
			*p.into(&out[i]) = rounded(g.Load)
		}
	}
	return out
}

// shard is one shard without its load.
func shard(s routing.Shard, fleet *policy.Capacity) Shard {
	out := Shard{Name: s.Name, Role: s.Role, Capacity: s.Capacity, ReadCapacity: s.ReadCapacity, WriteCapacity: s.WriteCapacity}
	if s.Role == routing.Dedicated {
		return out // it does not inherit the fleet's
	}
	inherit := func(own *float64, all float64) {
		if *own == 0 {
			*own = all
		}
	}
	inherit(&out.Capacity, fleet.Total)
	inherit(&out.ReadCapacity, fleet.Reads)
	inherit(&out.WriteCapacity, fleet.Writes)
	return out
}

// known says whether a capacity is.
func (s *Shard) known() bool { return s.Capacity > 0 || s.ReadCapacity > 0 || s.WriteCapacity > 0 }

// throttled is the part of sums that was refused, with reads and writes as in all of them.
func throttled(x *policy.Sums) policy.Sums {
	if x.Load <= 0 {
		return policy.Sums{}
	}
	part := x.Throttled / x.Load
	return policy.Sums{Load: x.Throttled, Reads: x.Reads * part, Writes: x.Writes * part}
}

// withoutCapacity is a snapshot of the same fleet none of whose shards has a capacity: then gauges are of all load, in one
// dimension.
func withoutCapacity(s *policy.Snapshot) (*policy.Snapshot, error) {
	doc := s.Table.Document().Clone()
	for i := range doc.Shards {
		doc.Shards[i].Capacity, doc.Shards[i].ReadCapacity, doc.Shards[i].WriteCapacity = 0, 0, 0
	}
	table, err := s.Table.With(doc)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Table = table
	return &out, nil
}

// partOf is the panes [from, to) of a snapshot with a part of all its sums.
func partOf(s *policy.Snapshot, from, to int, of func(*policy.Sums) policy.Sums) *policy.Snapshot {
	out := *s
	out.Panes = make([]policy.Pane, 0, to-from)
	for _, p := range s.Panes[from:to] {
		vshards := make([]policy.VShardSums, len(p.VShards))
		for i := range p.VShards {
			vshards[i] = policy.VShardSums{VShard: p.VShards[i].VShard, Sums: of(&p.VShards[i].Sums)}
		}
		out.Panes = append(out.Panes, policy.Pane{Start: p.Start, VShards: vshards})
	}
	sums := func(panes []policy.Sums) []policy.Sums {
		in := cutPanes(panes, len(s.Panes), from, to)
		part := make([]policy.Sums, len(in))
		for i := range in {
			part[i] = of(&in[i])
		}
		return part
	}
	out.Tenants, out.Keys, out.Pairs = nil, nil, nil
	if doc := s.Table.Document(); len(doc.Salts)+len(doc.Tenants) == 0 {
		return &out
	}
	for _, c := range s.Keys {
		c.Panes = sums(c.Panes)
		out.Keys = append(out.Keys, c)
	}
	for _, p := range s.Pairs {
		p.Panes = sums(p.Panes)
		out.Pairs = append(out.Pairs, p)
	}
	return &out
}
