package policy

import (
	"math"
	"sort"
	"time"

	"firebreak/routing"
)

// judged is one window's evidence with what it says.
type judged struct {
	e *evidence
	b branches
	c choice
}

// attribution picks the window: the newest panes, extended to the
// fast and then the long window while cause or size need more evidence and the
// older panes agree with the newer ones. The first window that gives both wins,
// else the first that gives the cause.
func (v *view) attribution(id routing.ShardID, onset time.Time, target float64) judged {
	sizes := v.attributionSizes(onset)
	var best judged
	for i, n := range sizes {
		if i > 0 && !v.agrees(id, best.e, sizes[i-1], n) {
			break
		}
		j := judged{e: v.gather(id, n, target)}
		if j.b = j.e.branch(); v.hotBefore(j.e, &j.b) {
			j.b.open = append(j.b.open, hotWithoutIt)
		}
		j.c = agreedFix(j.e, &j.b)
		if best.e == nil || j.rank() > best.rank() || !best.b.agree() {
			best = j
		}
		if best.b.agree() && (best.c.layout != nil || unknownOps(&best.b.point)) {
			break
		}
	}
	return best
}

// rank orders what windows give: a cause with its fix, a cause, a fix that
// every reading shares, nothing.
func (j *judged) rank() int {
	r := 0
	if j.b.agree() {
		r += 2
	}
	if j.c.layout != nil {
		r++
	}
	return r
}

