package quality

import (
	"cmp"
	"slices"

	"firebreak/policy"
)

// treatAll treats the first contributor by fix and the others by what takes off most, then splits what remains.
func (r *relief) treatAll(all []object, fix policy.Fix) bool {
	for i := range all {
		ok := false
		if i == 0 {
			ok = r.treat(&all[i], fix)
		} else {
			for _, other := range []policy.Fix{policy.FixIsolate, policy.FixSalt, policy.FixCache} {
				if ok = r.treat(&all[i], other); ok {
					break
				}
			}
		}
		if !ok {
			return false
		}
		if r.cool() {
			return true
		}
	}
	return len(all) > 0 && r.split()
}

// treat applies one fix to one contributor and says whether that could be done.
func (r *relief) treat(o *object, fix policy.Fix) bool {
	isKey := o.key >= 0
	switch {
	case fix == policy.FixLimitCaller:
		if r.f.Caller == "" || o.called < 0.5 {
			return false
		}
		r.takeOff(o, o.called)
		return true
	case fix == policy.FixSalt && isKey:
		return r.salt(o, false) || r.salt(o, true)
	case fix == policy.FixCache && isKey:
		return r.cache(o)
	case fix == policy.FixIsolate:
		return r.isolate(o)
	case fix == policy.FixQuota && !isKey:
		if r.kept-o.load >= r.target {
			return false
		}
		r.takeOff(o, min(1, (r.kept-r.target)/o.load))
		return true
	}
	return false
}

// takeOff removes the share part of o from the shard.
func (r *relief) takeOff(o *object, part float64) {
	r.kept -= o.load * part
	if o.key >= 0 {
		v := r.f.Keys[o.key].VShard
		r.grains[v] -= o.load * part
		return
	}
	for i := range r.f.Keys {
		k := &r.f.Keys[i]
		if _, here := r.grains[k.VShard]; here && k.Tenant == o.tenant {
			r.grains[k.VShard] = max(0, r.grains[k.VShard]-k.After*part)
		}
	}
}

// cache takes the reads off; where the writes are still too many, they are salted.
func (r *relief) cache(o *object) bool {
	if o.reads <= 0 {
		return false
	}
	if r.kept-o.load*o.reads > r.target && r.salt(o, true) {
		return true
	}
	r.takeOff(o, o.reads)
	r.pinned[r.f.Keys[o.key].VShard] = struct{}{}
	return true
}

// salt spreads o over the fewest pieces that cool the shard, or over those that leave least on it, each piece on a shard
// with room for it.
func (r *relief) salt(o *object, cached bool) bool {
	if !r.f.Table.SeparatesKeys() || cached && (o.reads <= 0 || o.reads >= 1) {
		return false
	}
	rooms := slices.Clone(r.rooms)
	slices.SortFunc(rooms, func(a, b float64) int { return cmp.Compare(b, a) })
	best, bestPiece := 0, o.load
	for s := 2; s <= min(128, 1+len(rooms)); s++ {
		piece := o.all * (1 - o.reads) / float64(s)
		if !cached {
			piece += o.all * o.reads
		}
		if rooms[s-2] < piece {
			continue
		}
		if best == 0 || piece < bestPiece {
			best, bestPiece = s, piece
		}
		if r.kept-o.load+piece <= r.target {
			break
		}
	}
	if best == 0 || bestPiece >= o.load {
		return false
	}
	r.takeOff(o, 1)
	r.kept += bestPiece
	r.pinned[r.f.Keys[o.key].VShard] = struct{}{}
	for i := range best - 1 {
		rooms[i] -= bestPiece
	}
	r.rooms = rooms
	return true
}

// isolate gives o a shard of its own, which may run hot where the fleet has no capacity; where placement separates keys
// a tenant may have several. A key that cannot be parted from its tenant takes it along.
func (r *relief) isolate(o *object) bool {
	if o.key >= 0 && !r.f.Table.SeparatesKeys() {
		whole := object{key: -1, tenant: o.tenant}
		for i := range r.f.Keys {
			if k := &r.f.Keys[i]; k.Tenant == o.tenant {
				whole.load += k.After
			}
		}
		whole.all = whole.load
		o = &whole
	}
	several := o.key < 0 && r.f.Table.SeparatesKeys()
	if r.f.Capacity > 0 && o.all > r.target && !several {
		return false
	}
	r.takeOff(o, 1)
	return true
}
