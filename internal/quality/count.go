package quality

import (
	"slices"
	"sort"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// next draws the next pane.
func (c *counter) next() {
	clear(c.row)
	from := time.Duration(c.pane) * Pane
	before := min(max(c.f.Onset-from, 0), Pane).Seconds()
	c.draw(0, before)
	c.draw(1, Pane.Seconds()-before)
	p := policy.Pane{Start: start().Add(from)}
	n := 0
	for v := range c.row {
		if c.row[v].Records > 0 {
			n++
		}
	}
	p.VShards = make([]policy.VShardSums, 0, n)
	for v := range c.row {
		if c.row[v].Records > 0 {
			p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: c.row[v]})
		}
	}
	c.panes = append(c.panes, p)
	c.pane++
}

// draw draws the requests of seconds in one phase.
func (c *counter) draw(phase int, seconds float64) {
	if seconds <= 0 {
		return
	}
	for _, i := range c.heavy {
		for range c.s.poisson(c.f.Keys[i].rate(phase) * c.kept * seconds) {
			c.countKey(i)
		}
	}
	l := &c.phases[phase]
	if len(l.rates) == 0 {
		return
	}
	total := l.upto[len(l.upto)-1]
	if mean := total * c.kept * seconds; mean < float64(len(l.rates))/3 {
		for range c.s.poisson(mean) {
			at := sort.SearchFloat64s(l.upto, c.s.Float64()*total)
			c.countLight(l, l.vshards[min(at, len(l.vshards)-1)])
		}
	} else {
		for j, v := range l.vshards {
			for range c.s.poisson(l.rates[j] * c.kept * seconds) {
				c.countLight(l, v)
			}
		}
	}
	for _, t := range sortedKeys(c.rest[phase]) {
		for range c.s.poisson(c.rest[phase][t] * c.kept * seconds) {
			c.tenants[t].add(c.pane, c.sums(c.f.Reads), 0)
		}
	}
}

// sums draws one logged clump of a key with that share of reads.
func (c *counter) sums(reads float64) policy.Sums {
	size := 1
	if len(c.sizes) > 1 {
		for u := c.s.Float64(); u >= c.sizes[size-1] && size < len(c.sizes); {
			size++
		}
	}
	n, weight := float64(size), 1/c.f.Rate
	s := policy.Sums{Load: n * weight, Variance: n * (weight + weight*weight*(1-c.f.Rate)), Records: n}
	if c.s.Float64() < reads {
		s.Reads = s.Load
	} else {
		s.Writes = s.Load
	}
	return s
}

// countLight counts one arrival of a light key of virtual shard v.
func (c *counter) countLight(l *lights, v routing.VShard) {
	m := l.members[v]
	if m == nil {
		plus(&c.row[v], c.sums(c.f.Reads))
		return
	}
	at := sort.SearchFloat64s(m.upto, c.s.Float64()*m.upto[len(m.upto)-1])
	c.countKey(m.keys[min(at, len(m.keys)-1)])
}

// countKey counts one arrival of a key.
func (c *counter) countKey(i int32) {
	k := &c.f.Keys[i]
	sums, called := c.sums(k.Reads), 0.0
	if k.Called && c.s.Float64() < c.f.CallerShare {
		called = sums.Records
	}
	if c.emit != nil {
		c.emit(arrival{i, int(sums.Records), sums.Reads > 0, called > 0})
	}
	plus(&c.row[k.VShard], sums)
	if len(c.keys[i].panes) == 0 {
		c.seen = append(c.seen, i)
	}
	c.keys[i].add(c.pane, sums, called)
	if t := c.tenants[k.Tenant]; t != nil {
		t.add(c.pane, sums, called)
	}
	shard := c.f.shardOf(k)
	if !c.tracked[shard] {
		return
	}
	p := c.pairs[pair{k.Tenant, shard}]
	if p == nil {
		p = &cells{}
		c.pairs[pair{k.Tenant, shard}] = p
		c.paired = append(c.paired, pair{k.Tenant, shard})
	}
	p.add(c.pane, sums, called)
}

func (x *cells) add(pane int, s policy.Sums, called float64) {
	last := len(x.panes) - 1
	if last < 0 || x.panes[last] != int32(pane) {
		x.panes, x.sums, x.called = append(x.panes, int32(pane)), append(x.sums, s), append(x.called, called)
		return
	}
	plus(&x.sums[last], s)
	x.called[last] += called
}

func plus(a *policy.Sums, b policy.Sums) {
	a.Load, a.Variance, a.Records = a.Load+b.Load, a.Variance+b.Variance, a.Records+b.Records
	a.Reads, a.Writes = a.Reads+b.Reads, a.Writes+b.Writes
}

func sortedKeys[V any](m map[int32]V) []int32 {
	out := make([]int32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
