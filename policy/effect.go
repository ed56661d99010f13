package policy

import (
	"slices"

	"firebreak/routing"
)

// designEffect measures how much more the shards' shares move from pane to
// pane than independent arrivals would: clumps, retries, batches. Over all
// shards but the hot ones, for each pair of neighbouring panes, the sum of
// (change of share)^2 / its variance, divided by the shards summed; the mean
// over pairs without the largest tenth; at least 1. Shares, so that a swing of
// the whole fleet does not count, and without the hottest, so that an onset
// does not. (Survey sampling's deff, Kish 1965, measured from replicates.)
func (v *view) designEffect() float64 {
	others := v.ordinary()
	rows := make([][]amount, len(v.panes))
	for i := range v.panes {
		rows[i] = make([]amount, len(others))
		for j, id := range others {
			rows[i][j] = v.panes[i][id]
		}
	}
	return effectOf(rows)
}

// effectOf is the design effect among the columns of rows [pane][column].
func effectOf(rows [][]amount) float64 {
	var ratios []float64
	for i := 1; i < len(rows); i++ {
		if r, ok := shareChange(rows[i-1], rows[i]); ok {
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

// keyEffect and tenantEffect are the design effects among the listed keys and
// pairs: requests that come in clumps of one key or one tenant leave the
// shards' shares alone and make a contributor's load far less certain. At
// least the shards' own.
func (v *view) keyEffect() float64 {
	if v.keys == 0 {
		v.keys = v.effectAmong(len(v.s.Keys), func(i int) []Sums { return v.s.Keys[i].Panes })
	}
	return v.keys
}

func (v *view) tenantEffect() float64 {
	if v.tenants == 0 {
		v.tenants = v.effectAmong(len(v.s.Pairs), func(i int) []Sums { return v.s.Pairs[i].Panes })
	}
	return v.tenants
}

func (v *view) effectAmong(n int, panes func(i int) []Sums) float64 {
	list := make([][]Sums, n)
	for i := range list {
		list[i] = panes(i)
	}
	return max(v.effect, effectOf(v.rows(list)))
}

// rows lays listed contributors out as [pane][contributor], without the heaviest.
func (v *view) rows(list [][]Sums) [][]amount {
	heaviest, most := -1, 0.0
	for i, panes := range list {
		if load := newestSums(panes, len(panes)).Load; load > most {
			heaviest, most = i, load
		}
	}
	rows := make([][]amount, len(v.panes))
	for i := range rows {
		rows[i] = make([]amount, len(list))
	}
	for j, panes := range list {
		if j == heaviest {
			continue
		}
		first := len(rows) - len(panes)
		for i, sums := range panes {
			rows[first+i][j] = sums.in(v.dim)
		}
	}
	return rows
}

// ordinary lists the serving shards without the hottest and without any other
// that is over its line beyond doubt: what made those hot is no property of the log.
func (v *view) ordinary() []routing.ShardID {
	if len(v.serving) == 0 {
		return nil
	}
	all := v.between(0, len(v.panes))
	hottest := slices.MaxFunc(v.serving, func(a, b routing.ShardID) int {
		return compare(all.shards[a].load, all.shards[b].load, a, b)
	})
	level := hotLevel / float64(len(v.serving))
	return slices.DeleteFunc(slices.Clone(v.serving), func(id routing.ShardID) bool {
		lim, ok := v.limitOf(id, all)
		return id == hottest || ok && v.over(all, id, lim, lim.line, level)
	})
}

// shareChange is chi-squared of the change of shares between two panes over
// its degrees of freedom; 1 where arrivals are independent.
func shareChange(a, b []amount) (float64, bool) {
	var sumA, sumB amount
	for id := range a {
		sumA, sumB = sumA.plus(a[id]), sumB.plus(b[id])
	}
	if sumA.load <= 0 || sumB.load <= 0 {
		return 0, false
	}
	var chi, seen float64
	for id := range a {
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
