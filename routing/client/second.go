package client

import (
	"context"
	"errors"
	"fmt"

	"firebreak/routing"
	"firebreak/routing/control"
)

// ErrHalf is the answer to a write that one of two shards has taken, where both have to: it may be there or not. The same write again, with
// the same version of its row, is right.
var ErrHalf = errors.New("one of two shards has not taken the write")

// sent is where a request was taken, and by which document it was sent there.
type sent struct {
	piece routing.Piece
	view  *view
}

// write carries a write out, and carries it out once more where the place is written twice. What a later document says of that, after the
// first shard has taken it, is followed from the start: the store tells the same version of a row from another.
func (r *Router) write(ctx context.Context, d *Decision, call func(context.Context, Target) error) error {
	for {
		at, err := r.send(ctx, d, d.Piece, call)
		if err != nil {
			return err
		}
		again, err := r.second(ctx, d, &at, call)
		if !again {
			return err
		}
		if *d = r.Decide(Write, d.tenant, d.key); d.refused() != nil {
			return fmt.Errorf("%w: %w", ErrHalf, d.Err)
		}
	}
}

// second writes to the other shard of a place that is written twice. Where not both have to take it, its failure is a gap, which the
// comparison closes before anybody reads there. again says that a later document came meanwhile.
func (r *Router) second(ctx context.Context, d *Decision, at *sent, call func(context.Context, Target) error) (again bool, err error) {
	v := at.view
	is, to := v.also(d, at.piece)
	if is == nil {
		return false, nil
	}
	p := at.piece
	p.Shard = to
	t := v.target(d, p, headOf(v.doc))
	t.Second = true
	if !is.Both {
		short, cancel := context.WithTimeout(ctx, r.cfg.SecondFor)
		defer cancel()
		r.met.second(call(short, t), "gap")
		return false, nil
	}
	for attempt := 0; ; attempt++ {
		err := call(ctx, t)
		var moved *Moved
		refused := errors.As(err, &moved) || errors.Is(err, ErrNotReady) || errors.Is(err, ErrFenced)
		if !refused || attempt+1 >= r.cfg.Attempts {
			r.met.second(err, outcomeFailed)
			if err != nil {
				err = fmt.Errorf("%w: %w", ErrHalf, err)
			}
			return false, err
		}
		if moved != nil {
			r.Misrouted(moved)
		}
		if err := r.wait(ctx, backOff(attempt), v); err != nil {
			r.met.second(err, outcomeFailed)
			return false, fmt.Errorf("%w: %w", ErrHalf, err)
		}
		if r.held.Load() != v {
			return true, nil
		}
	}
}

// also is how and where a write is written a second time that a shard took as p says: at the one of the two shards that is not this one.
// Nil = it is not.
func (v *view) also(d *Decision, p routing.Piece) (*routing.Double, routing.ShardID) {
	is := v.table.Doubled(d.tenant, p.VShard)
	if is == nil {
		return nil, routing.NoShard
	}
	owner, other := placeIn(v.table, d, p).Shard, placeIn(v.table.Other(), d, p).Shard
	switch {
	case owner == other: // a key of a tenant's that stays where it is
		return nil, routing.NoShard
	case p.Shard == other:
		return is, owner
	}
	return is, other
}

// target is where a piece is asked for by this view; by is what names its shard.
func (v *view) target(d *Decision, p routing.Piece, by control.Head) Target {
	return Target{
		Shard: v.shardName(p.Shard), Key: v.appendKey(nil, d.key, p), Piece: p, Epoch: by.Epoch, Version: by.Version, Op: d.Op, Holds: v.doc.Version,
	}
}
