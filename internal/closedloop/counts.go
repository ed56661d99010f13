package closedloop

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

const (
	// Pane is the length of a pane.
	Pane      = 10 * time.Second
	longPanes = 30
	kept      = 4096 // panes in memory before the oldest are let go
)

// counts is the log as it was counted, pane by pane. What snapshots show of it is never changed: it is appended to, or copied.
type counts struct {
	r        *rand.Rand
	panes    []policy.Pane
	streams  [][]policy.Sums // of the named ones, by pane
	pairs    [][][]policy.Sums
	located  []float64
	disagree []float64
}

func newCounts(r *rand.Rand, f *Fleet) *counts {
	c := &counts{r: r, streams: make([][]policy.Sums, len(f.Streams))}
	if f.ByTenant() {
		c.pairs = make([][][]policy.Sums, len(f.Streams))
		for i := range c.pairs {
			c.pairs[i] = make([][]policy.Sums, f.Table.Shards())
		}
	}
	return c
}

// draw is what is counted of a load in a pane, sampled.
func (c *counts) draw(load, reads, rate float64) policy.Sums {
	n := c.poisson(load * Pane.Seconds() * rate)
	w := 1 / rate
	s := policy.Sums{Load: n * w, Variance: n * (w + w*w*(1-rate)), Records: n}
	s.Reads = math.Round(n*reads+math.Sqrt(n*reads*(1-reads))*c.r.NormFloat64()) * w
	s.Reads = min(max(0, s.Reads), s.Load)
	s.Writes = s.Load - s.Reads
	return s
}

// poisson draws a count: exactly below a mean of 30, by the normal distribution of its square root above (Anscombe 1948).
func (c *counts) poisson(mean float64) float64 {
	if mean > 30 {
		root := math.Sqrt(mean+0.25) + c.r.NormFloat64()/2
		return math.Round(max(0, root*root-0.25))
	}
	n, p := 0.0, c.r.Float64()
	for limit := math.Exp(-mean); p > limit; n++ {
		p *= c.r.Float64()
	}
	return n
}

func plus(a *policy.Sums, b policy.Sums) {
	a.Load, a.Variance, a.Records, a.Reads, a.Writes = a.Load+b.Load, a.Variance+b.Variance, a.Records+b.Records, a.Reads+b.Reads, a.Writes+b.Writes
}

// add counts a pane: loads are what is logged of each stream, requests/s; home is the map in force.
func (c *counts) add(f *Fleet, at time.Time, loads []float64, home *routing.Table, disagree float64) {
	row := make([]policy.Sums, f.Table.VShards())
	located := 0.0
	for i := range f.Streams {
		s := &f.Streams[i]
		sums := c.draw(loads[i], s.Reads, f.Rate)
		plus(&row[s.VShard], sums)
		located += sums.Load
		if s.Name == "" {
			continue
		}
		c.streams[i] = append(c.streams[i], sums)
		if c.pairs != nil {
			for id := range c.pairs[i] {
				x := policy.Sums{}
				if home.Owner(s.VShard) == routing.ShardID(id) {
					x = sums
				}
				c.pairs[i][id] = append(c.pairs[i][id], x)
			}
		}
	}
	p := policy.Pane{Start: at, VShards: make([]policy.VShardSums, 0, len(row))}
	for v := range row {
		if row[v].Records > 0 {
			p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: row[v]})
		}
	}
	c.panes = append(c.panes, p)
	c.located, c.disagree = append(c.located, located), append(c.disagree, located*disagree)
	c.letGo()
}

func (c *counts) letGo() {
	if len(c.panes) < kept {
		return
	}
	from := len(c.panes) - 256
	c.panes = slices.Clone(c.panes[from:])
	c.located, c.disagree = slices.Clone(c.located[from:]), slices.Clone(c.disagree[from:])
	for i := range c.streams {
		if c.streams[i] != nil {
			c.streams[i] = slices.Clone(c.streams[i][from:])
		}
	}
	for i := range c.pairs {
		for id := range c.pairs[i] {
			if c.pairs[i][id] != nil {
				c.pairs[i][id] = slices.Clone(c.pairs[i][id][from:])
			}
		}
	}
}

// snapshot is what policy sees while the newest panes are not there yet; nil = nothing is.
func (c *counts) snapshot(f *Fleet, table *routing.Table, delay int, lag time.Duration) *policy.Snapshot {
	to := len(c.panes) - delay
	if to <= 0 {
		return nil
	}
	from := max(0, to-longPanes)
	s := &policy.Snapshot{
		Fleet: "fleet", Table: table, LogPoint: policy.LogPointClient, Pane: Pane, Panes: c.panes[from:to:to],
		Inputs: policy.Inputs{Coverage: 1, Lag: lag, Sampling: policy.SamplingIndependent, Ops: true, Keys: true, Shards: true, Tenants: f.ByTenant()},
	}
	var located, disagree float64
	for i := from; i < to; i++ {
		located, disagree = located+c.located[i], disagree+c.disagree[i]
	}
	s.Inputs.Disagree = disagree / max(1, located)
	for i := range f.Streams {
		at := &f.Streams[i]
		switch {
		case at.Name == "":
		case f.ByTenant():
			s.Tenants = append(s.Tenants, policy.Contributor{Tenant: at.Name, VShard: routing.NoVShard, Panes: c.streams[i][from:to:to]})
			for id := range c.pairs[i] {
				if p := c.pairs[i][id][from:to:to]; slices.ContainsFunc(p, func(s policy.Sums) bool { return s.Records > 0 }) {
					s.Pairs = append(s.Pairs, policy.Pair{Tenant: at.Name, Shard: routing.ShardID(id), Panes: p})
				}
			}
		default:
			s.Keys = append(s.Keys, policy.Contributor{Key: at.Name, VShard: at.VShard, Panes: c.streams[i][from:to:to]})
		}
	}
	if f.Kind == KindReadKey || f.Kind == KindWhale {
		s.LogPoint = policy.LogPointShard
	}
	if f.ByTenant() && f.Planted >= 0 {
		s.Inputs.Histories = []policy.TenantHistory{{Tenant: f.Streams[f.Planted].Name, Peak: f.Streams[f.Planted].Before}}
	}
	return s
}
