package policy

import "slices"

// treatAll treats the contributors one after the other until the shard meets
// its target; the first one by fix, the others by what suits them. What is
// still too much afterwards is split off as a later step.
func (l *layout) treatAll(f *finding, fix Fix) (*layout, string) {
	contributors := f.contributors
	if f.cause == CauseVolume && len(contributors) == 0 {
		contributors = l.e.stuck()
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

// ways lists them, the plainest first: all that were found, but the further
// tenants under the target that are as much of every other shard; without any
// further tenants, where their small keys can be parted by a split; that with
// room made by the split; and so all with what no split can be proved to move.
func (l *layout) ways(contributors []item) []way {
	few, keys := contributors[:1:1], contributors[:1:1]
	for i := range contributors[1:] {
		it := &contributors[1+i]
		if it.key != nil || l.e.exceeds(it) || !l.e.everywhere(it) {
			few = append(few, *it)
		}
		if it.key != nil || !l.e.separates() {
			keys = append(keys, *it)
		}
	}
	const spare = 0.3 // of the rest: one more operation or two, under the cap of one
	out := []way{{treated: few}}
	if len(keys) < len(few) {
		out = append(out, way{treated: keys})
	}
	out = append(out, way{treated: keys, spare: spare})
	if more := l.e.andStuck(few); len(more) > len(few) {
		out = append(out, way{treated: more, spare: spare})
	}
	return out
}

// andStuck is the list with what else is stuck, but for what goes with one of the list.
func (e *evidence) andStuck(treated []item) []item {
	out := slices.Clone(treated)
	for _, it := range e.stuck() {
		if len(out) < maxContributors && !slices.ContainsFunc(treated, it.goesAlong) {
			out = append(out, it)
		}
	}
	return out
}

// goesAlong says whether the two are one, or a tenant and its key.
func (it *item) goesAlong(o item) bool {
	switch {
	case it.key == nil && o.key != nil:
		return o.ownedBy(it.tenant)
	case it.key != nil && o.key == nil:
		return it.ownedBy(o.tenant)
	}
	return it.identity() == o.identity()
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
		if l.goesWith(it, how, w.treated[i+1:]) {
			continue
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
		return nil, "it would put " + l.called(l.doc.Shards[r.id].Name) + " over its target"
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
