package policy

import (
	"cmp"
	"math"
	"slices"

	"firebreak/routing"
)

// Levels of the one-sided tests, see docs/verdicts.md for what each is worth.
const (
	hotLevel     = 0.01  // divided by the number of shards: of N shards tested at once
	coolLevel    = 0.01  // that the newest panes are under the line
	pointLevel   = 0.50  // that the window without its heaviest pane is over the line: by points
	spikeLevel   = 0.10  // the same without its two heaviest, at the close that would fire
	causeLevel   = 0.05  // of the comparisons between contributors
	sizeLevel    = 0.001 // of a plan's size ...
	sizeFallback = 0.05  // ... where no plan exists at sizeLevel ...
	sizeThin     = 0.01  // ... which on thin evidence is not enough
	thinSamples  = 50    // effective samples a minute: fewer is thin
	receiverZ    = 2.33  // of a receiver's load, normal quantile of 0.99

	plentySamples = 100 // effective samples a minute from which evidence is not what is missing
)

// limit is what one shard is measured against, in load/s.
type limit struct {
	line     float64 // warning
	critical float64 // +Inf where no capacity is known
	target   float64
	capacity float64 // 0 = not known
	relative bool    // line and target are multiples of the mean
}

// limitOf returns the limits of a shard over window w. ok is false where the
// shard has none: a spare, or a dedicated shard without capacity and quota.
func (v *view) limitOf(id routing.ShardID, w span) (limit, bool) {
	doc := v.s.Table.Document()
	shard := doc.Shards[id]
	if c := v.capacity(shard); c > 0 {
		l := v.cfg.Lines
		return limit{line: l.Warning * c, critical: l.Critical * c, target: l.Target * c, capacity: c}, true
	}
	switch shard.Role {
	case routing.Serving:
		m := v.cfg.Lines.Relative * v.mean(w)
		return limit{line: m, critical: math.Inf(1), target: m, relative: true}, m > 0
	case routing.Dedicated:
		if v.s.LogPoint == LogPointClient {
			return limit{}, false // clients log before the quota: the shard bears no more than that
		}
		q := dedicatedQuota(doc, id)
		return limit{line: q, critical: math.Inf(1), target: q}, q > 0
	case routing.RoleUnknown, routing.Spare, routing.Draining:
	}
	return limit{}, false
}

// capacity of a shard in the view's dimension; 0 = not known. A dedicated
// shard does not inherit the fleet's capacity: it may run hot.
func (v *view) capacity(shard routing.Shard) float64 {
	own, fleet := shard.Capacity, v.cfg.Capacity.Total
	switch v.dim {
	case DimensionReads:
		own, fleet = shard.ReadCapacity, v.cfg.Capacity.Reads
	case DimensionWrites:
		own, fleet = shard.WriteCapacity, v.cfg.Capacity.Writes
	case DimensionTotal:
	}
	if own > 0 || shard.Role == routing.Dedicated {
		return own
	}
	return fleet
}

// dedicatedQuota is the sum of the quotas of the tenants placed on a shard.
func dedicatedQuota(doc *routing.Document, id routing.ShardID) float64 {
	var sum float64
	for _, p := range doc.Tenants {
		for _, shard := range p.Shards {
			if shard != id {
				continue
			}
			for _, q := range doc.Quotas {
				if q.Tenant == p.Tenant {
					sum += q.Rate / float64(len(p.Shards))
				}
			}
		}
	}
	return sum
}

// closeTest is what one pane close says of one shard.
type closeTest struct {
	hot      bool // the fast test, the slow one or a surge passed at this close
	warm     bool // hot, over the line by its numbers and not under it lately, or by its newest pane beyond doubt
	lasts    bool // hot, and does not rest on a spike
	surge    bool // the newest panes are overwhelmingly over the line
	critical bool // the fast window's lower bound is over the critical line
	rate     float64
	samples  float64 // effective samples a minute over the fast window
	limit    limit
}

// hotter orders tests of one shard in several dimensions: proof first, then by how far it is over the line.
func (t *closeTest) hotter(o *closeTest) bool {
	if t.hot != o.hot {
		return t.hot
	}
	return ratio(t.rate, t.limit.line) > ratio(o.rate, o.limit.line)
}

// judge tests one shard at the newest pane close.
func (v *view) judge(id routing.ShardID, fast, long span) closeTest {
	lim, ok := v.limitOf(id, fast)
	if !ok || fast.seconds <= 0 {
		return closeTest{}
	}
	t := closeTest{rate: fast.shards[id].load / fast.seconds, samples: fast.shards[id].samples() * 60 / fast.seconds, limit: lim}
	level := hotLevel / float64(max(1, len(v.serving)))
	t.surge = v.surges(id, lim, level)
	slow := v.longHot(id, fast, long, lim, level)
	t.warm = v.pointOver(fast, id, lim) && !v.cooled(id, fast, lim)
	t.hot = t.surge || slow || v.fastHot(id, fast, lim, level)
	t.warm = t.warm || t.hot || v.paneOver(id, lim, level)
	t.lasts = t.hot && (t.surge || slow || v.overWithout(2, id, fast, lim, spikeLevel))
	if lim.capacity > 0 && t.hot {
		t.critical = v.over(fast, id, lim, lim.critical, level)
	}
	return t
}

