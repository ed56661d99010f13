package closedloop

import (
	"math/bits"

	"firebreak/routing"
)

// Answer is what trying all ways finds.
type Answer struct {
	// Operations is the least number with which every shard gets to its target; valid where Found.
	Operations int
	Found      bool
	// Any says that some assignment would do, in however many operations and through shards that are not hot.
	Any bool
}

const (
	// target is what may be left on a shard, of its capacity: 65 % by the design, less what bounds cost, because firebreak sizes on upper
	// bounds of what it counts and nothing here is counted.
	target = 0.63
	// atMost is the share of the fleet's load that an operation may move.
	atMost = 0.10
	// most is how many operations are tried: one less than may begin in an hour.
	most = 3
)

// Minimum tries all that firebreak may do by itself with the loads of after the onset, or of after the spike, from a document on. Any
// virtual shards may be moved off the shards that are over the target, with the spare one serving too for one operation more where volume is the cause. What was
// planted may be treated by one operation: a key salted over any set of shards, or cached, a tenant put on the spare shard.
// Its shard is then cooled by that alone, and virtual shards move off the others only: a hotspot has one fix; and what is under the target by
// itself is left alone where moving its neighbours is enough. Loads are exact.
func (f *Fleet) Minimum(d *routing.Document, spiked bool) (Answer, error) {
	p, err := f.place(d)
	if err != nil {
		return Answer{}, err
	}
	best := Answer{}
	better := func(operations int, q *Problem) {
		if n, ok := q.Moves(most - operations); ok && (!best.Found || n+operations < best.Operations) {
			best.Operations, best.Found = n+operations, true
		}
		best.Any = best.Any || best.Found || q.Fits()
	}
	base := f.problem(p, spiked)
	home := -1
	if f.Planted >= 0 {
		home = int(p.table.Owner(f.Streams[f.Planted].VShard))
	}
	f.treatments(p, spiked, base, func() bool { return best.Found }, func(q *Problem, operations int) {
		if operations > 0 {
			q.Keep = home
		}
		better(operations, q)
		for id, s := range p.table.Document().Shards {
			if (f.Kind == KindVolume || f.Kind == KindSeveral && operations > 0) && s.Role == routing.Spare && q.Limit[id] == 0 && q.Fixed[id] == 0 {
				grown := *q
				grown.Limit = append([]float64(nil), q.Limit...)
				grown.Limit[id] = target * f.Capacity
				better(operations+1, &grown)
			}
		}
	})
	return best, nil
}

func (s *Stream) load(spiked bool) float64 {
	if spiked {
		return s.Spike
	}
	return s.After
}

// problem is the fleet without what was planted, by virtual shard.
func (f *Fleet) problem(p *placing, spiked bool) *Problem {
	q := &Problem{
		Keep: -1, Loads: make([]float64, f.Table.VShards()), Owner: make([]int, f.Table.VShards()),
		Fixed: make([]float64, p.table.Shards()), Limit: make([]float64, p.table.Shards()),
	}
	for i := range f.Streams {
		s := &f.Streams[i]
		q.AtMost += atMost * s.load(spiked)
		if i != f.Planted {
			q.Loads[s.VShard] += s.load(spiked)
		}
	}
	for v := range q.Owner {
		q.Owner[v] = int(p.table.Owner(routing.VShard(v)))
	}
	for id, s := range p.table.Document().Shards {
		if s.Role == routing.Serving {
			q.Limit[id] = target * f.Capacity
		}
	}
	return q
}

// treatments yields the problem for each way to treat what was planted, and how many operations that takes: what is under the target by itself
// is treated only where moving others is not the answer, which done says.
func (f *Fleet) treatments(p *placing, spiked bool, base *Problem, done func() bool, yield func(q *Problem, operations int)) {
	with := func(operations int, on map[int]float64, inVShard float64) {
		q := *base
		q.Loads, q.Fixed = append([]float64(nil), base.Loads...), append([]float64(nil), base.Fixed...)
		for id, load := range on {
			q.Fixed[id] += load
		}
		if f.Planted >= 0 {
			q.Loads[f.Streams[f.Planted].VShard] += inVShard
		}
		yield(&q, operations)
	}
	if f.Planted < 0 {
		with(0, nil, 0)
		return
	}
	s := &f.Streams[f.Planted]
	load := s.load(spiked)
	if !f.asIs(p, s, load, with) || load <= target*f.Capacity && done() {
		return
	}
	switch f.Kind {
	case KindWrittenKey, KindSeveral:
		f.salts(int(p.table.Owner(s.VShard)), func(pieces float64, on []int) {
			rest := map[int]float64{}
			for _, id := range on {
				rest[id] = load * (s.Reads + (1-s.Reads)/pieces)
			}
			with(1, rest, load*(s.Reads+(1-s.Reads)/pieces))
		})
	case KindReadKey:
		with(1, nil, load*(1-s.Reads+s.Reads*cachedReads))
	case KindWhale:
		for id, shard := range p.table.Document().Shards {
			if shard.Role == routing.Spare && load <= base.AtMost && load <= target*f.Capacity {
				with(1, map[int]float64{id: load}, 0)
			}
		}
	case KindVolume, kinds:
	}
}

// salts yields the sets of shards over which the key of a shard can be salted, beside that shard itself.
func (f *Fleet) salts(home int, yield func(pieces float64, on []int)) {
	for set := range uint(1) << f.Serving {
		if set&(1<<home) != 0 || set == 0 {
			continue
		}
		var on []int
		for id := range f.Serving {
			if set&(1<<id) != 0 {
				on = append(on, id)
			}
		}
		yield(1+float64(bits.OnesCount(set)), on)
	}
}

// asIs yields the problem with what was planted where it lies by the document, and says whether it may still be treated.
func (f *Fleet) asIs(p *placing, s *Stream, load float64, with func(int, map[int]float64, float64)) bool {
	d := p.table.Document()
	bare := len(d.Salts)+len(d.Cached)+len(d.Tenants)+len(d.Quotas) == 0
	if bare {
		with(0, nil, load)
		return true
	}
	share := 1.0
	for _, q := range d.Quotas {
		share = min(1, q.Rate/load)
	}
	on := map[int]float64{}
	for _, part := range p.to[f.Planted] {
		on[int(part.shard)] += share * load * (s.Reads*part.reads + (1-s.Reads)*part.writes)
	}
	with(0, on, 0)
	return false
}