// attributionSizes are the windows to try: first what was seen since the onset,
// less its first pane, which holds both before and after, and at most the fast
// window, so that a contributor in the middle of a burst does
// not stand for the whole hotspot; then the fast window, all that was seen since
// the onset, and the long window.
func (v *view) attributionSizes(onset time.Time) []int {
	if v.s.Whole {
		return []int{len(v.panes)}
	}
	since := int(v.s.end().Sub(onset)/v.s.Pane) - 1
	sizes := []int{min(max(2, since), v.windowPanes(v.cfg.FastPanes))}
	long := v.windowPanes(v.cfg.LongPanes)
	for _, n := range []int{v.windowPanes(v.cfg.FastPanes), min(since, long), long} {
		if n > sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// agrees compares the older panes [n-more, n-less) with the newest less: the
// shard's share of the fleet and its heaviest key's and tenant's share of the
// shard must not differ by two standard deviations.
func (v *view) agrees(id routing.ShardID, e *evidence, less, more int) bool {
	newer := v.newest(less)
	older := v.between(len(v.panes)-more, len(v.panes)-less)
	if !alike(share{newer.shards[id], newer.total.minus(newer.shards[id])}, share{older.shards[id], older.total.minus(older.shards[id])}) {
		return false
	}
	for _, items := range [][]item{e.keys, e.tenants} {
		if len(items) == 0 {
			continue
		}
		it := items[0]
		before := v.itemBetween(&it, more, less)
		if !alike(share{it.on, newer.shards[id].minus(it.on)}, share{before, older.shards[id].minus(before)}) {
			return false
		}
	}
	return true
}

// itemBetween is the item's load on its shard in the panes [n-more, n-less).
func (v *view) itemBetween(it *item, more, less int) amount {
	var panes []Sums
	if it.key != nil {
		panes = it.key.Panes
	} else {
		panes = it.pair.Panes
	}
	part := 1.0
	if it.key != nil && it.all.load > 0 {
		part = it.on.load / it.all.load
	}
	sums := newestSums(panes, more)
	recent := newestSums(panes, less)
	a := amount{max(0, sums.in(v.dim).load-recent.in(v.dim).load), max(0, sums.in(v.dim).variance-recent.in(v.dim).variance) * v.effect}
	return a.part(part)
}

// hotBefore says whether the shard had the same share of the fleet in the older
// panes of the long window while what is named now had a smaller one of the
// shard and came just now: who comes and goes while the heat stays is not its
// reason. Panes before the routing changed do not count: the shard did not bear
// then what the table of now gives it.
func (v *view) hotBefore(e *evidence, b *branches) bool {
	first, n := b.point.first(), min(v.windowPanes(v.cfg.LongPanes), v.borne())
	if first == nil || n <= e.w.panes {
		return false
	}
	older := v.between(len(v.panes)-n, len(v.panes)-e.w.panes)
	now, then := e.w.shards[e.id], older.shards[e.id]
	if then.load <= e.target*older.seconds || !alike(share{now, e.w.total.minus(now)}, share{then, older.total.minus(then)}) {
		return false
	}
	before := v.itemBetween(first, n, e.w.panes)
	if ratio(before.load, then.load) >= ratio(first.on.load, now.load) {
		return false
	}
	return !alike(share{first.on, now.minus(first.on)}, share{before, then.minus(before)}) && !v.settled(e, first)
}

// borne is how many of the newest panes began after the routing changed; all of them if no change is known.
func (v *view) borne() int {
	n := len(v.panes)
	if v.s.Routed.IsZero() {
		return n
	}
	before := sort.Search(n, func(i int) bool { return v.s.Panes[i].Start.After(v.s.Routed) })
	return n - before
}

// settled says whether a contributor has had the same share of the shard in the
// newest fast window and in the one before: it did not come just now.
func (v *view) settled(e *evidence, it *item) bool {
	n := v.windowPanes(v.cfg.FastPanes)
	if len(v.panes) < 2*n {
		return false
	}
	newer, older := v.newest(n).shards[e.id], v.between(len(v.panes)-2*n, len(v.panes)-n).shards[e.id]
	a, b := v.itemBetween(it, n, 0), v.itemBetween(it, 2*n, n)
	return alike(share{a, newer.minus(a)}, share{b, older.minus(b)})
}

// residue is what remains of the shard without the items, taken over the widest
// window in which it kept its rate: what makes a shard hot came suddenly, what
// it had before usually did not change, and thin logs need every sample of it.
// It is never taken for less than what the evidence itself shows. panes is how
// many it rests on.
func (e *evidence) residue(items []item) (sum amount, panes int) {
	n := e.w.panes
	now := e.load.minus(sumOn(items))
	sum = now
	for _, more := range e.v.attributionSizes(time.Time{}) {
		if more <= n {
			continue
		}
		older := e.v.between(len(e.v.panes)-more, len(e.v.panes)-n).shards[e.id]
		for i := range items {
			older = older.minus(e.v.itemBetween(&items[i], more, n))
		}
		if !e.v.sameRate(sum, n, older, more-n) {
			break
		}
		sum, n = sum.plus(older), more
	}
	sum = sum.times(float64(e.w.panes) / float64(n))
	return amount{max(sum.load, now.load), sum.variance}, n
}

// sameRate: the rates of two stretches of a and b panes do not differ by two
// standard deviations; each has at least the variance of the rate of both.
func (v *view) sameRate(x amount, a int, y amount, b int) bool {
	pool := (x.load + y.load) / float64(a+b) * v.scale(v.long())
	spread := max(x.variance/float64(a), pool)/float64(a) + max(y.variance/float64(b), pool)/float64(b)
	return math.Abs(x.load/float64(a)-y.load/float64(b)) <= 2*math.Sqrt(spread)
}

// alike is the two-proportion z test on effective samples, |z| < 2.
func alike(a, b share) bool {
	na, nb := a.samples(), b.samples()
	if na <= 0 || nb <= 0 {
		return false
	}
	pool := (a.value()*na + b.value()*nb) / (na + nb)
	spread := pool * (1 - pool) * (1/na + 1/nb)
	if spread <= 0 {
		return math.Abs(a.value()-b.value()) < 1e-12
	}
	return math.Abs(a.value()-b.value()) < 2*math.Sqrt(spread)
}
