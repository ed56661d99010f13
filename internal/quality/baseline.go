package quality

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"firebreak/policy"
	"firebreak/routing"
)

// Baseline is what a simple rule would have said of an event from the counts of its last minute: what stands behind
// "better than nothing" in the table.
type Baseline struct {
	Hot   bool // it called the shard hot at all
	Right bool // cause and object are accepted
	Fix   policy.Fix
	Applied
}

// BaselineNames names the baselines in the order of Event.Baselines.
//
//	constant: every shard over its line by points has a hot key, to be salted.
//	top-1: its heaviest key or tenant is the cause if it is more than half of the load, else volume.
//	split-always: every shard over its line is split.
//
// All size by points: the smallest salt by the closed form with suffixes 1, 2, ...; the fewest heaviest virtual shards
// to the shard that is coldest by then.
func BaselineNames() []string { return []string{"constant", "top-1", "split-always"} }

// naive is the last minute of one shard by points, in requests/s.
type naive struct {
	u       *runner
	event   *Event
	loads   []float64 // by shard
	vshards []float64
	key     int32 // heaviest of the shard; -1 = none
	keyLoad float64
	reads   float64
	tenant  int32 // heaviest of the shard; -1 = none
	tenLoad float64
}

func (u *runner) baselines() {
	vshards, loads := u.lastMinute()
	for i := range loads {
		u.r.Loads[i].Counted = loads[i]
	}
	line := u.f.Exact().Line
	if u.f.Capacity == 0 {
		line = policy.Default().Lines.Relative * sum(loads) / float64(u.f.Shards)
	}
	for i := range u.r.Events {
		event := &u.r.Events[i]
		if loads[event.Shard] <= line {
			event.Baselines = make([]Baseline, len(BaselineNames()))
			continue
		}
		n := u.look(event, vshards, loads)
		event.Baselines = []Baseline{n.salt(), n.top(), n.split()}
	}
}

func sum(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v
	}
	return s
}

// lastMinute is what the log has of the newest six panes, in requests/s by virtual shard and by shard.
func (u *runner) lastMinute() (vshards, loads []float64) {
	vshards, loads = make([]float64, u.f.Table.VShards()), make([]float64, u.f.Shards)
	panes := u.cfg.FastPanes
	for _, p := range u.c.panes[len(u.c.panes)-panes:] {
		for _, v := range p.VShards {
			rate := v.Load / (float64(panes) * Pane.Seconds())
			vshards[v.VShard] += rate
			loads[u.f.Table.Owner(v.VShard)] += rate
		}
	}
	return vshards, loads
}

// look finds the heaviest key and tenant of a shard.
func (u *runner) look(event *Event, vshards, loads []float64) *naive {
	n := &naive{u: u, event: event, loads: loads, vshards: vshards, key: -1, tenant: -1}
	panes := u.cfg.FastPanes
	seconds := float64(panes) * Pane.Seconds()
	w := u.c.window()
	for _, i := range u.c.seen {
		if k := &u.f.Keys[i]; u.f.shardOf(k) == event.Shard {
			if s := w.sums(&u.c.keys[i], panes); s.Load/seconds > n.keyLoad {
				n.key, n.keyLoad, n.reads = i, s.Load/seconds, s.Reads/s.Load
			}
		}
	}
	for _, p := range u.c.paired {
		if p.shard == event.Shard {
			if s := w.sums(u.c.pairs[p], panes); s.Load/seconds > n.tenLoad {
				n.tenant, n.tenLoad = p.tenant, s.Load/seconds
			}
		}
	}
	return n
}

// sums adds up the newest n panes of a name.
func (w window) sums(x *cells, n int) policy.Sums {
	var s policy.Sums
	for i := len(x.panes) - 1; i >= 0 && int(x.panes[i]) > w.newest-n; i-- {
		plus(&s, x.sums[i])
	}
	return s
}

// answer judges a cause, an object and steps.
func (n *naive) answer(cause policy.Cause, key, tenant string, fix policy.Fix, steps []policy.Step) Baseline {
	b := Baseline{Hot: true, Right: n.event.accepts(cause, key, tenant), Fix: fix}
	b.Applied = n.u.f.apply(n.u.bornes[n.event.Shard], n.event.Target, steps)
	return b
}

func (n *naive) load() float64 { return n.loads[n.event.Shard] }

// salt is the smallest salt of the heaviest key that meets the target by points, as many pieces as shards at most.
func (n *naive) salt() Baseline {
	if n.key < 0 {
		return Baseline{Hot: true}
	}
	f, k := n.u.f, &n.u.f.Keys[n.key]
	most := min(128, f.Shards)
	pieces := most
	for s := 2; s <= most; s++ {
		if n.load()-n.keyLoad+n.keyLoad*((1-n.reads)/float64(s)+n.reads) <= n.event.Target {
			pieces = s
			break
		}
	}
	entry := routing.Salt{Key: k.Name, Read: pieces, Write: pieces}
	if f.identifiesTenant() {
		entry.Tenant = f.Tenants[k.Tenant]
	}
	for i := range pieces {
		entry.Suffixes = append(entry.Suffixes, uint32(i))
	}
	step := policy.Step{Kind: policy.StepSalt, Key: k.Name, Tenant: f.Tenants[k.Tenant], Salt: &entry}
	return n.answer(policy.CauseHotKey, k.Name, f.Tenants[k.Tenant], policy.FixSalt, []policy.Step{step})
}

// top takes the heaviest contributor of more than half.
func (n *naive) top() Baseline {
	switch {
	case n.keyLoad > n.load()/2:
		return n.salt()
	case n.tenLoad > n.load()/2:
		name := n.u.f.Tenants[n.tenant]
		step := policy.Step{Kind: policy.StepPlaceTenant, Tenant: name, Shards: []string{"new-1"}}
		return n.answer(policy.CauseWhaleTenant, "", name, policy.FixIsolate, []policy.Step{step})
	}
	return n.split()
}

// split moves the heaviest virtual shards away until the target is met by points.
func (n *naive) split() Baseline {
	var own []routing.VShard
	for v, load := range n.vshards {
		if load > 0 && n.u.f.Table.Owner(routing.VShard(v)) == n.event.Shard {
			own = append(own, routing.VShard(v))
		}
	}
	slices.SortFunc(own, func(a, b routing.VShard) int {
		return cmp.Or(cmp.Compare(n.vshards[b], n.vshards[a]), cmp.Compare(a, b))
	})
	loads := slices.Clone(n.loads)
	loads[n.event.Shard] = math.Inf(1)
	left := n.load()
	var moves []routing.Move
	for _, v := range own {
		if left <= n.event.Target {
			break
		}
		to := slices.Index(loads, slices.Min(loads))
		loads[to] += n.vshards[v]
		left -= n.vshards[v]
		moves = append(moves, routing.Move{VShard: v, To: routing.ShardID(to)})
	}
	step := policy.Step{Kind: policy.StepMove, Moves: moves, Text: strconv.Itoa(len(moves)) + " virtual shards"}
	return n.answer(policy.CauseVolume, "", "", policy.FixSplit, []policy.Step{step})
}
