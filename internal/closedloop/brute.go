package closedloop

import (
	"cmp"
	"math"
	"slices"
)

// Problem is who serves what, exactly.
type Problem struct {
	Loads  []float64 // of virtual shards
	Owner  []int
	Fixed  []float64 // of each shard: what does not move with virtual shards
	Limit  []float64 // of each shard
	AtMost float64   // that one operation may move
	Keep   int       // the shard that nothing moves off; -1 = none
}

// tries bounds a search. It is reached in none of the seeds that are run; a search that ends there has found nothing.
const tries = 4_000_000

// Moves is the least number of operations, at most so many, after which no shard is over its limit, where virtual shards go from shards
// that are over theirs to others, each operation moves no more than it may, and no shard that gains gets over its limit: by trying all.
func (p *Problem) Moves(most int) (int, bool) {
	s := p.search()
	if s == nil {
		return 0, false
	}
	if s.excess() <= 0 {
		return 0, true
	}
	for m := max(1, int(math.Ceil(s.excess()/p.AtMost-1e-9))); m <= most; m++ {
		s.bins = slices.Repeat([]float64{p.AtMost}, m)
		s.left = tries
		if s.moves(0) {
			return m, true
		}
	}
	return 0, false
}

// Fits says whether any assignment of the virtual shards that may be moved at all puts no shard over its limit, in however many operations.
func (p *Problem) Fits() bool {
	has := slices.Clone(p.Fixed)
	var free []float64
	for v, load := range p.Loads {
		if load > p.AtMost || p.Owner[v] == p.Keep {
			has[p.Owner[v]] += load
			continue
		}
		free = append(free, load)
	}
	slices.SortFunc(free, func(a, b float64) int { return cmp.Compare(b, a) })
	left := tries
	return pack(free, has, p.Limit, &left)
}

// pack puts loads, heaviest first, on shards.
func pack(loads, has, limit []float64, left *int) bool {
	var room, want float64
	for id := range has {
		if has[id] > limit[id] {
			return false
		}
		room += limit[id] - has[id]
	}
	for _, load := range loads {
		want += load
	}
	if *left--; want > room || *left < 0 {
		return false
	}
	if len(loads) == 0 {
		return true
	}
	seen := map[float64]bool{}
	for id := range has {
		free := limit[id] - has[id]
		if loads[0] > free || seen[free] {
			continue
		}
		seen[free] = true
		has[id] += loads[0]
		if pack(loads[1:], has, limit, left) {
			has[id] -= loads[0]
			return true
		}
		has[id] -= loads[0]
	}
	return false
}

// searching is a search for moves.
type searching struct {
	p     *Problem
	order []int // virtual shards that may leave, heaviest first
	has   []float64
	bins  []float64 // what each operation may still move
	left  int
}

func (p *Problem) search() *searching {
	s := &searching{p: p, has: slices.Clone(p.Fixed)}
	for v, load := range p.Loads {
		s.has[p.Owner[v]] += load
	}
	for v, load := range p.Loads {
		if load > 0 && load <= p.AtMost && p.Owner[v] != p.Keep && s.has[p.Owner[v]] > p.Limit[p.Owner[v]] {
			s.order = append(s.order, v)
		}
	}
	slices.SortFunc(s.order, func(a, b int) int { return cmp.Compare(p.Loads[b], p.Loads[a]) })
	return s
}

// excess is what is over the limits.
func (s *searching) excess() (sum float64) {
	for id := range s.has {
		sum += max(0, s.has[id]-s.p.Limit[id])
	}
	return sum
}

// moves goes on with the virtual shards from one on.
func (s *searching) moves(from int) bool {
	over := s.excess()
	if over <= 1e-9 {
		return true
	}
	var room float64
	for _, b := range s.bins {
		room += b
	}
	if s.left--; s.left < 0 || over > room+1e-9 || from == len(s.order) || !s.possible(from) {
		return false
	}
	v := s.order[from]
	load, owner := s.p.Loads[v], s.p.Owner[v]
	for to := range s.has {
		if to == owner || s.has[to]+load > s.p.Limit[to] {
			continue
		}
		for b := range s.bins {
			if load > s.bins[b]+1e-9 || slices.Contains(s.bins[:b], s.bins[b]) {
				continue
			}
			gives, takes, bin := s.has[owner], s.has[to], s.bins[b]
			s.has[owner], s.has[to], s.bins[b] = gives-load, takes+load, bin-load
			if s.moves(from + 1) {
				return true
			}
			s.has[owner], s.has[to], s.bins[b] = gives, takes, bin
		}
	}
	return s.moves(from + 1)
}

// possible says that what is left to move is enough for each shard that is over its limit.
func (s *searching) possible(from int) bool {
	may := make([]float64, len(s.has))
	for _, v := range s.order[from:] {
		may[s.p.Owner[v]] += s.p.Loads[v]
	}
	for id := range s.has {
		if s.has[id]-may[id] > s.p.Limit[id]+1e-9 {
			return false
		}
	}
	return true
}
