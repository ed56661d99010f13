package policy

import (
	"slices"
	"time"

	"firebreak/routing"
)

// view is a snapshot seen in one dimension under the table in force: loads per
// pane and shard, with the design effect in every variance.
type view struct {
	s       *Snapshot
	cfg     *Config
	dim     Dimension
	serving []routing.ShardID
	effect  float64    // design effect, at least 1
	panes   [][]amount // [pane][shard]
}

// span is the newest part of a view, summed.
type span struct {
	panes   int
	seconds float64
	shards  []amount
	total   amount // over serving shards
}

func newView(s *Snapshot, cfg *Config, dim Dimension, sums [][]Sums) *view {
	v := &view{s: s, cfg: cfg, dim: dim, effect: 1}
	for i, shard := range s.Table.Document().Shards {
		if shard.Role == routing.Serving {
			v.serving = append(v.serving, routing.ShardID(i))
		}
	}
	v.panes = make([][]amount, len(sums))
	for i, row := range sums {
		v.panes[i] = make([]amount, len(row))
		for j := range row {
			v.panes[i][j] = row[j].in(dim)
		}
	}
	v.effect = v.designEffect()
	for _, row := range v.panes {
		for j := range row {
			row[j].variance *= v.effect
		}
	}
	return v
}

// newest sums the newest n panes.
func (v *view) newest(n int) span { return v.between(len(v.panes)-n, len(v.panes)) }

// between sums the panes [from, to).
func (v *view) between(from, to int) span {
	from = max(from, 0)
	w := span{panes: to - from, seconds: float64(to-from) * v.s.Pane.Seconds()}
	w.shards = make([]amount, v.s.Table.Shards())
	for _, row := range v.panes[from:to] {
		for j := range row {
			w.shards[j] = w.shards[j].plus(row[j])
		}
	}
	for _, id := range v.serving {
		w.total = w.total.plus(w.shards[id])
	}
	return w
}

// fast and long are the two windows of the design.
func (v *view) fast() span { return v.newest(v.windowPanes(v.cfg.FastPanes)) }
func (v *view) long() span { return v.newest(v.windowPanes(v.cfg.LongPanes)) }

// windowPanes clips a window to what is there; a whole file is one window.
func (v *view) windowPanes(n int) int {
	if v.s.Whole {
		return len(v.panes)
	}
	return min(n, len(v.panes))
}

// mean is the load of an average serving shard, per second.
func (v *view) mean(w span) float64 {
	if len(v.serving) == 0 || w.seconds <= 0 {
		return 0
	}
	return w.total.load / w.seconds / float64(len(v.serving))
}

// of sums the newest n panes of a contributor or pair.
func (v *view) of(panes []Sums, n int) amount {
	var sum Sums
	for _, p := range panes[max(0, len(panes)-n):] {
		sum = sum.plus(p)
	}
	a := sum.in(v.dim)
	a.variance *= v.effect
	return a
}

// end is when the newest pane ends.
func (s *Snapshot) end() time.Time {
	if len(s.Panes) == 0 {
		return time.Time{}
	}
	return s.Panes[len(s.Panes)-1].Start.Add(s.Pane)
}

// designEffect measures how much more the shards' shares move from pane to
// pane than independent arrivals would: clumps, retries, batches. Over all
// shards but the hottest, for each pair of neighbouring panes, the sum of
// (change of share)^2 / its variance, divided by the shards summed; the mean
// over pairs without the largest tenth; at least 1. Shares, so that a swing of
// the whole fleet does not count, and without the hottest, so that an onset
// does not. (Survey sampling's deff, Kish 1965, measured from replicates.)
func (v *view) designEffect() float64 {
	others := v.allButHottest()
	if len(others) < 2 {
		return 1
	}
	var ratios []float64
	for i := 1; i < len(v.panes); i++ {
		if r, ok := shareChange(v.panes[i-1], v.panes[i], others); ok {
			ratios = append(ratios, r)
		}
	}
	if len(ratios) == 0 {
		return 1
	}
	slices.Sort(ratios)
	kept := ratios[:len(ratios)-len(ratios)/10]
	var sum float64
	for _, r := range kept {
		sum += r
	}
	return max(1, sum/float64(len(kept)))
}

// allButHottest lists the serving shards without the one with the most load.
func (v *view) allButHottest() []routing.ShardID {
	if len(v.serving) == 0 {
		return nil
	}
	all := v.between(0, len(v.panes))
	hottest := slices.MaxFunc(v.serving, func(a, b routing.ShardID) int {
		return compare(all.shards[a].load, all.shards[b].load, a, b)
	})
	return slices.DeleteFunc(slices.Clone(v.serving), func(id routing.ShardID) bool { return id == hottest })
}

// shareChange is chi-squared of the change of shares between two panes over
// its degrees of freedom; 1 where arrivals are independent.
func shareChange(a, b []amount, shards []routing.ShardID) (float64, bool) {
	var sumA, sumB amount
	for _, id := range shards {
		sumA, sumB = sumA.plus(a[id]), sumB.plus(b[id])
	}
	if sumA.load <= 0 || sumB.load <= 0 {
		return 0, false
	}
	var chi, seen float64
	for _, id := range shards {
		// The variance of both shares under one common share, pooled over
		// the two panes: a share that is seen in one pane only still has one.
		pool := a[id].plus(b[id])
		if pool.load <= 0 {
			continue
		}
		scale := pool.variance / pool.load // weight of one sample of this shard
		p := pool.load / (sumA.load + sumB.load)
		change := b[id].load/sumB.load - a[id].load/sumA.load
		chi += change * change / (p * scale * (1/sumA.load + 1/sumB.load))
		seen++
	}
	if seen < 2 {
		return 0, false
	}
	return chi / (seen - 1), true
}

// compare orders by load and then by id, so that order is total.
func compare(a, b float64, idA, idB routing.ShardID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case idA > idB:
		return -1
	case idA < idB:
		return 1
	}
	return 0
}
