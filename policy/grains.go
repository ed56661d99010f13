package policy

import (
	"cmp"
	"slices"

	"firebreak/routing"
)

// grain is one vshard of the hot shard over the window a split is chosen on.
type grain struct {
	vshard routing.VShard
	all    amount // the whole window
	choose amount // every second pane: what the choice rests on
	check  amount // the others: what the choice is measured on
	weight float64
}

// splitPanes is the window on which vshards are chosen: from the onset on if
// that is known, at least what the evidence rests on, at most the long window.
func (v *view) splitPanes(e *evidence) int {
	n := e.w.panes
	for i := len(v.panes) - n - 1; i >= 0; i-- {
		w := v.between(i, i+1)
		rate := w.shards[e.id].load / w.seconds
		if rate < 0.75*e.load.load/e.w.seconds {
			break
		}
		n = len(v.panes) - i
	}
	return n
}

// named says whether a listed key or, where tenants are placed, a listed
// tenant makes this vshard heavy: only then can its load be trusted by itself.
func (e *evidence) named(vshard routing.VShard) bool {
	t := e.v.s.Table
	for i := range e.keys {
		if e.keys[i].key.VShard == vshard {
			return true
		}
	}
	if t.SeparatesKeys() {
		return false
	}
	for i := range e.tenants {
		if t.VShard([]byte(e.tenants[i].tenant), nil) == vshard {
			return true
		}
	}
	return false
}

// grains lists every vshard of the hot shard, those that were not seen too.
func (e *evidence) grains(panes int) []grain {
	t := e.v.s.Table
	at := map[routing.VShard]int{}
	var out []grain
	for v := range routing.VShard(t.VShards()) {
		if t.Owner(v) == e.id {
			at[v] = len(out)
			out = append(out, grain{vshard: v})
		}
	}
	newest := e.v.s.Panes[max(0, len(e.v.s.Panes)-panes):]
	for i := range newest {
		for _, v := range newest[i].VShards {
			k, ok := at[v.VShard]
			if !ok {
				continue
			}
			a := v.in(e.v.dim)
			a.variance *= e.v.effect
			out[k].all = out[k].all.plus(a)
			if i%2 == 0 {
				out[k].choose = out[k].choose.plus(a)
			} else {
				out[k].check = out[k].check.plus(a)
			}
		}
	}
	e.unlay(out, at, panes)
	return out
}

// laid is what lies on the hot shard otherwise than by the map, pieces of salted
// keys and placed tenants, and the vshards that hold such a piece: no split
// moves those.
func (e *evidence) laid() (sum amount, fixed map[routing.VShard]bool) {
	t := e.v.s.Table
	fixed = map[routing.VShard]bool{}
	for i := range e.keys {
		it := &e.keys[i]
		if _, salted := t.Salt([]byte(it.tenant), []byte(it.key.Key)); salted {
			sum = sum.plus(it.on)
			for _, p := range t.Pieces([]byte(it.tenant), []byte(it.key.Key), nil) {
				fixed[p.VShard] = true
			}
		}
	}
	for i := range e.tenants {
		if _, placed := t.PlacedTenant([]byte(e.tenants[i].tenant)); placed {
			sum = sum.plus(e.tenants[i].on)
		}
	}
	return sum, fixed
}

// unlay takes what the table lays elsewhere out of the grains of this shard:
// the map alone counted it here. At log point shard the pieces were counted
// where they lie, and are taken out there.
func (e *evidence) unlay(out []grain, at map[routing.VShard]int, panes int) {
	t := e.v.s.Table
	off := func(v routing.VShard, a amount) {
		if k, here := at[v]; here {
			out[k].all = out[k].all.minus(a)
			out[k].choose, out[k].check = out[k].choose.minus(a.part(0.5)), out[k].check.minus(a.part(0.5))
		}
	}
	for i := range e.v.s.Keys {
		c := &e.v.s.Keys[i]
		_, salted := t.Salt([]byte(c.Tenant), []byte(c.Key))
		_, placed := t.PlacedTenant([]byte(c.Tenant))
		switch {
		case len(c.Pieces) > 0:
			for _, p := range c.Pieces {
				a := p.in(e.v.dim).times(float64(panes) / float64(len(e.v.panes)))
				off(p.VShard, a)
			}
		case e.v.s.LogPoint != LogPointShard && (salted || placed):
			off(c.VShard, e.v.of(c.Panes, panes))
		}
	}
}

// weigh gives each grain its load as the choice sees it, shrunk to the mean of
// all by how much they truly differ, and sorts by it: what was not seen in the
// chosen half carries load all the same.
func weigh(dust []grain) {
	n := float64(len(dust))
	if n == 0 {
		return
	}
	var mean, noise, between float64
	for i := range dust {
		mean += dust[i].choose.load / n
		noise += dust[i].choose.variance / n
	}
	for i := range dust {
		d := dust[i].choose.load - mean
		between += d * d / n
	}
	trust := 0.0
	if between > noise {
		trust = (between - noise) / between
	}
	for i := range dust {
		dust[i].weight = mean + trust*(dust[i].choose.load-mean)
	}
	slices.SortStableFunc(dust, func(a, b grain) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.vshard, b.vshard))
	})
}
