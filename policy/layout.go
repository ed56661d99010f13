package policy

import (
	"math"
	"slices"
	"strings"

	"firebreak/routing"
)

// receiver is a shard that a plan may load: base is the most it has now.
type receiver struct {
	id     routing.ShardID
	base   float64 // load/s, upper bound
	gained amount  // sum over the evidence's window
	target float64 // load/s; +Inf where it may run hot
	closed bool    // dedicated: takes what was placed on it and nothing else
}

// layout is a candidate as sizing sees it: what the hot shard keeps and what
// each receiver gets, on upper bounds, together with the document that does it.
type layout struct {
	e         *evidence
	alpha     float64 // level of what the hot shard keeps
	z         float64 // normal quantile of what receivers bear
	doc       *routing.Document
	unseen    float64 // load of one request that was not seen, over the evidence's window
	kept      amount  // on the hot shard, sum over the evidence's window
	limited   float64 // on the hot shard too: what quotas let through, a limit and no estimate
	receivers []receiver
	pinned    map[routing.VShard]bool // vshards that a split of this plan may not move
	tenants   []string                // isolated or limited by this plan: their load is still in the vshards that were counted
	moves     []routing.Move          // of a split, laid into doc by finish
	steps     []Step
	moved     amount            // load that changes its shard
	grown     []routing.ShardID // added for pieces of a salt
	with      []companion       // keys that are off the hot shard, to go with a tenant that is still to be isolated
	pieces    int               // of the first salt
	keyReads  float64           // read multiplier of the first salted key
	failed    string            // why a treatment could not be applied
}

// newLayout is the fleet as it is.
func newLayout(e *evidence, alpha float64) *layout {
	z := receiverZ
	if alpha >= pointLevel {
		z = 0 // by the numbers, on every shard
	}
	return &layout{
		e: e, alpha: alpha, z: z, doc: e.v.s.Table.Document().Clone(), kept: e.load,
		unseen: e.v.scale(e.w), receivers: e.v.receivers(e, z), pinned: map[routing.VShard]bool{}, keyReads: 1,
	}
}

func (l *layout) clone() *layout {
	c := *l
	c.doc = l.doc.Clone()
	c.receivers = slices.Clone(l.receivers)
	c.moves = slices.Clone(l.moves)
	c.tenants = slices.Clone(l.tenants)
	c.grown, c.with = slices.Clone(l.grown), slices.Clone(l.with)
	c.steps = slices.Clone(l.steps)
	c.pinned = make(map[routing.VShard]bool, len(l.pinned))
	for v := range l.pinned {
		c.pinned[v] = true
	}
	return &c
}

// finish lays the moves of a split into the document and the steps.
func (l *layout) finish() {
	if len(l.moves) == 0 {
		return
	}
	moved := make(map[routing.VShard]bool, len(l.moves))
	for _, m := range l.moves {
		moved[m.VShard] = true
	}
	l.doc.Moves = slices.DeleteFunc(l.doc.Moves, func(m routing.Move) bool { return moved[m.VShard] })
	l.doc.Moves = append(l.doc.Moves, l.moves...)
	l.steps = append(l.steps, Step{Kind: StepMove, Moves: l.moves})
	l.moves = nil
}

// home is the upper bound of what the hot shard keeps, in load/s.
func (l *layout) home() float64 {
	return (l.limited + l.kept.upper(l.alpha, l.unseen)) / l.e.w.seconds
}

// load of a receiver with what it got, in load/s, on upper bounds.
func (l *layout) loadOf(r *receiver) float64 {
	return r.base + r.gained.upperNormal(l.z)/l.e.w.seconds
}

// fits says whether r could also take a.
func (l *layout) fits(r *receiver, a amount) bool {
	return r.base+r.gained.plus(a).upperNormal(l.z)/l.e.w.seconds <= r.target
}

// feasible: the hot shard and every shard that receives something are at or
// under their targets.
func (l *layout) feasible() bool {
	return l.failed == "" && l.home() <= l.e.target && l.overfull() == nil
}

// overfull is the first receiver that got too much.
func (l *layout) overfull() *receiver {
	for i := range l.receivers {
		if r := &l.receivers[i]; r.gained.load > 0 && l.loadOf(r) > r.target {
			return r
		}
	}
	return nil
}

