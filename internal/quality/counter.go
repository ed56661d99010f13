package quality

import (
	"math"
	"slices"
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// leastTracked is the load / line from which a shard's light keys are drawn one by one; below it the policy sees only
// the heavy ones of a shard, which no verdict should ever need.
const leastTracked = 0.85

// start is the event time of the first pane of every fleet.
func start() time.Time { return time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC) }

// counter draws the log of a fleet pane by pane and counts it as an exact counter would.
//
// Requests come in clumps: Poisson arrivals of Fleet.Clump requests of one key. Light keys are drawn as one per virtual
// shard; on the tracked shards each arrival is given to one of them. Heavy keys are drawn one by one everywhere.
type counter struct {
	f       *Fleet
	s       source
	sizes   []float64 // running probability of a logged clump to have 1, 2, ... records
	kept    float64   // arrivals/s that are logged, of each request/s
	tracked []bool    // by shard
	heavy   []int32   // keys that are drawn one by one
	phases  [2]lights // before and after the onset
	panes   []policy.Pane
	keys    []cells              // by key; light ones of shards that are not tracked stay empty
	pairs   map[pair]*cells      // of tracked shards
	tenants map[int32]*cells     // of the tenants that are followed over the whole fleet
	rest    [2]map[int32]float64 // light requests/s of followed tenants on shards that are not tracked, by phase
	row     []policy.Sums        // by virtual shard, of the pane being drawn
	seen    []int32              // keys in the order in which they were first seen
	emit    func(arrival)        // called for each arrival of a known key; nil = none
	paired  []pair               // pairs in that order
	pane    int
}

// arrival is one logged clump of a key.
type arrival struct {
	key     int32
	records int
	read    bool
	called  bool // Fleet.Caller sent it
}

// pair is a tenant on a shard.
type pair struct {
	tenant int32
	shard  routing.ShardID
}

// lights are the light keys of one phase.
type lights struct {
	vshards []routing.VShard
	rates   []float64 // requests/s of each
	upto    []float64 // running sum of rates
	members map[routing.VShard]*members
}

// members are the light keys of one virtual shard of a tracked shard.
type members struct {
	keys []int32
	upto []float64 // running sum of requests/s
}

// cells are the counts of one name, pane by pane; panes without any are left out.
type cells struct {
	panes  []int32
	sums   []policy.Sums
	called []float64 // records that Fleet.Caller sent
}

// newCounter prepares the log of a fleet. With all, the light keys of every shard are drawn one by one.
func newCounter(f *Fleet, all bool) *counter {
	c := &counter{
		f: f, s: newSource(f.Seed, streamLog), keys: make([]cells, len(f.Keys)), pairs: map[pair]*cells{},
		tenants: map[int32]*cells{}, row: make([]policy.Sums, f.Table.VShards()),
	}
	c.setSizes()
	exact, before := f.Exact(), f.sum(func(k *Key) float64 { return k.Before })
	c.tracked = make([]bool, f.Shards)
	for i := range c.tracked {
		id := routing.ShardID(i)
		c.tracked[i] = all || id == f.Planted || max(exact.Ratio(id), before.Ratio(id)) >= leastTracked
	}
	tiny := 0.01 * exact.Total / float64(f.Shards)
	isHeavy := make([]bool, len(f.Keys))
	for i := range f.Keys {
		if k := &f.Keys[i]; max(k.Before, k.After) >= tiny {
			c.heavy = append(c.heavy, int32(i))
			isHeavy[i] = true
		}
	}
	c.follow(exact)
	c.phases[0] = c.lights(isHeavy, 0)
	c.phases[1] = c.lights(isHeavy, 1)
	return c
}

// rate is the exact rate of a key in a phase.
func (k *Key) rate(phase int) float64 {
	if phase == 0 {
		return k.Before
	}
	return k.After
}

// setSizes works out how many records a clump leaves in the log: binomial, given at least one; all where it is traced.
func (c *counter) setSizes() {
	n, r := c.f.Clump, c.f.Rate
	if n == 1 || c.f.ByTrace {
		c.sizes = make([]float64, n)
		c.sizes[n-1] = 1
		c.kept = r / float64(n)
		return
	}
	some := 1 - math.Pow(1-r, float64(n))
	ways, sum := 1.0, 0.0
	for j := 1; j <= n; j++ {
		ways *= float64(n-j+1) / float64(j)
		sum += ways * math.Pow(r, float64(j)) * math.Pow(1-r, float64(n-j)) / some
		c.sizes = append(c.sizes, sum)
	}
	c.sizes[n-1] = 1
	c.kept = some / float64(n)
}

// follow picks the tenants whose load is known over the whole fleet: the heaviest ones.
func (c *counter) follow(exact *Exact) {
	load := make([]float64, len(c.f.Tenants))
	for i := range c.f.Keys {
		k := &c.f.Keys[i]
		load[k.Tenant] += max(k.Before, k.After)
	}
	order := make([]int32, 0, 256)
	for t := range load {
		if load[t] >= 0.05*exact.Total/float64(c.f.Shards) {
			order = append(order, int32(t))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case load[a] > load[b]:
			return -1
		case load[a] < load[b]:
			return 1
		}
		return 0
	})
	for _, t := range order[:min(len(order), 512)] {
		c.tenants[t] = &cells{}
	}
}

// lights lists the light keys of a phase by virtual shard.
func (c *counter) lights(isHeavy []bool, phase int) lights {
	l := lights{members: map[routing.VShard]*members{}}
	byVShard := make([]float64, c.f.Table.VShards())
	c.rest[phase] = map[int32]float64{}
	for i := range c.f.Keys {
		k := &c.f.Keys[i]
		rate := k.rate(phase)
		if isHeavy[i] || rate <= 0 {
			continue
		}
		byVShard[k.VShard] += rate
		if !c.tracked[c.f.shardOf(k)] {
			if c.tenants[k.Tenant] != nil {
				c.rest[phase][k.Tenant] += rate
			}
			continue
		}
		m := l.members[k.VShard]
		if m == nil {
			m = &members{}
			l.members[k.VShard] = m
		}
		m.keys = append(m.keys, int32(i))
		m.upto = append(m.upto, byVShard[k.VShard])
	}
	var sum float64
	for v, rate := range byVShard {
		if rate > 0 {
			sum += rate
			l.vshards = append(l.vshards, routing.VShard(v))
			l.rates = append(l.rates, rate)
			l.upto = append(l.upto, sum)
		}
	}
	return l
}
