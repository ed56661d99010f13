package closedloop

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"firebreak/routing"
)

// Kind is what makes a fleet hot.
type Kind uint8

// The kinds.
const (
	KindVolume     Kind = iota // the virtual shards of a shard are busier
	KindWrittenKey             // one key that is never read, in a key space that merges
	KindReadKey                // one key, nearly all reads, in a key space that may be cached
	KindWhale                  // one tenant of a fleet that is placed by tenant
	KindSeveral                // a written key, and volume on another shard
	kinds
)

// String is the kind's name.
func (k Kind) String() string {
	names := [...]string{"volume", "written_key", "read_key", "whale", "several"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Stream is load that is placed as one: a listed key, a listed tenant, or the rest of a virtual shard.
type Stream struct {
	VShard routing.VShard
	Name   string  // of the key, or of the tenant where the fleet is placed by tenant; empty = the rest
	Before float64 // requests/s until the onset
	After  float64 // requests/s from it on
	Spike  float64 // requests/s from the spike on, where there is one
	Reads  float64 // share of its requests that are reads
}

// Fleet is a drawn one. Its fields are not to be changed.
type Fleet struct {
	Seed     uint64
	Kind     Kind
	Serving  int // shards
	Spares   int
	Capacity float64 // of each shard, requests/s
	Rate     float64 // probability with which a request is logged
	Table    *routing.Table
	Streams  []Stream
	Planted  int // index of the key or tenant; -1 = none
}

// ByTenant says that the fleet is placed by tenant.
func (f *Fleet) ByTenant() bool { return f.Kind == KindWhale }

// Draw draws the fleet of a seed: 2 to 6 shards, 4 to 24 virtual shards. It fails only where routing refuses what it should take.
func Draw(seed uint64) (*Fleet, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	f := &Fleet{Seed: seed, Kind: Kind(r.IntN(int(kinds))), Serving: 2 + r.IntN(5), Planted: -1}
	least, most := (4+f.Serving-1)/f.Serving, 24/f.Serving
	each := least + r.IntN(most-least+1)
	if r.IntN(2) == 0 {
		f.Spares = 1
	}
	f.Capacity = 2000 + 18000*r.Float64()
	f.Rate = (100 + 900*r.Float64()) / f.Capacity
	if err := f.adopt(f.Serving * each); err != nil {
		return nil, fmt.Errorf("fleet %d: %w", seed, err)
	}
	f.ordinary(r)
	f.plant(r)
	for i := range f.Streams {
		f.Streams[i].Spike = f.Streams[i].After
	}
	f.spike(r)
	return f, nil
}

func (f *Fleet) adopt(vshards int) error {
	bytes := "key"
	if f.ByTenant() {
		bytes = "tenant"
	}
	d, err := routing.Adopt("fleet", routing.Placement{Bytes: bytes, Function: routing.XXH64, Map: routing.ModN, VShards: vshards}, routing.NumberedShards(f.Serving))
	if err != nil {
		return err
	}
	for i := range f.Spares {
		d.Shards = append(d.Shards, routing.Shard{Name: fmt.Sprintf("spare-%d", i), Role: routing.Spare})
	}
	f.Table, err = routing.NewTable(d)
	return err
}

// ordinary gives every virtual shard the load that it has before and after: shards at 25 to 55 % of what they bear, a tenth apart, their
// virtual shards up to threefold; two names are listed of each.
func (f *Fleet) ordinary(r *rand.Rand) {
	fill := 0.25 + 0.3*r.Float64()
	weights := make([]float64, f.Table.VShards())
	sums := make([]float64, f.Serving)
	for v := range weights {
		weights[v] = 1 + 2*r.Float64()
		sums[f.Table.Owner(routing.VShard(v))] += weights[v]
	}
	names := 0
	for v := range weights {
		owner := f.Table.Owner(routing.VShard(v))
		load := f.Capacity * fill * (0.9 + 0.2*r.Float64()) * weights[v] / sums[owner]
		reads := 0.3 + 0.4*r.Float64()
		for _, share := range [...]float64{0.03, 0.02, 0.95} {
			s := Stream{VShard: routing.VShard(v), Before: share * load, After: share * load, Reads: reads}
			if share < 0.5 {
				s.Name = f.name("item", s.VShard, &names)
			}
			f.Streams = append(f.Streams, s)
		}
	}
}

// name is one that lies on a virtual shard.
func (f *Fleet) name(prefix string, v routing.VShard, from *int) string {
	for {
		*from++
		name := fmt.Sprintf("%s:%d", prefix, *from)
		if f.Table.VShard([]byte(name), []byte(name)) == v {
			return name
		}
	}
}

func (f *Fleet) plant(r *rand.Rand) {
	hot := routing.ShardID(r.IntN(f.Serving))
	switch f.Kind {
	case KindVolume:
		f.busier(r, hot, 0.85+0.5*r.Float64())
	case KindWrittenKey:
		f.add(r, hot, "feed", 0, 0.3+0.9*r.Float64())
	case KindReadKey:
		f.add(r, hot, "page", 0.95+0.05*r.Float64(), 0.3+0.9*r.Float64())
	case KindWhale:
		f.add(r, hot, "whale", 0.5, 0.2+0.4*r.Float64())
	case KindSeveral:
		f.add(r, hot, "feed", 0, 0.3+0.9*r.Float64())
		f.busier(r, (hot+1)%routing.ShardID(f.Serving), 0.85+0.3*r.Float64())
	case kinds:
	}
}

// busier brings a shard to a multiple of its capacity, its virtual shards unevenly.
func (f *Fleet) busier(r *rand.Rand, hot routing.ShardID, to float64) {
	has := 0.0
	factor := map[routing.VShard]float64{}
	for i := range f.Streams {
		if s := &f.Streams[i]; f.Table.Owner(s.VShard) == hot {
			has += s.After
		}
	}
	var weight float64
	for v := range routing.VShard(f.Table.VShards()) {
		if f.Table.Owner(v) == hot {
			factor[v] = r.Float64()
		}
	}
	for i := range f.Streams {
		weight += factor[f.Streams[i].VShard] * f.Streams[i].After
	}
	for i := range f.Streams {
		s := &f.Streams[i]
		s.After += factor[s.VShard] * s.After / weight * max(0, to*f.Capacity-has)
	}
}

// add plants a key or a tenant on a shard, of a share of what a shard bears, which it had a tenth of before.
func (f *Fleet) add(r *rand.Rand, hot routing.ShardID, prefix string, reads, share float64) {
	var own []routing.VShard
	for v := range routing.VShard(f.Table.VShards()) {
		if f.Table.Owner(v) == hot {
			own = append(own, v)
		}
	}
	from := 0
	v := own[r.IntN(len(own))]
	load := share * f.Capacity
	f.Planted = len(f.Streams)
	f.Streams = append(f.Streams, Stream{VShard: v, Name: f.name(prefix, v, &from), Before: 0.1 * load, After: load, Reads: reads})
}

// spike makes another shard than the hottest busier by a fifth of what it bears.
func (f *Fleet) spike(r *rand.Rand) {
	loads := make([]float64, f.Serving)
	for i := range f.Streams {
		loads[f.Table.Owner(f.Streams[i].VShard)] += f.Streams[i].After
	}
	hottest := slices.Index(loads, slices.Max(loads))
	at := routing.ShardID((hottest + 1 + r.IntN(f.Serving-1)) % f.Serving)
	for i := range f.Streams {
		if s := &f.Streams[i]; f.Table.Owner(s.VShard) == at {
			s.Spike += s.After / loads[at] * 0.2 * f.Capacity
		}
	}
}
