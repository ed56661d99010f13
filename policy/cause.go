package policy

import (
	"encoding/binary"
	"slices"
)

// maxContributors bounds the list of one verdict.
const maxContributors = 8

// mostShare of a key makes a tenant its owner.
const mostShare = 0.5

// finding is the outcome of removal on one window.
type finding struct {
	cause        Cause
	contributors []item // removed, in order; the first one names the object
	rest         amount // what remains on the shard without them
}

// object is what the finding names: nothing for volume and unknown.
func (f *finding) object() (key, tenant string) {
	if len(f.contributors) == 0 {
		return "", ""
	}
	return f.contributors[0].name()
}

// question names one comparison of the first round of removal.
type question uint8

const (
	noQuestion question = iota
	keyIsQuarter
	underWithoutKey
	keyAboveTarget
	tenantIsQuarter
	underWithoutTenant
	tenantAboveTarget
	underWithoutItsKey
	hotWithoutIt
)

// String says in words what was left open.
func (q question) String() string {
	return name([]string{
		"nothing",
		"whether the heaviest key is a quarter of the load",
		"whether the shard is under its target without its heaviest key",
		"whether the heaviest key alone is over the target",
		"whether the heaviest tenant is a quarter of the load",
		"whether the shard is under its target without its heaviest tenant",
		"whether the heaviest tenant alone is over the target",
		"whether that tenant is under the target without its heaviest key",
		"whether it is the reason: the shard was as hot before without it",
	}, int(q))
}

// removal finds the cause of a hot shard: "would it be cool without X?",
// narrowest first. It can be run with one answer inverted, to see whether what
// the bounds leave open matters.
type removal struct {
	e       *evidence
	flip    question   // this answer is inverted
	open    []question // answers of the first round that the bounds leave open
	round   int
	gone    map[string]bool // keys removed so far, alone or with their tenant
	tenants map[string]bool // tenants removed so far
	taken   map[string]amount
}

// attribute runs the removal with the answer to flip inverted.
func (e *evidence) attribute(flip question) (finding, []question) {
	r := &removal{e: e, flip: flip, gone: map[string]bool{}, tenants: map[string]bool{}, taken: map[string]amount{}}
	f := finding{cause: CauseVolume, rest: e.load}
	for r.round = 0; r.round < maxContributors; r.round++ {
		if r.round > 0 && f.rest.load <= e.target*e.w.seconds {
			break
		}
		it, cause, last := r.step(f.rest)
		if it == nil {
			break
		}
		if len(f.contributors) == 0 {
			f.cause = cause
		}
		f.contributors = append(f.contributors, *it)
		f.rest = f.rest.minus(it.on)
		r.remove(it)
		if last {
			break
		}
	}
	return f, r.open
}

// step removes the next contributor, steps 1 to 4 of docs/verdicts.md; nil is
// step 5. last says that the shard is under its target without it.
func (r *removal) step(rest amount) (it *item, cause Cause, last bool) {
	key, tenant := r.heaviestKey(""), r.heaviestTenant()
	if key != nil {
		if r.quarter(keyIsQuarter, key.on, rest) && !r.above(underWithoutKey, rest.minus(key.on)) {
			return key, CauseHotKey, true
		}
		if r.e.separates() && r.above(keyAboveTarget, key.on) {
			return key, CauseHotKey, false
		}
	}
	if tenant == nil {
		return nil, CauseVolume, false
	}
	if r.quarter(tenantIsQuarter, tenant.on, rest) && !r.above(underWithoutTenant, rest.minus(tenant.on)) {
		return tenant, CauseWhaleTenant, true
	}
	own := r.heaviestKey(tenant.tenant)
	if over := r.above(tenantAboveTarget, tenant.on); !over || r.sameAsKey(key, own, tenant) {
		return nil, CauseVolume, false
	}
	if own != nil && r.quarterOf(own.on, tenant.on) && !r.above(underWithoutItsKey, tenant.on.minus(own.on)) {
		return own, CauseHotKey, false
	}
	return tenant, CauseWhaleTenant, false
}

