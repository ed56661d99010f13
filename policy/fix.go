package policy

import (
	"slices"

	"firebreak/routing"
)

// order lists the fixes to try for a finding, the best first (rule 10).
func order(e *evidence, f *finding) []Fix {
	var out []Fix
	first := f.first()
	if first != nil && first.caller != "" && first.callers >= callerShare {
		out = append(out, FixLimitCaller)
	}
	if first == nil || !e.exceeds(first) {
		out = append(out, FixSplit)
	}
	switch f.cause {
	case CauseHotKey:
		out = append(out, keyFixes(first)...)
	case CauseWhaleTenant:
		if !e.alone(first.tenant) {
			out = append(out, FixIsolate)
		}
		if out = append(out, FixQuota); e.separates() && e.exceeds(first) {
			out = append(out, FixSplit) // its many small keys can be parted after all
		}
	case CauseVolume:
		// Keys that fit no receiver stand in the way of every split.
		if len(e.unmovable()) > 0 {
			out = append(out, keyFixes(&e.unmovable()[0])...)
		}
		if !e.roomy() {
			out = append(out, FixScaleOut)
		}
	case CauseUnknown:
	}
	return out
}

// alone says whether the tenant has this shard to itself already.
func (e *evidence) alone(tenant string) bool {
	shards, placed := e.v.s.Table.PlacedTenant([]byte(tenant))
	return placed && slices.Contains(shards, e.id) && e.v.s.Table.Document().Shards[e.id].Role == routing.Dedicated
}

// roomy says whether the other shards have room for what is too much on this
// one, by points and twice over: then more shards are not what is missing.
func (e *evidence) roomy() bool {
	long := e.v.long()
	var room float64
	for _, r := range e.v.receivers(e) {
		room += max(0, r.target-long.shards[r.id].load/long.seconds)
	}
	if room < 2*(e.load.load/e.w.seconds-e.target) {
		return false
	}
	return len(e.unmovable()) == 0 && !e.floor()
}

// keyFixes: a written key is salted, a read one cached. Where the op is not
// known neither can be said, and guessing would be a wrong fix.
func keyFixes(it *item) []Fix {
	switch {
	case it.unknown > 0.5:
		return nil
	case it.reads >= readHot:
		return []Fix{FixCache, FixIsolate}
	default:
		return []Fix{FixSalt, FixIsolate}
	}
}

// first is the contributor that the finding names.
func (f *finding) first() *item {
	if len(f.contributors) == 0 {
		return nil
	}
	return &f.contributors[0]
}

// exceeds says whether a contributor's own load on the shard is above the
// target: its upper bound counts.
func (e *evidence) exceeds(it *item) bool {
	return it.on.upper(causeLevel, e.v.scale(e.w)) > e.target*e.w.seconds
}

// unmovable lists the keys of the shard that no receiver has room for: keys by
// their lower bounds, room by points. The heaviest few of many thin keys only look heavy.
func (e *evidence) unmovable() []item {
	long := e.v.long()
	most := 0.0
	for _, r := range e.v.receivers(e) {
		most = max(most, r.target-long.shards[r.id].load/long.seconds)
	}
	var out []item
	for i := range e.keys {
		if len(out) < maxContributors && e.keys[i].on.lower(causeLevel)/e.w.seconds > most {
			out = append(out, e.keys[i])
		}
	}
	return out
}

// attempt builds the layout of one fix for a finding; nil with a reason where
// none meets the target.
func attempt(e *evidence, f *finding, fix Fix, alpha float64) (*layout, string) {
	l := newLayout(e, alpha)
	switch fix {
	case FixSalt, FixCache, FixIsolate, FixQuota, FixLimitCaller:
		return l.treatAll(f, fix)
	case FixSplit:
		return found(l.split(), "no set of virtual shards that fits the others brings it under the target")
	case FixScaleOut:
		return l.scaleOut()
	case FixNone:
	}
	return nil, ""
}

func found(l *layout, why string) (*layout, string) {
	if l == nil {
		return nil, why
	}
	return l, ""
}

// scaleOut adds the fewest shards onto which a split succeeds.
func (l *layout) scaleOut() (*layout, string) {
	for n := 1; n <= max(4, len(l.e.v.serving)); n *= 2 {
		grown := l.clone()
		var names []string
		for range n {
			names = append(names, grown.doc.Shards[grown.addShard(routing.Serving).id].Name)
		}
		grown.steps = append(grown.steps, Step{Kind: StepAddShards, Shards: names})
		if best := grown.split(); best != nil {
			return best, ""
		}
	}
	return nil, "no number of added shards up to twice the fleet brings it under the target"
}

