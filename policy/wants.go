package policy

import (
	"fmt"

	"firebreak/routing"
)

// fleetAdvice: what stays warm whatever the verdicts say wants capacity.
func (w *watcher) fleetAdvice() []Advice {
	var out []Advice
	for i := range w.views {
		n := w.tallied(i)
		if reason := n.reason(); reason != "" {
			out = append(out, Advice{Topic: TopicCapacity, Reason: reason})
		}
	}
	return out
}

// wants is what the shards with a capacity bear over their targets, and what of it the fixes that were told see to.
type wants struct {
	shards  int     // that serve and have a capacity
	warm    int     // of them: over their target
	seen    int     // of those: a fix that was told cools them, or their verdict is yet to come
	pending int     // of those: their verdict is yet to come
	load    float64 // of all, less what fixes take off the fleet, load/s
	target  float64 // of all
}

// tallied counts what the shards of a view want in the fast window.
func (w *watcher) tallied(at int) (n wants) {
	v, fast := w.views[at], w.fast[at]
	doc := w.s.Table.Document()
	for _, id := range v.serving {
		lim, ok := v.limitOf(id, fast)
		if !ok || lim.capacity == 0 {
			continue
		}
		load := fast.shards[id].load / fast.seconds
		n.shards++
		n.load += load
		n.target += lim.target
		if load <= lim.target {
			continue
		}
		n.warm++
		track := w.st.Detection.Shards[doc.Shards[id].Name]
		switch hot := track.Hotspot; {
		case hot == nil && w.awaited(&track):
			n.pending++
			n.seen++
		case hot != nil && hot.Dimension == v.dim && hot.Plan != nil && hot.Plan.Fix != FixScaleOut:
			n.seen++
			n.load -= hot.Plan.takesOff(load, doc.Placement.Map == routing.Explicit)
		}
	}
	return n
}

// awaited says whether the verdict on a shard that is over its line is yet to come: within twice `for`, as long as one on thin evidence takes.
func (w *watcher) awaited(t *Track) bool {
	return !t.Since.IsZero() && w.s.end().Sub(t.Since) < 2*w.cfg.For
}

// takesOff is how much less the fleet would bear with a plan for a shard of that load, load/s: a split and a salt move load, the others
// answer, refuse or limit it, or put it on a shard of its own. stale says that its projection is of when it was drafted.
func (p *Plan) takesOff(load float64, stale bool) float64 {
	if p.Fix == FixSplit || p.Fix == FixSalt {
		return 0
	}
	after := p.Projection.Shard
	if stale {
		after = ratio(after, p.Load) * load
	}
	return max(0, load-after)
}

// reason says why the fleet wants capacity; empty = it does not. Most of its shards are warm and no fix that was told cools them; or all
// fixes together leave more load than all shards may bear. Nothing is said while verdicts are yet to come that may see to it.
func (n *wants) reason() string {
	left := n.warm - n.seen
	switch {
	case n.shards == 0 || 2*n.warm <= n.shards:
		return ""
	case 2*left > n.shards && n.seen == 0:
		return fmt.Sprintf("%d of %d shards are over their target: the fleet is evenly hot and wants capacity", left, n.shards)
	case 2*left > n.shards:
		return fmt.Sprintf("%d of %d shards are over their target, beside those that their fixes cool: the fleet is evenly hot and wants capacity", left, n.shards)
	case n.pending == 0 && n.load > n.target:
		return fmt.Sprintf("all %d shards together bear %s/s and may bear %s/s, whatever fixes move: the fleet wants capacity", n.shards, rate(n.load), rate(n.target))
	}
	return ""
}
