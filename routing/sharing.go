package routing

import (
	"fmt"
	"slices"
)

// sharing is a plan in the making.
type sharing struct {
	table    *Table
	document *Document // of the last step, and before the first one with the roles of all shards
	serve    []ShardID // the shards that serve in the end
	owned    [][]VShard
	give     []int // how many a shard gives away
	take     []int // how many it takes
}

// members gives the shards their roles, and says how many served.
func (s *sharing) members(to int) (from int) {
	d := s.document
	for i := range d.Shards {
		if d.Shards[i].Role == Serving {
			from++
			s.serve = append(s.serve, ShardID(i))
		}
	}
	for i := range d.Shards {
		if d.Shards[i].Role == Spare && len(s.serve) < to {
			s.serve = append(s.serve, ShardID(i))
		}
	}
	for number := len(d.Shards); len(s.serve) < to; number++ {
		name := fmt.Sprintf("shard-%d", number)
		if d.shardIndex(name) >= 0 {
			continue
		}
		s.serve = append(s.serve, ShardID(len(d.Shards)))
		d.Shards = append(d.Shards, Shard{Name: name, Role: Spare})
	}
	for _, id := range s.serve[to:] {
		d.Shards[id].Role = Draining
	}
	s.serve = s.serve[:to]
	return from
}

// count works out what each shard gives and takes. Of shards that serve on, those with the most keep one more where V is no multiple of
// their number: a virtual shard that need not move does not.
func (s *sharing) count(r *Reshard) error {
	n := len(s.document.Shards)
	s.owned, s.give, s.take = make([][]VShard, n), make([]int, n), make([]int, n)
	for v := range VShard(s.table.VShards()) {
		owner := s.table.Owner(v)
		s.owned[owner] = append(s.owned[owner], v)
	}
	for i := range s.owned {
		if s.document.Shards[i].Role != Dedicated {
			r.VShards += len(s.owned[i])
			s.give[i] = len(s.owned[i])
		}
	}
	if r.VShards < r.To {
		return fmt.Errorf("shards: %d, but there are %d virtual shards to share out", r.To, r.VShards)
	}
	byOwned := slices.Clone(s.serve)
	slices.SortStableFunc(byOwned, func(a, b ShardID) int { return len(s.owned[b]) - len(s.owned[a]) })
	for i, id := range byOwned {
		target := r.VShards / r.To
		if i < r.VShards%r.To {
			target++
		}
		s.give[id], s.take[id] = max(0, len(s.owned[id])-target), max(0, target-len(s.owned[id]))
		if len(s.owned[id]) > 0 {
			s.document.Shards[id].Role = Serving
		}
	}
	return nil
}

// moves pairs what is given with what is taken, in an order in which those who give take turns, and those who take. What goes home leaves
// the document, what was moved before has its entry already: they go first.
func (s *sharing) moves() []Move {
	base := s.table.base.owners
	home, rest := make([][]Move, len(s.owned)), make([][]Move, len(s.owned))
	for from, owned := range s.owned {
		slices.SortStableFunc(owned, func(a, b VShard) int { return s.strayed(b, from) - s.strayed(a, from) })
		for _, v := range owned {
			if to := base[v]; s.give[from] > 0 && int(to) != from && s.take[to] > 0 {
				home[from] = append(home[from], Move{VShard: v, To: to})
				s.give[from]--
				s.take[to]--
			} else {
				rest[from] = append(rest[from], Move{VShard: v})
			}
		}
	}
	for from := range rest {
		rest[from] = rest[from][:s.give[from]]
	}
	others, next := inTurns(rest), 0
	for i := range others {
		for s.take[s.serve[next]] == 0 {
			next = (next + 1) % len(s.serve)
		}
		others[i].To = s.serve[next]
		s.take[s.serve[next]]--
		next = (next + 1) % len(s.serve)
	}
	return append(inTurns(home), others...)
}

// strayed is 1 for a virtual shard that does not lie where the base map has it.
func (s *sharing) strayed(v VShard, owner int) int {
	if int(s.table.base.owners[v]) != owner {
		return 1
	}
	return 0
}

// inTurns puts the moves of all shards into one order: the first one of each, the second one of each.
func inTurns(given [][]Move) []Move {
	var all []Move
	for round := 0; ; round++ {
		before := len(all)
		for _, moves := range given {
			if round < len(moves) {
				all = append(all, moves[round])
			}
		}
		if len(all) == before {
			return all
		}
	}
}

// after is the document after some more moves. Who receives serves.
func (s *sharing) after(moves []Move) *Document {
	next := s.document.Clone()
	next.Version++
	to := make(map[VShard]ShardID, len(moves))
	for _, m := range moves {
		to[m.VShard] = m.To
		next.Shards[m.To].Role = Serving
	}
	next.Moves = slices.DeleteFunc(next.Moves, func(m Move) bool { _, again := to[m.VShard]; return again })
	for _, m := range moves {
		if s.table.base.owners[m.VShard] != m.To {
			next.Moves = append(next.Moves, m)
		}
	}
	next.Normalize()
	s.document = next
	return next
}
