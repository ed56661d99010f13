package policy

import (
	"math"

	"firebreak/routing"
)

// What is drawn of a snapshot: measured loads with their bounds, and no judgement beyond them. It is for dashboards;
// nothing here decides anything.

// Gauge is how loaded one shard was over a stretch of panes.
type Gauge struct {
	Load float64 // load/s, in the dimension that is fuller
	Full float64 // Load / line; 0 = idle, or a shard without a line
	Err  float64 // standard deviation of Full by arrivals and sampling
}

// Gauges reads every shard, by id, over the panes [from, to) of s under the table in force. A nil result is a snapshot
// without a table or a stretch without panes.
func Gauges(s *Snapshot, cfg *Config, from, to int) []Gauge {
	from, to = max(0, from), min(to, len(s.Panes))
	if s.Table == nil || from >= to {
		return nil
	}
	part := *s
	part.Panes, part.Keys, part.Pairs = s.Panes[from:to], nil, nil
	if doc := s.Table.Document(); len(doc.Salts)+len(doc.Tenants) > 0 {
		part.Keys, part.Pairs = cutPanes(s.Keys, keyPanes, len(s.Panes)-from, len(s.Panes)-to), cutPanes(s.Pairs, pairPanes, len(s.Panes)-from, len(s.Panes)-to)
	}
	sums := shardSums(&part, s.Table)
	out := make([]Gauge, s.Table.Shards())
	for _, dim := range cfg.dimensions(s.Table.Document()) {
		v := newView(&part, cfg, dim, sums)
		w := v.newest(len(v.panes))
		for i := range out {
			g, load := &out[i], w.shards[i].load/w.seconds
			lim, ok := v.limitOf(routing.ShardID(i), w)
			if !ok || lim.line <= 0 {
				g.Load = max(g.Load, load)
				continue
			}
			if full := load / lim.line; full > g.Full {
				g.Load, g.Full = load, full
				g.Err = math.Sqrt(w.shards[i].variance) / w.seconds / lim.line
			}
		}
	}
	return out
}

// Picture is what a verdict rests on, wider than what it names.
type Picture struct {
	Loads   []float64      // load/s of every shard by id, over the verdict's window: the fleet as it is
	Keys    []Contribution // the heaviest of the shard, heaviest first
	Tenants []Contribution
}

// Behind draws the picture behind a firing verdict. s is the snapshot that it was made of; n is the most keys and
// tenants to list. A verdict without times is of all panes.
func Behind(s *Snapshot, cfg *Config, verdict *Verdict, n int) Picture {
	if s.Table == nil || len(s.Panes) == 0 || int(verdict.ShardID) >= s.Table.Shards() {
		return Picture{}
	}
	s = s.canonical()
	v := newView(s, cfg, verdict.Dimension, shardSums(s, s.Table))
	panes := len(v.panes)
	if d := verdict.To.Sub(verdict.From); d > 0 && s.Pane > 0 {
		panes = min(panes, max(1, int(d/s.Pane)))
	}
	e := v.gather(verdict.ShardID, panes, verdict.Target)
	p := Picture{Loads: make([]float64, s.Table.Shards())}
	for i := range p.Loads {
		p.Loads[i] = e.w.shards[i].load / e.w.seconds
	}
	for i := range e.keys[:min(n, len(e.keys))] {
		p.Keys = append(p.Keys, contribution(e, &e.keys[i]))
	}
	for i := range e.tenants[:min(n, len(e.tenants))] {
		p.Tenants = append(p.Tenants, contribution(e, &e.tenants[i]))
	}
	return p
}

// ShareOf is a part's share of a whole window with its bounds (one-sided 95 %), from its panes alone. What is not the
// part is taken to vary as it does. total is the load of all.
func ShareOf(panes []Sums, total float64) Bounds {
	sum := newestSums(panes, len(panes))
	part := amount{sum.Load, sum.Variance}
	if part.load <= 0 || total <= 0 {
		return Bounds{High: 1}
	}
	rest := max(0, total-part.load)
	return shareBounds(part, amount{total, part.variance + rest*part.variance/part.load})
}
