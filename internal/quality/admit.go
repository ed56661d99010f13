package quality

import (
	"cmp"
	"slices"

	"firebreak/policy"
	"firebreak/routing"
)

// Admissible says for each policy.Fix whether, on exact rates, it brings the hot shard and every receiver to the target.
// FixNone is never admissible.
type Admissible [policy.FixScaleOut + 1]bool

// Any says whether one fix at least is admissible.
func (a *Admissible) Any() bool { return slices.Contains(a[:], true) }

// relief is a shard being relieved, on exact rates.
type relief struct {
	f      *Fleet
	target float64
	kept   float64                     // on the hot shard
	grains map[routing.VShard]float64  // of the hot shard, what is left of them
	pinned map[routing.VShard]struct{} // those that may not be moved
	rooms  []float64                   // of the receivers
}

// admit fills in which fixes are admissible: those that rule 10 would try for the true cause.
func (f *Fleet) admit(t *Truth, b *borne) {
	all := t.removed
	if t.Cause == policy.CauseVolume {
		all = f.relieve(b, t.Target).unmovable(b)
	}
	for _, fix := range policy.Fixes() {
		r := f.relieve(b, t.Target)
		switch fix {
		case policy.FixNone:
		case policy.FixSplit:
			t.Admissible[fix] = r.split()
		case policy.FixScaleOut:
			t.Admissible[fix] = t.Cause == policy.CauseVolume && r.scaleOut()
		case policy.FixSalt, policy.FixCache, policy.FixIsolate, policy.FixQuota, policy.FixLimitCaller:
			t.Admissible[fix] = r.treatAll(all, fix)
		}
	}
}

func (f *Fleet) relieve(b *borne, target float64) *relief {
	e := f.Exact()
	r := &relief{
		f: f, target: target, kept: b.load,
		grains: map[routing.VShard]float64{}, pinned: map[routing.VShard]struct{}{},
	}
	for v, load := range e.VShards {
		if load > 0 && f.Table.Owner(routing.VShard(v)) == b.shard {
			r.grains[routing.VShard(v)] = load
		}
	}
	for s, load := range e.Shards {
		if routing.ShardID(s) != b.shard {
			r.rooms = append(r.rooms, target-load)
		}
	}
	return r
}

// cool says whether the shard is at its target.
func (r *relief) cool() bool { return r.kept <= r.target }

// split moves virtual shards, the heaviest first, each to the receiver with the most room, while they fit. (Worst fit
// decreasing: it may miss a packing that exists, but only where rooms and virtual shards are of one size.)
func (r *relief) split() bool {
	type grain struct {
		v    routing.VShard
		load float64
	}
	var all []grain
	for v, load := range r.grains {
		if _, pinned := r.pinned[v]; !pinned {
			all = append(all, grain{v, load})
		}
	}
	slices.SortFunc(all, func(a, b grain) int { return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.v, b.v)) })
	rooms := slices.Clone(r.rooms)
	kept := r.kept
	for _, g := range all {
		if kept <= r.target || len(rooms) == 0 {
			break
		}
		best := 0
		for i := range rooms {
			if rooms[i] > rooms[best] {
				best = i
			}
		}
		if g.load <= rooms[best] {
			rooms[best] -= g.load
			kept -= g.load
		}
	}
	return kept <= r.target
}

// scaleOut adds up to as many shards as there are, at least four.
func (r *relief) scaleOut() bool {
	for range max(4, r.f.Shards) {
		r.rooms = append(r.rooms, r.target)
	}
	return r.split()
}

// unmovable lists the keys that no receiver has room for, heaviest first.
func (r *relief) unmovable(b *borne) []object {
	if len(r.rooms) == 0 {
		return nil
	}
	room := slices.Max(r.rooms)
	n := 0
	for n < len(b.keys) && n < mostRemoved && b.keys[n].load > room {
		n++
	}
	return b.keys[:n]
}
