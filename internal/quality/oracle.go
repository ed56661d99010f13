package quality

import (
	"math"
	"slices"

	"firebreak/policy"
	"firebreak/routing"
)

// Object names a contributor under its cause. Volume has neither key nor tenant.
type Object struct {
	Cause       policy.Cause
	Key, Tenant string
}

// Truth is what follows from the exact rates of one shard.
type Truth struct {
	Shard        routing.ShardID
	Load         float64 // requests/s
	Ratio        float64 // load / line
	Target       float64 // requests/s
	Effective    float64 // effective samples a minute on the shard
	Cause        policy.Cause
	Contributors []Object // in the order of removal
	Accepted     []Object // any of these may be named first
	Margin       float64  // relative distance to the nearest boundary between causes
	Admissible   Admissible

	removed []object // as Contributors
}

// minShare is the least part of what remains that makes a contributor in rules (a) and (c).
const minShare = 0.25

// mostRemoved bounds the contributors of one shard.
const mostRemoved = 8

// Truth works out what is true of a shard. It shares no code with the policy's removal: it compares exact rates.
func (f *Fleet) truth(b *borne) *Truth {
	e := f.Exact()
	t := &Truth{
		Shard: b.shard, Load: b.load, Ratio: e.Ratio(b.shard), Target: e.Target,
		Effective: b.load * f.Rate * 60 / f.DesignEffect(), Cause: policy.CauseVolume, Margin: math.Inf(1),
	}
	r := &remover{f: f, t: t, keys: slices.Clone(b.keys), tenants: slices.Clone(b.tenants), rest: b.load, separates: f.Table.SeparatesKeys()}
	for round := range mostRemoved {
		o, cause, last := r.step(round == 0)
		if o == nil {
			break
		}
		named := f.object(o)
		if round == 0 {
			t.Cause = cause
		}
		t.Contributors, t.removed = append(t.Contributors, named), append(t.removed, *o)
		r.remove(o)
		if last || r.rest <= t.Target {
			break
		}
	}
	t.accept(f, b)
	f.admit(t, b)
	return t
}

// object names o.
func (f *Fleet) object(o *object) Object {
	if o.key < 0 {
		return Object{Cause: policy.CauseWhaleTenant, Tenant: f.Tenants[o.tenant]}
	}
	return Object{Cause: policy.CauseHotKey, Key: f.Keys[o.key].Name, Tenant: f.Tenants[o.tenant]}
}

// remover takes contributors off a shard, on exact loads.
type remover struct {
	f         *Fleet
	t         *Truth
	keys      []object // left, heaviest first
	tenants   []object // left, heaviest first
	rest      float64
	separates bool
}

// step is one round of "would it be cool without X?", narrowest first, rules (a) to (e); judged says that its
// comparisons decide the cause, so that their margins count.
func (r *remover) step(judged bool) (o *object, cause policy.Cause, last bool) {
	target := r.t.Target
	note := func(margin float64) {
		if judged {
			r.t.Margin = min(r.t.Margin, margin)
		}
	}
	if len(r.keys) > 0 {
		k := r.keys[0]
		yes, margin := r.cools(k)
		if note(margin); yes {
			return &k, policy.CauseHotKey, true
		}
		if r.separates {
			note(distance(k.load, target))
			if k.load > target {
				return &k, policy.CauseHotKey, false
			}
		}
	}
	if len(r.tenants) == 0 {
		return nil, policy.CauseVolume, false
	}
	w := r.tenants[0]
	yes, margin := r.cools(w)
	if note(margin); yes {
		return &w, policy.CauseWhaleTenant, true
	}
	if note(distance(w.load, target)); w.load <= target {
		return nil, policy.CauseVolume, false
	}
	own := slices.IndexFunc(r.keys, func(k object) bool { return k.tenant == w.tenant })
	if own >= 0 {
		note(distance(w.load-r.keys[own].load, target))
		if w.load-r.keys[own].load <= target {
			k := r.keys[own]
			return &k, policy.CauseHotKey, false
		}
	}
	return &w, policy.CauseWhaleTenant, false
}

// cools says whether o is a quarter of what remains and the shard is at its target without it, and how far that is from
// the opposite: both must hold, one failure is enough.
func (r *remover) cools(o object) (yes bool, margin float64) {
	quarter := o.load >= minShare*r.rest
	without := r.rest-o.load <= r.t.Target
	a, b := distance(o.load, minShare*r.rest), distance(r.rest-o.load, r.t.Target)
	switch {
	case quarter && without:
		return true, min(a, b)
	case quarter:
		return false, b
	case without:
		return false, a
	default:
		return false, max(a, b)
	}
}

// distance of x from a boundary, relative to the boundary.
func distance(x, boundary float64) float64 { return math.Abs(x-boundary) / boundary }

// remove takes o off, with its keys or from its tenant.
func (r *remover) remove(o *object) {
	r.rest -= o.load
	r.keys = slices.DeleteFunc(r.keys, func(k object) bool {
		return k.key == o.key || o.key < 0 && k.tenant == o.tenant
	})
	if o.key < 0 {
		r.tenants = slices.DeleteFunc(r.tenants, func(t object) bool { return t.tenant == o.tenant })
		return
	}
	for i := range r.tenants {
		if r.tenants[i].tenant == o.tenant {
			r.tenants[i].load -= o.load
		}
	}
	slices.SortStableFunc(r.tenants, heavierObject)
}

// accept lists what may be named first: any contributor of the list, any other one of the same kind that passes the same
// test, and a tenant over the target beside its key where that key is less than a quarter of it (rule d alone would call
// a whale close to the target after a key that is next to nothing of it).
func (t *Truth) accept(f *Fleet, b *borne) {
	t.Accepted = slices.Clone(t.Contributors)
	if len(t.Contributors) == 0 {
		t.Accepted = []Object{{Cause: policy.CauseVolume}}
		return
	}
	same := b.keys
	if t.Cause == policy.CauseWhaleTenant {
		same = b.tenants
	}
	for i := range same {
		o := &same[i]
		if o.load < minShare*b.load {
			break
		}
		if b.load-o.load <= t.Target {
			t.Accepted = append(t.Accepted, f.object(o))
		}
	}
	first := t.removed[0]
	for i := range b.tenants {
		if w := &b.tenants[i]; first.key >= 0 && w.tenant == first.tenant && w.load > t.Target && first.load < minShare*w.load {
			t.Accepted = append(t.Accepted, f.object(w))
		}
	}
}

// accepts says whether a verdict names a true contributor under its cause.
func (t *Truth) accepts(cause policy.Cause, key, tenant string) bool {
	return slices.ContainsFunc(t.Accepted, func(o Object) bool {
		switch {
		case o.Cause != cause:
			return false
		case cause == policy.CauseHotKey:
			return o.Key == key && (tenant == "" || o.Tenant == tenant)
		default:
			return o.Tenant == tenant
		}
	})
}
