package routing

import (
	"fmt"
	"slices"
)

// Reshard is a fleet on its way to another number of serving shards: the smallest set of moves after which each of them owns as many
// virtual shards as any other, or one less.
type Reshard struct {
	// From and To are how many shards serve, before and after.
	From, To int
	// VShards is how many virtual shards there are to share out: all but those of dedicated shards, which stay.
	VShards int
	// Moved is how many of them change their shard, each once.
	Moved int
	// Steps are the moves in the order in which they may be made. None where the fleet is even as it is.
	Steps []ReshardStep
	// Tenants are placed on a shard that leaves. They stay there: where they go is not a matter of virtual shards.
	Tenants []string
}

// ReshardStep is what one operation moves.
type ReshardStep struct {
	// Moves give each virtual shard its new shard. One whose new shard is that of the base map needs no entry in the document.
	Moves []Move
	// Document is the fleet's after the step, its version one higher than the one before.
	Document *Document
}

// Share is the share of the keys that move, 0 to 1, if each virtual shard has as many.
func (r *Reshard) Share() float64 {
	if r.VShards == 0 {
		return 0
	}
	return float64(r.Moved) / float64(r.VShards)
}

// ModuloShare is the share of the keys that move where a fleet of from shards hashes modulo to instead: of lcm(from, to) values of a hash
// the smallest min(from, to) alone have the same remainder by both.
func ModuloShare(from, to int) float64 {
	if from < 1 || to < 1 {
		return 0
	}
	a, b := from, to
	for b != 0 {
		a, b = b, a%b
	}
	return 1 - float64(min(from, to))/(float64(from)/float64(a)*float64(to))
}

// PlanReshard plans the way of d's fleet to so many serving shards. A step moves at most a share most of the virtual shards, at least one.
// Spare shards of d serve first, then new ones that are called shard-N; shards that leave are the last ones that serve, and those that
// drain already. No step leaves a receiver with more than it has in the end.
//
// Errors: virtual shards that are not of one size (ranges, rings, explicit), fewer of them than shards, a document that grows too large.
func (d *Document) PlanReshard(to int, most float64) (*Reshard, error) {
	table, err := NewTable(d)
	if err != nil {
		return nil, err
	}
	switch d.Placement.Map {
	case ModN, List:
	case Ranges, Ring, Explicit, MapUnknown:
		return nil, fmt.Errorf("placement.map: %s parts the keys unevenly: its shards are split by their loads", d.Placement.Map)
	}
	if to < 1 || to > MaxShards {
		return nil, fmt.Errorf("shards: %d, want 1 to %d", to, MaxShards)
	}
	s := &sharing{table: table, document: d.Clone()}
	r := &Reshard{From: s.members(to), To: to}
	if err := s.count(r); err != nil {
		return nil, err
	}
	moves := s.moves()
	r.Moved = len(moves)
	for _, p := range d.Tenants {
		if slices.ContainsFunc(p.Shards, func(id ShardID) bool { return s.document.Shards[id].Role == Draining }) {
			r.Tenants = append(r.Tenants, p.Tenant)
		}
	}
	if len(moves) == 0 && !slices.Equal(d.Shards, s.document.Shards) {
		r.Steps = append(r.Steps, ReshardStep{Document: s.after(nil)}) // what leaves owned nothing
	}
	perStep := max(1, int(most*float64(r.VShards)+1e-9))
	for chunk := range slices.Chunk(moves, perStep) {
		next := s.after(chunk)
		if err := next.Validate(); err != nil {
			return nil, fmt.Errorf("step %d of %d: %w", len(r.Steps)+1, (len(moves)+perStep-1)/perStep, err)
		}
		r.Steps = append(r.Steps, ReshardStep{Moves: chunk, Document: next})
	}
	return r, nil
}

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
