package realogs

import (
	"cmp"
	"math"
	"slices"
)

// truth is what removal on exact loads says of a shard.
type truth struct {
	cause        string
	contributors []thing // in the order of removal
	accepted     []thing // any of them may be named first
	margin       float64 // relative distance of the nearest comparison from its boundary
}

// remover takes things off a shard. Loads are exact.
type remover struct {
	keys, tenants []thing
	tenantOf      func(key thing, tenant string) float64 // a key's load that a tenant sends
	rest, target  float64
	separates     bool // placement parts keys
	truth         truth
}

// judge finds the cause of a shard: would it be under the target without X?
func (e *exact) judge(s int) truth {
	keys, tenants := e.things(s)
	sent := map[[2]string]float64{}
	for i, r := range e.log {
		if e.on[i] == s {
			sent[[2]string{r.key, r.tenant}] += r.count
		}
	}
	r := &remover{
		keys: keys, tenants: tenants, rest: e.loads[s], target: e.line(), separates: e.by == "key",
		tenantOf: func(k thing, tenant string) float64 { return sent[[2]string{k.key, tenant}] },
		truth:    truth{cause: "volume", margin: math.Inf(1)},
	}
	for range 8 {
		if len(r.truth.contributors) > 0 && r.rest <= r.target || !r.step() {
			break
		}
	}
	r.truth.accepted = r.accepted(keys, tenants, e.loads[s])
	return r.truth
}

// near notes how far a comparison of the first round is from its boundary.
func (r *remover) near(x, boundary float64) {
	if len(r.truth.contributors) == 0 && boundary > 0 {
		r.truth.margin = min(r.truth.margin, math.Abs(x-boundary)/boundary)
	}
}

// step takes off the next contributor, rules (a) to (d); false is rule (e).
func (r *remover) step() bool {
	if len(r.keys) > 0 && r.cools(r.keys[0]) {
		return r.take("hot_key", r.keys[0])
	}
	if len(r.keys) > 0 && r.separates {
		if r.near(r.keys[0].load, r.target); r.keys[0].load > r.target {
			return r.take("hot_key", r.keys[0])
		}
	}
	if len(r.tenants) == 0 {
		return false
	}
	w := r.tenants[0]
	if r.cools(w) {
		return r.take("whale_tenant", w)
	}
	if r.near(w.load, r.target); w.load <= r.target {
		return false
	}
	for _, k := range r.keys {
		if own := r.tenantOf(k, w.tenant); own > 0 && (k.tenant == "" || k.tenant == w.tenant) {
			r.near(w.load-own, r.target)
			if own >= quarter*w.load && w.load-own <= r.target {
				return r.take("hot_key", k)
			}
			break
		}
	}
	return r.take("whale_tenant", w)
}

// cools says whether x is a quarter of what remains and the rest is under the target.
func (r *remover) cools(x thing) bool {
	r.near(x.load, quarter*r.rest)
	r.near(r.rest-x.load, r.target)
	return x.load >= quarter*r.rest && r.rest-x.load <= r.target
}

func (r *remover) take(cause string, x thing) bool {
	if len(r.truth.contributors) == 0 {
		r.truth.cause = cause
	}
	r.truth.contributors = append(r.truth.contributors, x)
	r.rest -= x.load
	if x.key == "" {
		r.tenants = slices.DeleteFunc(r.tenants, func(o thing) bool { return o.tenant == x.tenant })
		for i := range r.keys {
			r.keys[i].load -= r.tenantOf(r.keys[i], x.tenant)
		}
		r.keys = slices.DeleteFunc(r.keys, func(o thing) bool { return o.tenant != "" && o.tenant == x.tenant || o.load <= 0 })
		slices.SortStableFunc(r.keys, func(a, b thing) int { return cmp.Compare(b.load, a.load) })
		return true
	}
	r.keys = slices.DeleteFunc(r.keys, func(o thing) bool { return o.key == x.key && o.tenant == x.tenant })
	for i := range r.tenants {
		if x.tenant == "" || x.tenant == r.tenants[i].tenant {
			r.tenants[i].load -= r.tenantOf(x, r.tenants[i].tenant)
		}
	}
	slices.SortStableFunc(r.tenants, func(a, b thing) int { return cmp.Compare(b.load, a.load) })
	return true
}

// accepted are the contributors, and every other thing of the same kind without which the shard would be cool too.
func (r *remover) accepted(keys, tenants []thing, load float64) []thing {
	out := slices.Clone(r.truth.contributors)
	same := keys
	if r.truth.cause == "whale_tenant" {
		same = tenants
	}
	for _, x := range same {
		if r.truth.cause != "volume" && x.load >= quarter*load && load-x.load <= r.target {
			out = append(out, x)
		}
	}
	return out
}

// names says whether a verdict names a true contributor.
func (t *truth) names(cause, key, tenant string) bool {
	if cause == "volume" {
		return t.cause == "volume"
	}
	return slices.ContainsFunc(t.accepted, func(x thing) bool {
		if cause == "hot_key" {
			return x.key == key && (x.tenant == "" || x.tenant == tenant)
		}
		return cause == "whale_tenant" && x.key == "" && x.tenant == tenant
	})
}