// fastHot is the fast test at one close: over the line by the lower bound, and not
// only by an old pane or a single one.
func (v *view) fastHot(id routing.ShardID, fast span, lim limit, level float64) bool {
	if !v.over(fast, id, lim, lim.line, level) {
		return false
	}
	return v.s.Whole || !v.cooled(id, fast, lim) && v.overWithout(1, id, fast, lim, pointLevel)
}

// cooled: the newest one, two or three panes are under the line beyond doubt.
func (v *view) cooled(id routing.ShardID, fast span, lim limit) bool {
	for n := 1; n <= min(3, fast.panes); n++ {
		if v.under(v.newest(n), id, lim, coolLevel) {
			return true
		}
	}
	return false
}

// overWithout: the window less its n heaviest panes is still over the line. One
// is left out at every close, by points; two at the close that would fire, by
// more than a coin toss where panes hold next to nothing: a spike of 15 s lies
// in two or three panes and fills one of them.
func (v *view) overWithout(n int, id routing.ShardID, fast span, lim limit, level float64) bool {
	if v.s.Whole || fast.panes <= 3 {
		return true
	}
	rows := slices.Clone(v.panes[len(v.panes)-fast.panes:])
	slices.SortStableFunc(rows, func(a, b []amount) int { return cmp.Compare(b[id].load, a[id].load) })
	kept := span{panes: fast.panes, seconds: fast.seconds, shards: slices.Clone(fast.shards), total: fast.total}
	for _, row := range rows[:n] {
		kept.panes--
		kept.seconds -= v.s.Pane.Seconds()
		kept.shards[id] = kept.shards[id].minus(row[id])
		for _, s := range v.serving {
			kept.total = kept.total.minus(row[s])
		}
	}
	return v.over(kept, id, lim, v.lineOver(lim, kept), level)
}

// longHot is the slow test: thin, but steady.
func (v *view) longHot(id routing.ShardID, fast, long span, lim limit, level float64) bool {
	if v.s.Whole || long.panes <= fast.panes {
		return false
	}
	newest := v.newest(min(3, fast.panes))
	return v.pointOver(fast, id, lim) && v.pointOver(newest, id, lim) && v.over(long, id, lim, v.lineOver(lim, long), level)
}

// surges: each of the newest three panes is over twice the line by its lower
// bound, and the newest two are level with each other, which the falling edge
// of a short spike is not. Such a shard need not be watched for longer.
func (v *view) surges(id routing.ShardID, lim limit, level float64) bool {
	if v.s.Whole || len(v.panes) < 3 {
		return false
	}
	for i := len(v.panes) - 3; i < len(v.panes); i++ {
		w := v.between(i, i+1)
		if !v.over(w, id, lim, 2*v.lineOver(lim, w), level) {
			return false
		}
	}
	a, b := v.panes[len(v.panes)-2][id].load, v.panes[len(v.panes)-1][id].load
	return math.Min(a, b) >= 0.7*math.Max(a, b)
}

// paneOver: the newest pane is over the line beyond doubt by itself. `for` begins
// with it though the fast window still holds what was before the onset.
func (v *view) paneOver(id routing.ShardID, lim limit, level float64) bool {
	w := v.newest(1)
	return v.over(w, id, lim, v.lineOver(lim, w), level)
}

// lineOver is the line of a shard over another window than the fast one: an
// absolute line stays, a relative one follows that window's mean.
func (v *view) lineOver(lim limit, w span) float64 {
	if !lim.relative {
		return lim.line
	}
	return v.cfg.Lines.Relative * v.mean(w)
}

// lineSum is the line as a sum over a window of that length and total.
func (v *view) lineSum(lim limit, seconds, total float64) float64 {
	if !lim.relative {
		return lim.line * seconds
	}
	return v.cfg.Lines.Relative * total / float64(max(1, len(v.serving)))
}

func (v *view) pointOver(w span, id routing.ShardID, lim limit) bool {
	return w.shards[id].load > v.lineSum(lim, w.seconds, w.total.load)
}

// over says whether the lower bound of the shard's load lies over rate.
func (v *view) over(w span, id routing.ShardID, lim limit, rate, level float64) bool {
	a := w.shards[id]
	if a.load <= rate*w.seconds {
		return false
	}
	if !lim.relative {
		n := a.samples()
		return countAbove(n, n*rate*w.seconds/a.load, level)
	}
	return share{a, w.total.minus(a)}.above(rate*w.seconds/w.total.load, level)
}

// under says whether the upper bound of the shard's load lies under the line
// of its window.
func (v *view) under(w span, id routing.ShardID, lim limit, level float64) bool {
	a := w.shards[id]
	if !lim.relative {
		return a.upper(level, v.scale(w)) < lim.line*w.seconds
	}
	_, high := share{a, w.total.minus(a)}.bounds(level)
	return high*float64(len(v.serving)) < v.cfg.Lines.Relative
}

// scale is the weight of one effective sample of the fleet: what one unseen
// request would have counted.
func (v *view) scale(w span) float64 {
	if w.total.load <= 0 {
		return 1
	}
	return w.total.variance / w.total.load
}
