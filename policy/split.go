package policy

import (
	"cmp"
	"math"
	"slices"

	"firebreak/routing"
)

// A vshard that carries this share of the target beyond doubt is placed by
// itself; what is lighter, or only looks heavy, is moved by the handful.
const bigShare = 0.10

// emptied is the part of the mean that a split leaves on the shard at least.
const emptied = 0.5

// maxBig bounds how many heavy vshards one plan moves.
const maxBig = 64

// splitter moves vshards off a hot shard.
type splitter struct {
	l     *layout
	big   []grain // heaviest first
	dust  []grain // by falling weight
	dusty amount  // load of all dust, at the evidence's rate
	blind bool    // what the grains weigh is not known, see mix
	units float64 // with blind: the number of equal vshards that would vary as much
}

// split moves vshards to the coldest receivers until the hot shard and all of
// them meet their targets. It reports the layout that does, moving as little
// as possible, or nil.
func (l *layout) split() *layout {
	if cfg := l.e.v.cfg; cfg.ModeOf(FixSplit) == ModeAuto { // what needs a person is moved only where nothing else would do
		for _, share := range [...]float64{capShare, 1} {
			if best := newSplitter(l, share*cfg.MovedAtMost).split(); best != nil {
				return best
			}
		}
	}
	return newSplitter(l, 1).split()
}

// capShare of what one operation may move is what one virtual shard should have, to be moved without a person: loads change until it is.
const capShare = 0.9

func (s *splitter) split() *layout {
	l := s.l
	if best := s.tryDust(l); best != nil {
		return best
	}
	// One heavy vshard that is enough by itself is the least work; else the
	// heaviest that fit go one after the other.
	next, gone := l.clone(), 0
	for i := range s.big {
		moved := next.clone()
		if gone == maxBig || !moved.moveBig(&s.big[i]) {
			continue
		}
		next, gone = moved, gone+1
		if best := s.tryDust(next); best != nil {
			return best
		}
	}
	return nil
}

// newSplitter takes virtual shards that have at most a share of the fleet's load.
func newSplitter(l *layout, most float64) *splitter {
	s := &splitter{l: l}
	panes := l.e.v.splitPanes(l.e)
	grains, fleet := l.e.grains(panes), l.e.v.newest(panes).total.load
	var all amount // with the tenants that leave: the rate is that of the whole shard
	for _, g := range grains {
		all = all.plus(g.all)
	}
	if s.blind = len(l.tenants) > 0 && l.e.separates(); s.blind {
		l.takeTenants(grains)
	}
	limit := bigShare * l.e.target * l.e.w.seconds
	pinned, fixed := l.e.laid()
	lately := l.e.v.s.World.moved()
	rate := 1.0
	if all.load > 0 {
		rate = max(0, l.e.load.load-pinned.load) / all.load
	}
	for _, g := range grains {
		switch {
		case l.pinned[g.vshard] || fixed[g.vshard] || lately[routing.VShardEntry(g.vshard)] || g.all.load > most*fleet:
			pinned = pinned.plus(g.all.times(rate))
		case g.all.lower()*rate >= limit && l.e.named(g.vshard):
			g.all = g.all.times(rate)
			s.big = append(s.big, g)
		default:
			s.dust = append(s.dust, g)
			s.dusty = s.dusty.plus(g.all.times(rate))
		}
	}
	slices.SortStableFunc(s.big, func(a, b grain) int { return cmp.Compare(b.all.load, a.all.load) })
	weigh(s.dust)
	if s.blind {
		s.dusty = l.kept.minus(pinned)
		for i := range s.big {
			s.dusty = s.dusty.minus(s.big[i].all)
		}
		s.mix()
	}
	return s
}

// takeTenants takes the listed keys of the tenants that the plan isolates out
// of the grains: they will be gone.
func (l *layout) takeTenants(grains []grain) {
	for i := range l.e.keys {
		it := &l.e.keys[i]
		if !slices.Contains(l.tenants, it.tenant) {
			continue
		}
		for g := range grains {
			if grains[g].vshard == it.key.VShard {
				grains[g].all = grains[g].all.minus(l.e.v.of(it.key.Panes, l.e.v.splitPanes(l.e)))
				grains[g].choose, grains[g].check = grains[g].all.part(0.5), grains[g].all.part(0.5)
			}
		}
	}
}

// mix orders the light vshards by number instead of by weight: what their
// weights still hold of an isolated tenant's small keys is not known, so that
// no choice may rest on them, and a part of the vshards is taken for that part
// of the load, as uncertain as so few vshards of unequal weight make it.
func (s *splitter) mix() {
	slices.SortFunc(s.dust, func(a, b grain) int { return cmp.Compare(a.vshard, b.vshard) })
	var sum, squares float64
	for i := range s.dust {
		sum += s.dust[i].weight
		squares += s.dust[i].weight * s.dust[i].weight
	}
	s.units = ratio(sum*sum, squares)
	for i := range s.dust {
		s.dust[i].weight, s.dust[i].check = 1, amount{load: 1}
	}
}