// sameAsKey: where a tenant is next to nothing but the heaviest key, whether
// the tenant is over the target is the same question as whether the key is; if
// that one is inverted, this one is too.
func (r *removal) sameAsKey(key, own, tenant *item) bool {
	if r.round > 0 || r.flip != keyAboveTarget || key == nil || own != key {
		return false
	}
	_, open := r.e.aboveTarget(tenant.on)
	return open
}

// remove marks it and what belongs to it as gone.
func (r *removal) remove(it *item) {
	if it.key != nil {
		r.gone[it.identity()] = true
		r.taken[it.tenant] = r.taken[it.tenant].plus(it.on.part(it.key.TenantShare))
		return
	}
	r.tenants[it.tenant] = true
	for i := range r.e.keys {
		if r.e.keys[i].ownedBy(it.tenant) {
			r.gone[r.e.keys[i].identity()] = true
		}
	}
}

// identity is unambiguous for hostile bytes: the tenant's length comes first.
func (it *item) identity() string {
	key, tenant := it.name()
	return identity(key, tenant)
}

func identity(key, tenant string) string {
	b := binary.AppendUvarint(nil, uint64(len(tenant)))
	return string(b) + tenant + key
}

// ownedBy says whether a tenant sends at least half of the key.
func (it *item) ownedBy(tenant string) bool {
	return it.tenant == tenant && it.key.TenantShare >= mostShare
}

func (r *removal) heaviestKey(tenant string) *item {
	for i := range r.e.keys {
		it := &r.e.keys[i]
		if !r.gone[it.identity()] && (tenant == "" || it.ownedBy(tenant)) {
			return it
		}
	}
	return nil
}

// heaviestTenant is the tenant with the most load left, its removed keys taken off.
func (r *removal) heaviestTenant() *item {
	var best *item
	for i := range r.e.tenants {
		it := r.e.tenants[i]
		if r.tenants[it.tenant] {
			continue
		}
		it.on = it.on.minus(r.taken[it.tenant])
		if it.on.load > 0 && (best == nil || it.on.load > best.on.load) {
			best = &it
		}
	}
	return best
}

// separates says whether the placement can part one key from another.
func (e *evidence) separates() bool { return e.v.s.Table.SeparatesKeys() }

func (r *removal) quarter(q question, part, rest amount) bool {
	yes, open := r.e.atLeast(part, rest, r.e.v.cfg.MinShare)
	return r.answer(q, yes, open)
}

// quarterOf is only a guard for rule (d): a key that is next to nothing of its
// tenant does not make a hot key of a whale that is close to the target.
func (r *removal) quarterOf(part, whole amount) bool {
	return part.load >= r.e.v.cfg.MinShare*whole.load
}

func (r *removal) above(q question, a amount) bool {
	yes, open := r.e.aboveTarget(a)
	return r.answer(q, yes, open)
}

// answer records what is open in the first round, which alone decides cause
// and object, and inverts the one answer that is to be inverted.
func (r *removal) answer(q question, yes, open bool) bool {
	if r.round > 0 {
		return yes
	}
	if open && !slices.Contains(r.open, q) {
		r.open = append(r.open, q)
	}
	return yes != (q == r.flip)
}

// branches are the finding by points and those with one open answer inverted.
type branches struct {
	point finding
	all   []finding  // with the point finding first
	open  []question // that change cause or object
}

// agree says whether cause and object are the same whatever the bounds leave open.
func (b *branches) agree() bool { return len(b.open) == 0 }

func (e *evidence) branch() branches {
	point, open := e.attribute(noQuestion)
	b := branches{point: point, all: []finding{point}}
	for _, q := range open {
		f, _ := e.attribute(q)
		if !sameObject(&point, &f) {
			b.open = append(b.open, q)
			b.all = append(b.all, f)
		}
	}
	return b
}

// sameObject: any true contributor may stand first, so a finding that names
// another one of the same list under the same cause is the same.
func sameObject(a, b *finding) bool {
	if a.cause != b.cause || len(a.contributors) == 0 != (len(b.contributors) == 0) {
		return false
	}
	if len(a.contributors) == 0 {
		return true
	}
	first := b.contributors[0].identity()
	return slices.ContainsFunc(a.contributors, func(i item) bool { return i.identity() == first })
}
