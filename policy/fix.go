package policy

import (
	"slices"

	"firebreak/routing"
)

// order lists the fixes to try for a finding, the best first; docs/verdicts.md has the table.
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
		if e.everywhere(first) {
			out = append(out, FixSplit) // it does not make this shard hotter than others: its volume here does
		}
		if !e.alone(first.tenant) {
			out = append(out, FixIsolate)
		}
		if out = append(out, FixQuota); e.separates() && !slices.Contains(out, FixSplit) {
			out = append(out, FixSplit) // its many small keys can be parted after all
		}
	case CauseVolume:
		// What may fit no receiver stands in the way of every split.
		if stuck := e.stuck(); len(stuck) > 0 {
			out = append(out, fixesOf(&stuck[0])...)
		}
		if !e.othersHaveRoom() {
			out = append(out, FixScaleOut)
		}
	case CauseUnknown:
	}
	return out
}

// everywhere says whether a tenant whose keys can be parted has about the share
// of all other shards that it has of this one.
func (e *evidence) everywhere(it *item) bool {
	const about = 0.75
	here, elsewhere := ratio(it.on.load, e.load.load), ratio(it.all.load-it.on.load, e.w.total.load-e.load.load)
	return e.separates() && elsewhere >= about*here
}

// alone says whether the tenant has this shard to itself already.
func (e *evidence) alone(tenant string) bool {
	shards, placed := e.v.s.Table.PlacedTenant([]byte(tenant))
	return placed && slices.Contains(shards, e.id) && e.v.s.Table.Document().Shards[e.id].Role == routing.Dedicated
}

// othersHaveRoom says whether the other shards have room for what is too much on this
// one, by points and twice over, and for its virtual shards as they are: then more shards are not what is missing.
func (e *evidence) othersHaveRoom() bool {
	long := e.v.long()
	var room float64
	for _, r := range e.v.receivers(e, receiverZ) {
		room += max(0, r.target-long.shards[r.id].load/long.seconds)
	}
	if room < 2*(e.load.load/e.w.seconds-e.target) {
		return false
	}
	if len(e.unmovable()) > 0 || e.floor() {
		return false
	}
	l, _ := attempt(e, nil, FixSplit, pointLevel)
	return l != nil
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

// fixesOf is keyFixes, and for a tenant a shard of its own.
func fixesOf(it *item) []Fix {
	if it.key == nil {
		return []Fix{FixIsolate}
	}
	return keyFixes(it)
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
	for _, r := range e.v.receivers(e, receiverZ) {
		most = max(most, r.target-long.shards[r.id].load/long.seconds)
	}
	var out []item
	for i := range e.keys {
		if len(out) < maxContributors && e.keys[i].on.lower()/e.w.seconds > most {
			out = append(out, e.keys[i])
		}
	}
	return out
}

// stuck lists what a split cannot be proved to move: keys, or tenants where the
// placement cannot part their keys, that by upper bounds, as every size of a
// plan, no receiver has room for, and that are a quarter of the target at
// least beyond doubt. The heaviest first.
func (e *evidence) stuck() []item {
	l := newLayout(e, e.fallback)
	least := e.v.cfg.MinShare * e.target * e.w.seconds
	list := e.keys
	if !e.separates() {
		list = e.tenants
	}
	var out []item
	for i := range list {
		it := &list[i]
		if len(out) == maxContributors || it.on.load < least {
			break
		}
		fits := slices.ContainsFunc(l.receivers, func(r receiver) bool { return l.fits(&r, it.on) })
		if !fits && it.on.lower() >= least {
			out = append(out, *it)
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
