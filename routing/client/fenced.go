package client

import (
	"context"
	"time"
)

// waiter is a request for a place that nobody may serve. Its zero value with a router does not wait yet.
type waiter struct {
	router  *Router
	began   time.Time
	tries   int
	refused bool
}

// wait is until the client holds a later document than v, or for a moment, after which the shard is asked again: it knows of the end of a
// fence before most clients do. ErrFenced where too many wait, or this one has waited for Config.FenceFor.
func (w *waiter) wait(ctx context.Context, v *view) error {
	r := w.router
	if w.began.IsZero() {
		w.began = time.Now()
		w.refused = r.fencing.Add(1) > int64(r.cfg.FenceQueue)
	}
	left := r.cfg.FenceFor - time.Since(w.began)
	if w.refused = w.refused || left <= 0; w.refused {
		return ErrFenced
	}
	wake(r.nudge)
	w.tries++
	return r.wait(ctx, min(backOff(w.tries-1), left), v)
}

// leave ends a wait, if there was one.
func (w *waiter) leave() {
	if w.began.IsZero() {
		return
	}
	w.router.fencing.Add(-1)
	outcome := "waited"
	if w.refused {
		outcome = "refused"
	}
	w.router.met.fences.WithLabelValues(outcome).Inc()
}
