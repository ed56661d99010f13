package client

import (
	"context"
	"fmt"
	"time"

	"firebreak/routing/control"
)

// confirm is the loop that says what the client holds: at once when that changed, and every control.ConfirmEvery. It ends with ctx.
func (f *follower) confirm(ctx context.Context) {
	timer := time.NewTimer(time.Hour) // reset by the first document
	defer timer.Stop()
	beat, failures := uint64(0), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.changed:
		case <-timer.C:
		}
		h, ok := f.confirmable()
		if !ok {
			continue
		}
		beat++
		err := f.say(ctx, control.Confirmation{Client: f.name, Epoch: h.Epoch, Version: h.Version, Beat: beat, Guard: f.guarded != "", Shard: f.guarded})
		if ctx.Err() != nil {
			return
		}
		f.mu.Lock()
		f.errs.confirm = err
		f.mu.Unlock()
		if err == nil {
			failures = 0
			timer.Reset(time.Duration(float64(control.ConfirmEvery) * (0.8 + 0.2*uniform())))
			continue
		}
		failures++
		timer.Reset(f.pace.after(failures, retryAfter(err), uniform()))
	}
}

func (f *follower) say(ctx context.Context, c control.Confirmation) error {
	call, cancel := context.WithTimeout(ctx, f.cfg.CallFor)
	defer cancel()
	began := time.Now()
	if err := f.src.Confirm(call, c); err != nil {
		f.met.confirmed(false)
		return fmt.Errorf("confirm: %w", err)
	}
	f.met.confirmed(true)
	f.standing.wasConfirmed(began, time.Now())
	if f.standing.mustJoin(time.Now()) {
		wake(f.joined)
	}
	return nil
}