// moveBig moves one heavy vshard to the coldest receiver that can take it.
func (l *layout) moveBig(g *grain) bool {
	for _, r := range l.coldest() {
		if r.target > 0 && l.fits(r, g.all) {
			r.gained = r.gained.plus(g.all)
			l.kept = l.kept.minus(g.all)
			l.moved = l.moved.plus(g.all)
			l.moves = append(l.moves, routing.Move{VShard: g.vshard, To: r.id})
			return true
		}
	}
	return false
}

// coldest hands out the receiver that is coldest by then.
type coldest struct {
	receivers []receiver
	load      []float64
}

func newColdest(l *layout) *coldest {
	c := &coldest{receivers: l.receivers, load: make([]float64, len(l.receivers))}
	for i := range l.receivers {
		c.load[i] = l.loadOf(&l.receivers[i])
		if l.receivers[i].closed {
			c.load[i] = math.Inf(1)
		}
	}
	return c
}

// give loads the coldest receiver with rate and returns it; NoShard if even
// that one has no room.
func (c *coldest) give(rate float64) routing.ShardID {
	best := -1
	for i := range c.load {
		if best < 0 || c.load[i] < c.load[best] {
			best = i
		}
	}
	if best < 0 || c.load[best]+rate > c.receivers[best].target {
		return routing.NoShard
	}
	c.load[best] += rate
	return c.receivers[best].id
}

// tryDust moves none, then more and more of the light vshards, until all
// targets are met; nil if even all of them are not enough.
func (s *splitter) tryDust(from *layout) *layout {
	if from.feasible() && from.moved.load > 0 {
		return from
	}
	const steps = 20
	if len(s.dust) == 0 || !s.couldFit(from) {
		return nil
	}
	// A shard is not emptied because nothing less can be proved on thin evidence.
	least := emptied * from.e.v.mean(from.e.w) * from.e.w.seconds
	for i := 1; i <= steps; i++ {
		l := s.moveDust(from, float64(i)/steps)
		if l.kept.load < least {
			return nil
		}
		if l.feasible() {
			return l
		}
	}
	return nil
}

// couldFit is a cheap necessary condition: without any dust the hot shard is
// under its target.
func (s *splitter) couldFit(from *layout) bool {
	return from.kept.minus(s.dusty).load <= from.e.target*from.e.w.seconds
}

// moveDust moves the heaviest light vshards that make up the share part of
// their weight, each to the receiver that is coldest by then, and measures on
// the other half of the panes what left and what arrived.
func (s *splitter) moveDust(from *layout, part float64) *layout {
	l := from.clone()
	var weights, checks, checkSamples amount
	for i := range s.dust {
		weights.load += s.dust[i].weight
		checks = checks.plus(s.dust[i].check)
	}
	checkSamples.load = checks.samples()
	if s.blind {
		checkSamples.load = s.units
	}
	to := newColdest(l)
	arrived := map[routing.ShardID]float64{}
	var taken, left float64
	perWeight := s.dusty.load / max(weights.load, 1e-300) / l.e.w.seconds
	for i := range s.dust {
		if taken >= part*weights.load {
			break
		}
		g := &s.dust[i]
		id := to.give(g.weight * perWeight)
		if id == routing.NoShard {
			continue // a lighter one may fit
		}
		taken += g.weight
		share := g.check.load
		if checks.load <= 0 {
			share = g.weight
		}
		arrived[id] += share
		left += share
		l.moves = append(l.moves, routing.Move{VShard: g.vshard, To: id})
	}
	whole := checks.load
	if whole <= 0 {
		whole = weights.load
	}
	if whole <= 0 {
		return l
	}
	l.kept = l.kept.minus(s.dusty).plus(s.shareOf(1-left/whole, checkSamples.load))
	for i := range l.receivers {
		r := &l.receivers[i]
		if a := arrived[r.id]; a > 0 {
			r.gained = r.gained.plus(s.shareOf(a/whole, checkSamples.load))
		}
	}
	l.moved = l.moved.plus(s.dusty.part(left / whole))
	return l
}

// shareOf is the share x of the dust's load, x being measured on n effective samples.
func (s *splitter) shareOf(x, n float64) amount {
	x = min(max(x, 0), 1)
	a := amount{s.dusty.load * x, s.dusty.variance * x * x}
	if n > 0 {
		a.variance += s.dusty.load * s.dusty.load * x * (1 - x) / n
	}
	return a
}
