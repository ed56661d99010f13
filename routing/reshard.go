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
