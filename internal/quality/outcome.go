package quality

import (
	"slices"

	"firebreak/routing"
)

// loads is the load/s of every shard of the new table.
func (w *rewrite) loads() []float64 {
	e := w.f.Exact()
	vshards := make([]float64, w.table.VShards())
	copy(vshards, e.VShards)
	out := make([]float64, w.table.Shards())
	clip := w.clips()
	for _, i := range w.touched(clip) {
		k := &w.f.Keys[i]
		vshards[k.VShard] -= k.After
		load := k.After
		if s, limited := w.scale[i]; limited {
			load *= s
		}
		if c, limited := clip[k.Tenant]; limited {
			load *= c
		}
		reads, writes := load*k.Reads, load*(1-k.Reads)
		if w.cached[i] {
			reads = 0
		}
		w.put(i, reads, writes, out)
	}
	for v, load := range vshards {
		out[w.table.Owner(routing.VShard(v))] += max(load, 0)
	}
	return out
}

// clips is what quotas leave of tenants. A tenant that is placed apart is counted in full: its quota is only the first
// step.
func (w *rewrite) clips() map[int32]float64 {
	out := map[int32]float64{}
	for t, quota := range w.quotas {
		if w.placed[t] {
			continue
		}
		var all float64
		for i := range w.f.Keys {
			if w.f.Keys[i].Tenant == t {
				all += w.f.Keys[i].After
			}
		}
		if all > 0 {
			out[t] = min(1, quota/all)
		}
	}
	return out
}

// touched lists the keys that do not simply follow their virtual shard.
func (w *rewrite) touched(clip map[int32]float64) []int32 {
	var out []int32
	if len(w.placed)+len(clip)+len(w.scale) > 0 {
		for i := range w.f.Keys {
			id, t := int32(i), w.f.Keys[i].Tenant
			_, clipped := clip[t]
			_, scaled := w.scale[id]
			if w.placed[t] || clipped || scaled || w.cached[id] || w.salted[id] {
				out = append(out, id)
			}
		}
		return out
	}
	for i := range w.b.keys {
		if id := w.b.keys[i].key; w.cached[id] || w.salted[id] {
			out = append(out, id)
		}
	}
	return out
}

// put places one key by the new table.
func (w *rewrite) put(i int32, reads, writes float64, out []float64) {
	k := &w.f.Keys[i]
	tenant, key := []byte(w.f.Tenants[k.Tenant]), []byte(k.Name)
	if !w.salted[i] {
		shard := w.table.Owner(k.VShard)
		if w.placed[k.Tenant] {
			shard = w.table.Locate(tenant, key).Shard
		}
		out[shard] += reads + writes
		return
	}
	salt, _ := w.table.Salt(tenant, key)
	cold := w.coldest()
	for _, p := range w.table.Pieces(tenant, key, nil) {
		shard := p.Shard
		switch {
		case shard == routing.NoShard && p.Index == 0:
			shard = w.table.Owner(k.VShard)
		case shard == routing.NoShard:
			// The store places; a plan says "each on a shard of its own".
			shard = cold[(p.Index-1)%len(cold)]
		}
		if p.Index < salt.Write {
			out[shard] += writes / float64(salt.Write)
		}
		if p.Index < salt.Read {
			out[shard] += reads
		}
	}
}

// coldest orders the other shards by exact load.
func (w *rewrite) coldest() []routing.ShardID {
	e := w.f.Exact()
	var out []routing.ShardID
	for s := range e.Shards {
		if id := routing.ShardID(s); id != w.b.shard {
			out = append(out, id)
		}
	}
	slices.SortStableFunc(out, func(a, b routing.ShardID) int {
		switch {
		case e.Shards[a] < e.Shards[b]:
			return -1
		case e.Shards[a] > e.Shards[b]:
			return 1
		}
		return 0
	})
	return out
}

// judge compares the hot shard and every shard that received something with the target. A dedicated shard may run hot
// where the fleet has no capacity.
func (w *rewrite) judge(loads []float64, target float64) Applied {
	e := w.f.Exact()
	a := Applied{Shard: loads[w.b.shard]}
	for i, load := range loads {
		id, had := routing.ShardID(i), 0.0
		if i < len(e.Shards) {
			had = e.Shards[i]
		}
		if id != w.b.shard && load <= had*(1+1e-9) {
			continue
		}
		if w.doc.Shards[i].Role == routing.Dedicated && w.f.Capacity == 0 {
			continue
		}
		if over := load / target; over > a.Worst {
			a.Worst, a.Where = over, w.doc.Shards[i].Name
		}
	}
	a.Meets = a.Worst <= 1
	return a
}
