package quality

import (
	"cmp"
	"slices"

	"firebreak/policy"
	"firebreak/routing"
)

// Exact is the exact load of a fleet after its onset, in requests/s.
type Exact struct {
	Shards  []float64 // by shard
	VShards []float64 // by virtual shard
	Total   float64
	Line    float64 // of every shard
	Target  float64 // of every shard
}

// Exact returns the fleet's exact loads. The result must not be changed.
func (f *Fleet) Exact() *Exact {
	if f.exact == nil {
		f.exact = f.sum(func(k *Key) float64 { return k.After })
	}
	return f.exact
}

// sum adds up the keys at a rate.
func (f *Fleet) sum(rate func(*Key) float64) *Exact {
	e := &Exact{Shards: make([]float64, f.Shards), VShards: make([]float64, f.Table.VShards())}
	for i := range f.Keys {
		e.VShards[f.Keys[i].VShard] += rate(&f.Keys[i])
	}
	for v, load := range e.VShards {
		e.Shards[f.Table.Owner(routing.VShard(v))] += load
		e.Total += load
	}
	lines := policy.Default().Lines
	e.Line = lines.Relative * e.Total / float64(f.Shards)
	e.Target = e.Line
	if f.Capacity > 0 {
		e.Line, e.Target = lines.Warning*f.Capacity, lines.Target*f.Capacity
	}
	return e
}

// Ratio is the load of a shard over its line.
func (e *Exact) Ratio(shard routing.ShardID) float64 { return e.Shards[shard] / e.Line }

// object is a key or a whole tenant as one shard bears it.
type object struct {
	key    int32 // index into Fleet.Keys; -1 for a tenant
	tenant int32
	load   float64 // on the shard
	all    float64 // on all shards
	reads  float64 // share of reads
	called float64 // share that Fleet.Caller sends
}

// borne is what one shard bears, exactly.
type borne struct {
	shard   routing.ShardID
	load    float64
	keys    []object // heaviest first
	tenants []object // heaviest first
}

// bearing lists the keys and tenants of each of the given shards in one pass.
func (f *Fleet) bearing(shards []routing.ShardID) map[routing.ShardID]*borne {
	out := make(map[routing.ShardID]*borne, len(shards))
	here := make([]map[int32]*object, f.Shards)
	for _, s := range shards {
		out[s] = &borne{shard: s, load: f.Exact().Shards[s]}
		here[s] = map[int32]*object{}
	}
	all := make([]float64, len(f.Tenants))
	for i := range f.Keys {
		k := &f.Keys[i]
		all[k.Tenant] += k.After
		s := f.shardOf(k)
		b := out[s]
		if b == nil || k.After <= 0 {
			continue
		}
		called := 0.0
		if k.Called {
			called = f.CallerShare
		}
		b.keys = append(b.keys, object{int32(i), k.Tenant, k.After, k.After, k.Reads, called})
		t := here[s][k.Tenant]
		if t == nil {
			t = &object{key: -1, tenant: k.Tenant}
			here[s][k.Tenant] = t
		}
		t.load += k.After
		t.reads += k.After * k.Reads
		t.called += k.After * called
	}
	for s, b := range out {
		for _, t := range here[s] {
			t.reads, t.called, t.all = t.reads/t.load, t.called/t.load, all[t.tenant]
			b.tenants = append(b.tenants, *t)
		}
		slices.SortFunc(b.keys, heavierObject)
		slices.SortFunc(b.tenants, heavierObject)
	}
	return out
}

func heavierObject(a, b object) int {
	return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.key, b.key), cmp.Compare(a.tenant, b.tenant))
}
