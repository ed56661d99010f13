package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// outOfTurn is how long after a look the next one is made at least, whatever asks for it.
const outOfTurn = time.Second

// fencedLook is how often a Guard looks that knows of a fence: requests wait for what it reads next.
const fencedLook = outOfTurn / 2

// read is the loop that looks at the head and reads what is newer. It ends with ctx.
func (f *follower) read(ctx context.Context) {
	for wait := time.Duration(0); f.pause(ctx, wait); {
		wait = f.step(ctx)
	}
}

// pause waits for the next look, shorter where one is asked for; false when ctx has ended.
func (f *follower) pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	until := time.Now().Add(wait)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-f.joined:
			if f.failures == 0 && f.standing.mustJoin(time.Now()) {
				return ctx.Err() == nil
			}
		case <-f.urgent:
			if soon := outOfTurn - time.Since(f.looked); f.failures == 0 && time.Now().Add(soon).Before(until) {
				until = time.Now().Add(soon)
				timer.Reset(soon)
			}
		case <-f.nudge:
			soon := max(f.pace.spread(f.clientsNow(assumedClients), headUnits, uniform()), outOfTurn-time.Since(f.looked))
			if at := time.Now().Add(soon); f.failures == 0 && at.Before(until) {
				until = at
				timer.Reset(soon)
			}
		}
	}
}

// step looks once, reads what is newer in its turn, and says how long until the next look.
func (f *follower) step(ctx context.Context) time.Duration {
	began := time.Now()
	f.looked = began
	err := f.look(ctx, began)
	if err == nil && f.standing.mustJoin(time.Now()) {
		err = f.join(ctx)
	}
	if ctx.Err() != nil {
		return 0
	}
	f.mu.Lock()
	f.errs.read = cmp.Or(err, f.refusal, f.back)
	f.mu.Unlock()
	if err == nil {
		f.failures = 0
		wait := f.pace.look(f.clientsNow(assumedClients), uniform())
		if held := f.held.Load(); f.guarded != "" && held != nil && len(held.doc.Fenced) > 0 {
			wait = min(wait, fencedLook)
		}
		return wait
	}

	f.failures++
	p := f.pace
	if f.held.Load() == nil {
		p.poll /= 8 // nothing is routed yet, and who starts waits for it
	}
	return p.after(f.failures, retryAfter(err), uniform())
}

func (f *follower) look(ctx context.Context, began time.Time) error {
	call, cancel := context.WithTimeout(ctx, f.cfg.CallFor)
	h, err := f.src.Head(call)
	cancel()
	held := f.held.Load()
	if err != nil && (held != nil || !errors.Is(err, control.ErrNone)) {
		f.met.failed(err)
		return fmt.Errorf("head: %w", err)
	}
	f.head = h
	if h.Clients > 0 {
		f.clients.Store(int64(h.Clients))
	}
	heard := f.hearsay()
	switch {
	case held == nil:
		if f.guarded != "" {
			h.Version++ // more than there is: it is read consistently, and nothing older than what this shard confirmed before it was started again
		}
		return f.fetch(ctx, h, false)
	case heard.Newer(headOf(held.doc)) && !h.Newer(headOf(held.doc)):
		return f.askFor(ctx, heard)
	case same(h, headOf(held.doc)):
		f.back = nil
		f.standing.wasRead(began, false)
		f.met.refreshed(outcomeUnchanged)
		return nil
	case h.Newer(headOf(held.doc)):
		if same(h, f.refused) {
			return nil
		}
		if !f.await(ctx, f.pace.turn(f.clientsNow(assumedClients), f.bytes(), uniform())) {
			return ctx.Err()
		}
		return f.fetch(ctx, later(h, heard), false)
	}
	// The head lags behind what is held, or the source went back. Which of the two it is, the document tells, long before it counts.
	f.met.refreshed(outcomeOlder)
	if age(began, f.standing.now.Load().read) < f.cfg.StaleAfter/2 {
		return nil
	}
	return f.fetch(ctx, headOf(held.doc), false)
}

// join is the read after the confirmation, see standing. It asks for more than is held, so that a read that gives what is held was a
// consistent one; one that gives more may have been cheap, and lag. Clients that start or come back
// together are spread by it, and look at moments of their own from then on.
func (f *follower) join(ctx context.Context) error {
	for try := 0; try < 3 && f.standing.mustJoin(time.Now()); try++ {
		clients, bytes := f.clientsNow(assumedClients), consistentCost*f.bytes()
		wait := f.pace.turn(clients, bytes, uniform()) + f.pace.spread(clients, documentUnits(bytes), uniform())
		if !f.await(ctx, wait) {
			return ctx.Err()
		}
		h := headOf(f.held.Load().doc)
		h.Version++
		if err := f.fetch(ctx, h, true); err != nil {
			return err
		}
	}
	return nil
}

// bytes is the size of the document to read, as the head says, else that of the one held.
func (f *follower) bytes() int {
	if f.head.Bytes > 0 {
		return f.head.Bytes
	}
	b, err := f.held.Load().doc.Encode()
	if err != nil {
		return routing.MaxDocumentBytes
	}
	return len(b)
}

// await waits for the turn to read, or until it is urgent; false when ctx has ended.
func (f *follower) await(ctx context.Context, wait time.Duration) bool {
	if wait == 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-f.urgent:
	}
	return true
}

// fetch reads the document and takes it if it is newer. consistent says that a read that gives what is held cannot lag.
func (f *follower) fetch(ctx context.Context, atLeast control.Head, consistent bool) error {
	began := time.Now()
	call, cancel := context.WithTimeout(ctx, f.cfg.CallFor)
	defer cancel()
	d, err := f.src.Document(call, atLeast)
	if err == nil && d == nil {
		err = errors.New("the source gave none")
	}
	if err != nil {
		f.met.failed(err)
		return fmt.Errorf("document: %w", err)
	}
	held := f.held.Load()
	unchanged := held != nil && same(headOf(d), headOf(held.doc))
	if unchanged {
		f.met.refreshed(outcomeUnchanged)
	} else if held != nil && !headOf(d).Newer(headOf(held.doc)) {
		f.back = fmt.Errorf("the source went back: it has epoch %d, version %d, and epoch %d, version %d is held",
			d.Epoch, d.Version, held.doc.Epoch, held.doc.Version)
		f.met.refreshed(outcomeOlder)
		return nil
	} else if err := f.take(d, held); err != nil {
		return err
	}
	f.back = nil
	if held = f.held.Load(); held != nil && !f.head.Newer(headOf(d)) && same(headOf(d), headOf(held.doc)) {
		f.standing.wasRead(began, consistent && unchanged)
	}
	return nil
}

// take makes d what is routed by.
func (f *follower) take(d *routing.Document, held *view) error {
	next, err := newView(d, held, f.cfg.Fleet)
	if err != nil {
		f.refused, f.refusal = headOf(d), fmt.Errorf("document: version %d is refused: %w", d.Version, err)
		f.met.refreshed(outcomeRefused)
		return nil
	}
	f.refusal = nil
	if !f.swap(next) {
		f.met.refreshed(outcomeOlder) // than the kept one, which came first
		return nil
	}
	f.met.refreshed(outcomeNewer)
	if f.cfg.File != "" {
		if err := keep(f.cfg.File, next.doc); err != nil {
			f.met.keepFailed.Inc()
		}
	}
	return nil
}
