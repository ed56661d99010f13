package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"firebreak/routing"
)

// ErrStale is a decision or an answer for a key that may be salted, by a Router that cannot know whether its document is the latest.
var ErrStale = errors.New("the routing document may be out of date")

// ErrChanged is an answer to a read whose key changed its place or its pieces while the read was under way: it may miss writes. The same
// read again, by a new decision, is right.
var ErrChanged = errors.New("the key was moved or spread while it was read")

// ErrFenced is a decision for a place that nobody may serve now, and the answer of its shard: its data is about to change hands, which takes
// a second or two.
var ErrFenced = errors.New("the place is about to change hands: try again")

// Op is what a request does. The zero value is a read.
type Op uint8

// The ops.
const (
	Read Op = iota
	Write
)

// String is the op's word in headers.
func (o Op) String() string {
	if o == Read {
		return "read"
	}
	return "write"
}

// Router says where requests go. Open it once for a fleet and share it.
type Router struct{ *follower }

// Open starts a client. It returns when there is a document to route by: from the source, or, where the source does not give one, the kept
// file's. ctx bounds the wait for the first one and nothing after it.
func Open(ctx context.Context, src Source, cfg Config) (*Router, error) {
	f, err := newFollower(src, &cfg)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	f.start(context.WithoutCancel(ctx))
	var fromFile <-chan time.Time
	if cfg.File != "" {
		timer := time.NewTimer(cfg.CallFor)
		defer timer.Stop()
		fromFile = timer.C
	}
	var notKept error
	for {
		select {
		case <-f.ready:
			return &Router{f}, nil
		case <-fromFile:
			if notKept = f.takeKept(); notKept == nil {
				return &Router{f}, nil
			}
		case <-ctx.Done():
			if cfg.File != "" && f.takeKept() == nil {
				return &Router{f}, nil
			}
			err := errors.Join(f.status().Err, notKept, ctx.Err())
			f.close()
			return nil, fmt.Errorf("client: no document: %w", err)
		}
	}
}

// Close ends the client and waits for its loops. Decisions go on by the last document, and are stale after a while.
func (r *Router) Close() { r.close() }

// Status says how the client stands.
func (r *Router) Status() Status { return r.status() }

// Table is what the Router routes by, with its document.
func (r *Router) Table() *routing.Table { return r.table() }

// Stale says whether a later document may be in force.
func (r *Router) Stale() bool { return r.standing.stale(time.Now()) }

// Decide says where a request for a key goes, whether it may, and how. It takes no lock and, while tenant, key and template together stay
// under 4 KB, no heap. The decision refers to tenant and key: they must stay as they are while it is used.
func (r *Router) Decide(op Op, tenant, key []byte) Decision {
	v := r.held.Load()
	var at routing.Route
	v.table.Route(&at, tenant, key)
	d := Decision{
		Op: op, Version: v.doc.Version, Pieces: 1, Piece: routing.Piece{VShard: at.VShard, Shard: at.Shard},
		Stale: r.standing.stale(time.Now()), Limited: v.quota(tenant) != nil, view: v, tenant: tenant, key: key, salted: at.Salted, Also: routing.NoShard,
	}
	if op == Read {
		d.Cached = v.staleness(tenant, key)
	}
	if d.Stale {
		space := spaceOf(r.cfg.Spaces, tenant, key)
		if (at.Salted || space != nil) && (space == nil || !space.StaleAnswers) {
			d.Err = ErrStale
			r.met.refusedStale.Inc()
		}
	}
	if at.Salted {
		d.draw(&at)
	}
	if op == Write {
		if is, to := v.also(&d, d.Piece); is != nil {
			d.Also, d.Both = to, is.Both
		}
	}
	if d.Err == nil && !d.Stale && v.table.Fenced(tenant, d.Piece.VShard) {
		d.Err = ErrFenced
	}
	return d
}

// draw says how many pieces of a salted key a read asks for, and draws the one that a write goes to.
func (d *Decision) draw(at *routing.Route) {
	salt, _ := at.Salt()
	if d.Op == Read {
		d.Pieces = salt.Read
	} else if i := rand.IntN(salt.Write); i > 0 {
		d.Piece, _ = at.Piece(i)
	}
}

// Check judges an answer when it arrives: stale says that a later document may be in force than the one it was asked by. ErrStale and
// ErrChanged are answers that must not be used. An acknowledged write stands, whatever Check says of it.
func (r *Router) Check(d *Decision) (stale bool, err error) { return r.check(d, nil) }

// check is Check where a read asked for pieces where these say; nil = where the decision says.
func (r *Router) check(d *Decision, asked []routing.Piece) (stale bool, err error) {
	stale = r.standing.stale(time.Now())
	space := spaceOf(r.cfg.Spaces, d.tenant, d.key)
	if space != nil && space.StaleAnswers {
		return stale, nil
	}
	if stale && (space != nil || d.salted) {
		r.met.refusedStale.Inc()
		return true, ErrStale
	}
	if now := r.held.Load(); d.Op == Read && now != d.view && !d.covers(now, asked) {
		r.met.refusals.WithLabelValues("changed").Inc()
		return stale, ErrChanged
	}
	return stale, nil
}

// takeKept routes by the kept document until the source gives one.
func (f *follower) takeKept() error {
	d, err := kept(f.cfg.File)
	if err != nil {
		return err
	}
	v, err := newView(d, nil, f.cfg.Fleet)
	if err != nil {
		return fmt.Errorf("kept: %w", err)
	}
	f.offer(v)
	return nil
}
