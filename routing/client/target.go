package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Target is where one request is sent.
type Target struct {
	// Shard is how the store calls the shard; empty where only the application knows it.
	Shard string
	// Key is the physical key. The callee may keep it.
	Key []byte
	// Piece tells the pieces of a salted key apart; a write to one with an Index above 0 must be conditional on there being no tombstone.
	Piece routing.Piece
	// Epoch and Version are of the document that names the shard, the Router's or a later one by which another shard did; a Guard is told
	// them, see SetVersion.
	Epoch, Version uint64
	// Op is what the request does, and Holds the version of the document that the Router holds: a Guard lets a write to a place that is
	// written twice in only by one that says so.
	Op    Op
	Holds uint64
	// Second says that the first shard has taken the write and this is the same once more, for the other one: with the same version of the
	// row.
	Second bool
}

// Moved is the answer of a shard that does not have a key.
type Moved struct {
	// Shard is where the shard says the key is.
	Shard string
	// Epoch and Version are of the document that the shard says it by.
	Epoch, Version uint64
}

// Error says what was answered.
func (m *Moved) Error() string {
	return fmt.Sprintf("moved to %s at version %d", routing.Escape(m.Shard), m.Version)
}

// ErrNotReady is the answer of a shard that cannot say yet whether it has a key.
var ErrNotReady = errors.New("the shard has not read the routing document, or not received the key yet")

// backOff is the wait before the next attempt, which grows from 20 ms to half a second. Those of eight attempts are 1.2 s together at least:
// a shard that was told of a later document may have looked just then, and looks again after outOfTurn.
func backOff(attempt int) time.Duration {
	d := 20 * time.Millisecond << min(attempt, 5)
	return time.Duration(float64(min(d, 500*time.Millisecond)) * (0.75 + rand.Float64()/4))
}

// ErrPieces is a read of a salted key by Do: it has several pieces, and Gather reads them.
var ErrPieces = errors.New("the key has several pieces: they are gathered")

// Do carries one request out: it waits for the tenant's quota, asks the shard that has the key by call, and asks on where call says by
// *Moved, ErrFenced or ErrNotReady that the request was not taken; any other error of call ends it. A write to a place that is written twice is
// asked for twice, see Target.Second. A place that is fenced is waited for,
// Config.FenceFor at most. stale says that a later document may have been in force. Reads of keys that may be salted go through Gather.
func (r *Router) Do(ctx context.Context, op Op, tenant, key []byte, call func(ctx context.Context, t Target) error) (stale bool, err error) {
	d := r.Decide(op, tenant, key)
	if err := d.refused(); err != nil {
		return d.Stale, err
	}
	if d.Pieces > 1 {
		return d.Stale, ErrPieces
	}
	if d.Limited {
		if err := r.Admit(ctx, tenant); err != nil {
			return d.Stale, err
		}
		d = r.Decide(op, tenant, key)
		if err := d.refused(); err != nil {
			return d.Stale, err
		}
	}
	if op == Write {
		err := r.write(ctx, &d, call)
		return r.Stale(), err
	}
	at, err := r.send(ctx, &d, d.Piece, call)
	if err != nil {
		return r.Stale(), err
	}
	return r.check(&d, []routing.Piece{at.piece})
}

// send asks the shard of a piece until one takes the request, and says which piece was asked where.
func (r *Router) send(ctx context.Context, d *Decision, p routing.Piece, call func(context.Context, Target) error) (sent, error) {
	v, err := d.view, d.Err // nil, or that the piece is fenced
	by := headOf(v.doc)     // what names the shard: the document, or a later one that a shard told of
	fence := waiter{router: r}
	defer func() { fence.leave() }()
	for attempt := 0; ; {
		if err == nil {
			err = call(ctx, v.target(d, p, by))
		}
		var moved *Moved
		var wait error
		switch gone := errors.As(err, &moved); {
		case errors.Is(err, ErrFenced):
			wait = fence.wait(ctx, v)
		case !gone && !errors.Is(err, ErrNotReady):
			return sent{p, v}, err
		case attempt+1 >= r.cfg.Attempts:
			r.met.misroutes.WithLabelValues("given_up").Inc()
			return sent{p, v}, err
		default:
			wait = r.redirect(ctx, v, moved, &p, &by, attempt)
			attempt++
		}
		if err = wait; err != nil {
			return sent{p, v}, err
		}
		if r.held.Load() == v {
			continue
		}
		attempt = max(0, attempt-1) // a later document cut the wait short: it is waited again where that does not help
		now := r.Decide(d.Op, d.tenant, d.key)
		if now.refused() != nil {
			return sent{p, v}, now.Err
		}
		v, err = now.view, now.Err
		if by = later(by, headOf(v.doc)); d.Op == Write {
			p = now.Piece // writers may use fewer pieces now
		} else {
			p = v.where(d, p)
		}
	}
}

// redirect puts a piece where a shard's answer says that it is, if it says so, and waits before the next attempt unless that is the first.
func (r *Router) redirect(ctx context.Context, v *view, moved *Moved, p *routing.Piece, by *control.Head, attempt int) error {
	if moved != nil {
		r.Misrouted(moved)
	}
	if to, ok := v.follow(moved); ok {
		*by = later(*by, moved.head())
		r.met.misroutes.WithLabelValues("followed").Inc()
		if p.Shard = to; attempt == 0 {
			return ctx.Err()
		}
	} else {
		r.met.misroutes.WithLabelValues("waited").Inc()
	}
	return r.wait(ctx, backOff(attempt), v)
}

// follow is the shard that an answer names, where that is by a later document than v and v has the shard.
func (v *view) follow(m *Moved) (routing.ShardID, bool) {
	if m == nil || !m.newer(v) {
		return routing.NoShard, false
	}
	id, known := v.byName[m.Shard]
	return id, known
}

// newer says whether the shard knows a later document than v.
func (m *Moved) newer(v *view) bool { return m.head().Newer(headOf(v.doc)) }

func (m *Moved) head() control.Head { return control.Head{Epoch: m.Epoch, Version: m.Version} }

// wait is until the client holds a later document than v, or d has passed.
func (r *Router) wait(ctx context.Context, d time.Duration, v *view) error {
	short, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	_ = r.newerThan(short, v.doc.Version)
	return ctx.Err()
}

// where is the place of a decision's piece by this view.
func (v *view) where(d *Decision, p routing.Piece) routing.Piece { return placeIn(v.table, d, p) }

// placeIn is the place of a decision's piece by a table.
func placeIn(t *routing.Table, d *Decision, p routing.Piece) routing.Piece {
	if p.Index == 0 {
		at := t.Locate(d.tenant, d.key)
		p.VShard, p.Shard = at.VShard, at.Shard
		return p
	}
	p.VShard, p.Shard = t.PiecePlace(d.tenant, d.key, p.Suffix)
	return p
}

// Misrouted takes a shard's answer for a reason to ask the source, out of turn, for a document at least as late as the shard's: at most once
// a second, and spread over a few seconds where there are thousands of clients. Do and Gather call it.
func (r *Router) Misrouted(m *Moved) {
	if m.newer(r.held.Load()) {
		r.hear(m.head())
		wake(r.nudge)
	}
}
