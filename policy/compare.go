package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"firebreak/routing"
)

// Comparison is two documents of a fleet on the same loads: those of the long window of a snapshot. Loads are told in
// shares of what a shard may bear, its target, in the dimension that is fuller.
type Comparison struct {
	Was, Is float64      // fullness of the hottest shard that serves, under each
	Before  []float64    // fullness of every shard by id, under the old one; 0 where it is not known what it may bear
	After   []float64    // under the new one
	Target  []float64    // load/s that every shard may bear, of what bears all its load; 0 = not known, or reads and writes are borne apart
	Hottest string       // its name under the new one
	Moved   float64      // share of the fleet's load that lies on other shards than before
	Over    []Overloaded // shards that gain and are over their target, fullest first
	Noise   float64      // standard deviation of Is by arrivals and sampling
}

// Overloaded is a shard that would get too much.
type Overloaded struct {
	Shard        string
	Load, Target float64 // load/s
}

// Compare lays the loads of now by two documents of the table in force, without the reads that caches of the new one
// answer. What caches and quotas do is none of a table's: it is the same under both.
func Compare(s *Snapshot, cfg *Config, was, is *routing.Document) (Comparison, error) {
	var c Comparison
	if s.Table == nil || len(s.Panes) == 0 {
		return c, fmt.Errorf("there are no loads of now")
	}
	s = s.afterCaches(is)
	before, err := s.Table.With(was)
	if err != nil {
		return c, err
	}
	after, err := s.Table.With(is)
	if err != nil {
		return c, err
	}
	c.Before, c.After, c.Target = make([]float64, after.Shards()), make([]float64, after.Shards()), make([]float64, after.Shards())
	for _, dim := range cfg.dimensions(is) {
		c.dimension(s, cfg, dim, before, after)
	}
	slices.SortFunc(c.Over, func(a, b Overloaded) int {
		return cmp.Or(cmp.Compare(b.Load/b.Target, a.Load/a.Target), cmp.Compare(a.Shard, b.Shard))
	})
	return c, nil
}

func (c *Comparison) dimension(s *Snapshot, cfg *Config, dim Dimension, before, after *routing.Table) {
	o, n := viewUnder(s, cfg, dim, before), viewUnder(s, cfg, dim, after)
	old, now := o.long(), n.long()
	all := now.all()
	if old.seconds <= 0 || all <= 0 {
		return
	}
	var gained float64
	for i, shard := range after.Document().Shards {
		id := routing.ShardID(i)
		had := 0.0
		if i < len(old.shards) {
			had = old.shards[i].load
			if lim, ok := o.limitOf(id, old); ok && lim.target > 0 {
				c.Before[i] = max(c.Before[i], had/old.seconds/lim.target)
				if before.Document().Shards[i].Role == routing.Serving {
					c.Was = max(c.Was, c.Before[i])
				}
			}
		}
		has := now.shards[i]
		gained += max(0, has.load-had)
		lim, ok := n.limitOf(id, now)
		if !ok || lim.target <= 0 {
			continue
		}
		if dim == DimensionTotal {
			c.Target[i] = lim.target
		}
		load := has.load / now.seconds
		c.After[i] = max(c.After[i], load/lim.target)
		if shard.Role == routing.Serving && load/lim.target > c.Is {
			c.Is, c.Hottest, c.Noise = load/lim.target, shard.Name, math.Sqrt(has.variance)/now.seconds/lim.target
		}
		if has.load > had*(1+1e-9) && load > lim.target && shard.Role == routing.Serving {
			c.Over = append(c.Over, Overloaded{shard.Name, load, lim.target})
		}
	}
	c.Moved = max(c.Moved, min(1, gained/all)) // an estimate may be above what was counted
}

func viewUnder(s *Snapshot, cfg *Config, dim Dimension, t *routing.Table) *view {
	under := *s
	under.Table = t
	return newView(&under, cfg, dim, shardSums(s, t))
}

// CutMoves parts the moves of a split so that none moves more than a share of the fleet's load, in the long window or
// in the fast one, in few parts: the heaviest first, each to the first part that has room (first-fit decreasing: at most 11/9 of the fewest parts and one more, Johnson 1973). A virtual shard that alone is
// more is a part of its own. Parts have their moves in the order in which they were given.
func CutMoves(s *Snapshot, cfg *Config, moves []routing.Move, most float64) [][]routing.Move {
	shares := vshardShares(s, cfg)
	order := make([]int, len(moves))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[moves[b].VShard], shares[moves[a].VShard]) })
	var parts [][]int
	var sums []float64
	for _, i := range order {
		weight := shares[moves[i].VShard]
		at := slices.IndexFunc(sums, func(sum float64) bool { return sum+weight <= most })
		if at < 0 {
			at, parts, sums = len(parts), append(parts, nil), append(sums, 0)
		}
		parts[at], sums[at] = append(parts[at], i), sums[at]+weight
	}
	out := make([][]routing.Move, len(parts))
	for at, part := range parts {
		slices.Sort(part)
		for _, i := range part {
			out[at] = append(out[at], moves[i])
		}
	}
	return out
}

// vshardShares are the shares of the fleet's load that virtual shards have, in the long window or in the fast one, whichever is more.
func vshardShares(s *Snapshot, cfg *Config) map[routing.VShard]float64 {
	most := map[routing.VShard]float64{}
	for _, panes := range [...]int{cfg.LongPanes, cfg.FastPanes} {
		load, all := vshardLoads(s.Newest(panes))
		for v := range load {
			most[v] = max(most[v], ratio(load[v], all))
		}
	}
	return most
}

// vshardLoads are the loads of virtual shards over all panes, and their sum.
func vshardLoads(s *Snapshot) (load map[routing.VShard]float64, all float64) {
	load = map[routing.VShard]float64{}
	for i := range s.Panes {
		for _, v := range s.Panes[i].VShards {
			load[v.VShard] += v.Load
			all += v.Load
		}
	}
	return load, all
}