// treatAll treats the contributors one after the other until the shard meets
// its target; the first one by fix, the others by what suits them. What is
// still too much afterwards is split off as a later step.
func (l *layout) treatAll(f *finding, fix Fix) (*layout, string) {
	contributors := f.contributors
	if f.cause == CauseVolume && len(contributors) == 0 {
		contributors = l.e.unmovable()
	}
	if len(contributors) == 0 {
		return nil, "no one key or tenant makes it hot"
	}
	why := ""
	for _, way := range l.ways(contributors) {
		done, failed := l.clone().treatSome(way, fix)
		if done != nil {
			return done, ""
		}
		if why == "" {
			why = failed
		}
	}
	return nil, why
}

// way is one way to go about several contributors.
type way struct {
	treated []item  // in this order; the others stay for the split at the end
	spare   float64 // part of what stays that the split is to take off although it would fit
}

// ways lists them, the plainest first: all that were found; without the further
// tenants where their small keys can be parted by a split; and either of them
// with room made by a split.
func (l *layout) ways(contributors []item) []way {
	few := contributors[:1:1]
	for _, it := range contributors[1:] {
		if it.key != nil || !l.e.separates() {
			few = append(few, it)
		}
	}
	out := []way{{treated: contributors}}
	if len(few) < len(contributors) {
		out = append(out, way{treated: few})
	}
	const spare = 0.3 // of the rest: one more operation or two, under the cap of one
	return append(out, way{treated: few, spare: spare})
}

// treatSome goes one way.
func (l *layout) treatSome(w way, fix Fix) (*layout, string) {
	residue, panes := l.e.residue(w.treated)
	l.kept = residue.plus(sumOn(w.treated))
	l.unseen *= float64(l.e.w.panes) / float64(panes)
	plan := l.roomFor(w.treated, w.spare)
	for i := range w.treated {
		it := &w.treated[i]
		how := fix
		if i > 0 {
			how = suits(it)
		}
		l.treat(it, how, plan.after(w.treated[i+1:]))
		if l.failed != "" {
			return nil, l.failed
		}
		if l.feasible() {
			return l, ""
		}
	}
	if r := l.overfull(); r != nil {
		return nil, "it would put " + l.doc.Shards[r.id].Name + " over its target"
	}
	return found(l.split(), "the shard stays over its target")
}

// suits is how a further contributor of a plan is treated.
func suits(it *item) Fix {
	switch {
	case it.key == nil:
		return FixIsolate
	case it.reads >= readHot:
		return FixCache
	default:
		return FixSalt
	}
}

// room is how several contributors share what the hot shard can keep.
type room struct {
	surplus amount  // what a later split must take off even without any of them
	keep    float64 // part of its load that a contributor may leave behind
}

// roomFor divides the room that the rest of the shard leaves under the target
// between the contributors by their loads. Where the rest is over the target
// by itself, a split follows, and is to leave them half of it; spare is the
// part of the rest that a split takes off anyhow.
func (l *layout) roomFor(contributors []item, spare float64) room {
	all := sumOn(contributors)
	residue, limit := l.kept.minus(all), l.e.target*l.e.w.seconds
	off := residue.part(spare)
	residue = residue.minus(off)
	r := room{surplus: off, keep: ratio(limit-residue.upper(l.alpha, l.unseen), all.load)}
	if r.keep <= 0 {
		r = room{surplus: residue.part(max(0, 1-limit/2/residue.load)), keep: ratio(limit/2, all.load)}
	}
	r.keep = min(1, r.keep)
	return r
}

// after is the load that is off the hot shard once the items left are treated.
func (r room) after(left []item) amount { return sumOn(left).part(1 - r.keep).plus(r.surplus) }

func sumOn(items []item) amount {
	var sum amount
	for i := range items {
		sum = sum.plus(items[i].on)
	}
	return sum
}

func (l *layout) treat(it *item, fix Fix, rest amount) {
	switch {
	case fix == FixLimitCaller:
		l.limitCaller(it)
	case it.key == nil && fix == FixQuota:
		l.quota(it)
	case it.key == nil && fix == FixIsolate:
		l.isolateTenant(it)
	case it.key == nil:
		l.failed = "a " + fix.String() + " does nothing to a tenant's many keys"
	case fix == FixIsolate:
		l.isolateKey(it)
	case fix == FixSalt:
		l.saltEnough(it, rest)
	case fix == FixCache:
		l.cacheEnough(it, rest)
	default:
		l.failed = "a " + fix.String() + " limits tenants, not keys"
	}
}

