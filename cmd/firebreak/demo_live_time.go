package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"firebreak/internal/simulate"
)

// storyMark says up to which time of its own the story stood in the log at a moment.
type storyMark struct{ real, story time.Time }

// storyTime is the time of the story at a time of the broker's: that of the newest line in the log then, so that a machine
// which cannot hold the speed slows the story and makes nothing stale. Behind the last line it runs on.
func (e *liveEngine) storyTime(broker time.Time) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over.IsZero() && broker.After(e.over) {
		return e.last().Add(time.Duration(float64(broker.Sub(e.over)) * max(e.speed, demoSpeed)))
	}
	for _, m := range slices.Backward(e.written) {
		if !m.real.After(broker) {
			return m.story
		}
	}
	return simulate.Default().Start
}

// last is the time of the newest line in the log.
func (e *liveEngine) last() time.Time {
	if len(e.written) == 0 {
		return simulate.Default().Start
	}
	return e.written[len(e.written)-1].story
}

// awaitRoom waits until lines up to a time are not too far ahead of what is judged, or an instance ends.
func (e *liveEngine) awaitRoom(ctx context.Context, until time.Time) error {
	for {
		for i, ended := range e.ended {
			select {
			case err := <-ended:
				ended <- err // for Close
				return fmt.Errorf("demo: instance %d ended: %w", i+1, err)
			default:
			}
		}
		e.mu.Lock()
		judged := e.newest
		e.mu.Unlock()
		if judged.IsZero() {
			judged = simulate.Default().Start
		}
		if until.Sub(judged) <= demoAhead || ctx.Err() != nil {
			return ctx.Err()
		}
		pause(ctx, 10*time.Millisecond)
	}
}
