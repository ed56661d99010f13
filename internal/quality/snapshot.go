package quality

import (
	"math"

	"firebreak/policy"
)

const (
	longPanes   = 30  // of the long window
	recentPanes = 3   // names that are heavy in the newest panes only are listed too
	leastListed = 512 // names listed, or 4 x shards where that is more
	otherCalls  = 50  // callers that share what Fleet.Caller does not send
)

// snapshot is what an exact counter shows after the newest pane: names are listed by what was counted, not by truth.
func (c *counter) snapshot() *policy.Snapshot {
	s := &policy.Snapshot{
		Fleet: "fleet", Table: c.f.Table, LogPoint: policy.LogPointClient, Pane: Pane,
		Panes: c.panes[max(0, len(c.panes)-longPanes):],
		Inputs: policy.Inputs{
			Coverage: 1, Sampling: c.f.sampling(), Tenants: true, Ops: true, Keys: true, Callers: c.f.Callers,
		},
	}
	w := c.window()
	for _, i := range w.heaviest(len(c.seen), func(i int) *cells { return &c.keys[c.seen[i]] }) {
		id := c.seen[i]
		k, x := &c.f.Keys[id], &c.keys[id]
		name := policy.Contributor{
			Key: k.Name, Tenant: c.f.Tenants[k.Tenant], VShard: k.VShard, Panes: w.dense(x), TenantShare: 1,
		}
		name.Caller, name.CallerShare = c.caller(w, x)
		s.Keys = append(s.Keys, name)
	}
	for _, i := range w.heaviest(len(c.paired), func(i int) *cells { return c.pairs[c.paired[i]] }) {
		p := c.paired[i]
		x := c.pairs[p]
		name := policy.Pair{Tenant: c.f.Tenants[p.tenant], Shard: p.shard, Panes: w.dense(x)}
		name.Caller, name.CallerShare = c.caller(w, x)
		s.Pairs = append(s.Pairs, name)
	}
	for _, t := range sortedKeys(c.tenants) {
		if x := c.tenants[t]; w.records(x, longPanes) > 0 {
			name := policy.Contributor{Tenant: c.f.Tenants[t], Panes: w.dense(x)}
			name.Caller, name.CallerShare = c.caller(w, x)
			s.Tenants = append(s.Tenants, name)
		}
	}
	return s
}

// sampling is how the log declares itself.
func (f *Fleet) sampling() policy.Sampling {
	switch {
	case f.Rate == 1:
		return policy.SamplingNone
	case f.ByTrace:
		return policy.SamplingByTrace
	default:
		return policy.SamplingIndependent
	}
}

// window is the panes that a snapshot shows.
type window struct {
	newest int // pane
	listed int
}

func (c *counter) window() window {
	return window{c.pane - 1, max(leastListed, 4*c.f.Shards)}
}

// records counts those of the newest n panes.
func (w window) records(x *cells, n int) float64 {
	var sum float64
	for i := len(x.panes) - 1; i >= 0 && int(x.panes[i]) > w.newest-n; i-- {
		sum += x.sums[i].Records
	}
	return sum
}

// heaviest lists the names with the most records in the long window and in the newest panes, by rising index; of equal
// ones the lower index goes first.
func (w window) heaviest(n int, at func(int) *cells) []int {
	take := make([]bool, n)
	counts := make([]int, n)
	for _, panes := range [...]int{longPanes, recentPanes} {
		for i := range n {
			counts[i] = int(w.records(at(i), panes))
		}
		mark(take, counts, w.listed)
	}
	var out []int
	for i, taken := range take {
		if taken {
			out = append(out, i)
		}
	}
	return out
}

// mark takes the n largest counts above 0. Counts are told apart up to a bound that no light name reaches.
func mark(take []bool, counts []int, n int) {
	const most = 1 << 12
	var many [most + 1]int
	for _, k := range counts {
		many[min(k, most)]++
	}
	least, above := most, 0
	for ; least > 1 && above+many[least] <= n; least-- {
		above += many[least]
	}
	ties := n - above
	for i, k := range counts {
		switch {
		case k == 0:
		case min(k, most) > least:
			take[i] = true
		case min(k, most) == least && ties > 0:
			take[i] = true
			ties--
		}
	}
}

// dense is the counts of a name in the panes from the first that has any on.
func (w window) dense(x *cells) []policy.Sums {
	first := len(x.panes)
	for first > 0 && int(x.panes[first-1]) > w.newest-longPanes {
		first--
	}
	if first == len(x.panes) {
		return nil
	}
	from := int(x.panes[first])
	out := make([]policy.Sums, w.newest-from+1)
	for i := first; i < len(x.panes); i++ {
		out[int(x.panes[i])-from] = x.sums[i]
	}
	return out
}

// caller is the one that sent most of a name. What Fleet.Caller does not send comes from otherCalls callers alike: the
// busiest of them has about its mean and two standard deviations, at least one clump.
func (c *counter) caller(w window, x *cells) (name string, share float64) {
	all := w.records(x, longPanes)
	if !c.f.Callers || all == 0 {
		return "", 0
	}
	var called float64
	for i := len(x.panes) - 1; i >= 0 && int(x.panes[i]) > w.newest-longPanes; i-- {
		called += x.called[i]
	}
	others := all - called
	each := others / otherCalls
	busiest := min(others, math.Max(1, math.Ceil(each+2*math.Sqrt(each))))
	if called >= busiest {
		return c.f.Caller, called / all
	}
	return "caller-7", busiest / all
}