// cacheEnough caches the key's reads and, where its writes alone are too much,
// salts those.
func (l *layout) cacheEnough(it *item, rest amount) {
	if it.readPart() == 0 {
		l.failed = "it is not read: a cache answers nothing"
		return
	}
	plain := l.clone()
	plain.cache(it)
	if plain.meets(rest) || it.writePart() == 0 {
		*l = *plain
		return
	}
	salted := l.clone()
	salted.steps = append(salted.steps, cacheStep(it))
	if salted.smallestSalt(it, true, rest) {
		*l = *salted
		return
	}
	*l = *plain
}

func cacheStep(it *item) Step {
	key, tenant := it.name()
	return Step{Kind: StepCache, Key: key, Tenant: tenant}
}

// saltEnough takes the smallest salt that meets the target; where none does
// because every piece carries the reads, a salt with a cache for those.
func (l *layout) saltEnough(it *item, rest amount) {
	plain := l.clone()
	if plain.smallestSalt(it, false, rest) {
		*l = *plain
		return
	}
	if it.readPart() > 0 {
		cached := l.clone()
		if cached.smallestSalt(it, true, rest) {
			cached.steps = append(cached.steps, cacheStep(it))
			*l = *cached
			return
		}
	}
	l.failed = plain.failed
}

// smallestSalt applies the smallest salt with which the shard would meet its
// target once rest is treated too.
func (l *layout) smallestSalt(it *item, cached bool, rest amount) bool {
	most := min(maxPieces, 1+len(l.receivers))
	for s := 2; s <= most; s++ {
		if !l.couldMeet(it, s, cached, rest) {
			continue
		}
		c := l.clone()
		if c.salt(it, s, cached) && c.meets(rest) {
			*l = *c
			return true
		}
		l.failed = c.failed
		return false
	}
	l.failed = "no number of pieces up to one a shard brings it under the target"
	return false
}

// couldMeet says whether s pieces would do, before suffixes are searched: the
// hot shard and as many receivers as there are new pieces have room for one.
func (l *layout) couldMeet(it *item, s int, cached bool, rest amount) bool {
	piece := it.piece(s, cached)
	c := *l
	c.kept = l.kept.minus(it.on).plus(piece).minus(rest)
	if c.home() > l.e.target {
		return false
	}
	open := 1
	for i := range l.receivers {
		if r := &l.receivers[i]; !r.closed && l.fits(r, piece) {
			open++
		}
	}
	return open >= s
}

// meets is feasible once rest is off the hot shard too.
func (l *layout) meets(rest amount) bool {
	if l.failed != "" || l.overfull() != nil {
		return false
	}
	c := *l
	c.kept = l.kept.minus(rest)
	return c.home() <= l.e.target
}

// choice is the fix that is shown for a finding.
type choice struct {
	fix    Fix
	layout *layout // nil for none
	alpha  float64
	why    map[Fix]string // of those that were tried and failed
}

// choose tries the fixes in their order, each first at the strict level of
// sizing, then at the other.
func choose(e *evidence, f *finding) choice {
	fixes := order(e, f)
	c := choice{why: map[Fix]string{}}
	for _, fix := range fixes {
		for _, alpha := range []float64{sizeLevel, sizeFallback} {
			l, why := attempt(e, f, fix, alpha)
			if l != nil {
				return choice{fix: fix, layout: l, alpha: alpha, why: c.why}
			}
			c.why[fix] = why
		}
	}
	return c
}

// agreedFix is the fix that every branch of the evidence shares.
func agreedFix(e *evidence, b *branches) choice {
	if d := e.v.s.Inputs.Disagree; d > e.v.cfg.Disagree {
		return choice{why: map[Fix]string{}} // projections on a table that is not obeyed prove nothing
	}
	if slices.Contains(b.open, hotWithoutIt) {
		return choice{why: map[Fix]string{}}
	}
	point := choose(e, &b.point)
	for i := range b.all[1:] {
		if other := choose(e, &b.all[i+1]); other.fix != point.fix {
			return choice{why: point.why}
		}
	}
	return point
}

// unknownOps says whether a finding's fix hangs on ops that the log does not name.
func unknownOps(f *finding) bool {
	return slices.ContainsFunc(f.contributors, func(i item) bool { return i.key != nil && i.unknown > 0.5 })
}