// coldest orders the receivers that may take more by what they have now.
func (l *layout) coldest() []*receiver {
	out := make([]*receiver, 0, len(l.receivers))
	for i := range l.receivers {
		if !l.receivers[i].closed {
			out = append(out, &l.receivers[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *receiver) int { return compare(l.loadOf(a), l.loadOf(b), b.id, a.id) })
	return out
}

// upperNormal is the normal upper bound of a load at quantile z, for loads that rest on many samples
// or are parts of such.
func (a amount) upperNormal(z float64) float64 { return a.load + z*math.Sqrt(a.variance) }

// receivers lists the serving shards but the hot one, each with the most it
// carries now: its long-window load shrunk to the mean, at its upper bound for z, or
// its newest panes' if it has warmed up. Shrinking (empirical Bayes, normal
// model): shards of a thin log differ by chance much more than by load.
func (v *view) receivers(e *evidence, z float64) []receiver {
	long, newest := v.long(), v.newest(min(3, len(v.panes)))
	doc := v.s.Table.Document()
	var ids []routing.ShardID
	for _, id := range v.serving {
		if id != e.id && !slices.Contains(v.cfg.Pinned.Shards, doc.Shards[id].Name) {
			ids = append(ids, id)
		}
	}
	mean, between := spread(long, ids)
	out := make([]receiver, 0, len(ids))
	for _, id := range ids {
		r := receiver{id: id, target: e.target}
		if c := v.capacity(doc.Shards[id]); c > 0 {
			r.target = v.cfg.Lines.Target * c
		}
		a := long.shards[id].times(1 / long.seconds)
		if a.variance > 0 || between > 0 {
			noise := max(a.variance, mean*v.scale(long)/long.seconds)
			trust := between / (between + noise)
			a = amount{mean + trust*(a.load-mean), trust * noise}
		}
		r.base = a.upperNormal(z)
		now := newest.shards[id].times(1 / newest.seconds)
		if now.load-receiverZ*math.Sqrt(now.variance) > a.load {
			r.base = max(r.base, now.upperNormal(z))
		}
		out = append(out, r)
	}
	return out
}

// spread is the mean rate of the shards and how much they truly differ: the
// variance that arrivals and sampling do not explain, and at least the
// standard error of those, since so few shards cannot tell it from nothing.
func spread(w span, ids []routing.ShardID) (mean, between float64) {
	if len(ids) == 0 || w.seconds <= 0 {
		return 0, 0
	}
	var noise float64
	for _, id := range ids {
		mean += w.shards[id].load / w.seconds
		noise += w.shards[id].variance / (w.seconds * w.seconds)
	}
	n := float64(len(ids))
	mean, noise = mean/n, noise/n
	for _, id := range ids {
		d := w.shards[id].load/w.seconds - mean
		between += d * d
	}
	free := max(1, n-1)
	return mean, max(noise*math.Sqrt(2/free), between/free-noise)
}

// addShard gives the candidate one more shard, a spare if there is one left,
// and returns its receiver. role is what the shard becomes.
func (l *layout) addShard(role routing.Role) *receiver {
	id := routing.NoShard
	for i, shard := range l.doc.Shards {
		if shard.Role == routing.Spare {
			id = routing.ShardID(i)
			break
		}
	}
	if id == routing.NoShard {
		id = routing.ShardID(len(l.doc.Shards))
		l.doc.Shards = append(l.doc.Shards, routing.Shard{Name: l.newShardName()})
	}
	l.doc.Shards[id].Role = role
	l.receivers = append(l.receivers, receiver{id: id, target: l.e.targetOf(l.doc.Shards[id]), closed: role == routing.Dedicated})
	return &l.receivers[len(l.receivers)-1]
}

// called is how people are told of a shard: one that the plan adds has no name of theirs.
func (l *layout) called(name string) string {
	added := l.doc.Shards[l.e.v.s.Table.Shards():]
	for i := range added {
		switch {
		case added[i].Name != name:
		case len(added) == 1:
			return "a new shard"
		default:
			return "new shard " + itoa(i+1)
		}
	}
	return name
}

// calledAll counts some shards and names those that have a name. of is said behind their number.
func (l *layout) calledAll(names []string, of string) string {
	out := make([]string, 0, len(names))
	fresh := 0
	for _, name := range names {
		called := l.called(name)
		out = append(out, called)
		if called != name {
			fresh++
		}
	}
	if fresh == len(names) {
		return plural(len(names), "new shard") + of
	}
	return plural(len(names), "shard") + of + ": " + strings.Join(out, ", ")
}

// newShardName is the first free one of new-1, new-2, ...
func (l *layout) newShardName() string {
	for n := len(l.doc.Shards) - l.e.v.s.Table.Shards() + 1; ; n++ {
		name := "new-" + itoa(n)
		if !slices.ContainsFunc(l.doc.Shards, func(s routing.Shard) bool { return s.Name == name }) {
			return name
		}
	}
}
