package client

import (
	"context"

	"firebreak/routing/control"
)

// hear takes note that somebody has a document: the head may lag behind it.
func (f *follower) hear(h control.Head) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heard = later(f.heard, h)
}

// hearsay is the latest document that others said they have.
func (f *follower) hearsay() control.Head {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.heard
}

// asked forgets what others said once the source was asked for it, whatever it gave.
func (f *follower) asked(h control.Head) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if same(f.heard, h) {
		f.heard = control.Head{}
	}
}

// askFor reads a document that others have and the head does not tell of yet. A source that does not have it even then is believed: who
// said so is asked no more.
func (f *follower) askFor(ctx context.Context, heard control.Head) error {
	if !f.await(ctx, f.pace.turn(f.clientsNow(assumedClients), consistentCost*f.bytes(), uniform())) {
		return ctx.Err()
	}
	err := f.fetch(ctx, heard, true) // for more than is held: what gives what is held does not lag
	if err == nil {
		f.asked(heard)
	}
	return err
}

// later is the later one of two.
func later(a, b control.Head) control.Head {
	if b.Newer(a) {
		return b
	}
	return a
}
