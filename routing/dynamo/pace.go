package dynamo

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// apart is how far apart calls are sent while the table throttles: five a second, of all calls of a store together.
	apart = 200 * time.Millisecond
	// firstWait and mostWait bound what a call waits before it is sent again: up to the first, doubled with each attempt up to the most.
	firstWait = 100 * time.Millisecond
	mostWait  = 5 * time.Second
	// forgetAfter is how long after the last refusal a table is taken to throttle still: a call that goes on waits less.
	forgetAfter = 30 * time.Second
)

// pace holds the calls of one store apart while its table throttles.
type pace struct {
	observe func(Event)

	mu        sync.Mutex // guards all below; observe is called with it, so that events keep their order
	throttled bool
	began     time.Time // when it throttled first since it last took a call
	refused   time.Time // when the table throttled last
	next      time.Time // before it, no call is sent while throttled
}

// enter waits until a call may be sent, and says when that is.
func (p *pace) enter(ctx context.Context) (time.Time, error) {
	for {
		if err := ctx.Err(); err != nil {
			return time.Time{}, err
		}
		now, wait := p.turn()
		if wait <= 0 {
			return now, nil
		}
		if err := sleep(ctx, wait+rand.N(apart/4)); err != nil {
			return time.Time{}, err
		}
	}
}

// turn takes the next turn, or says how long it is until then. Nobody reserves one: a call whose context ends leaves no gap.
func (p *pace) turn() (now time.Time, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now = time.Now()
	if !p.throttled {
		return now, 0
	}
	if wait = p.next.Sub(now); wait <= 0 {
		p.next = now.Add(apart)
	}
	return now, wait
}

// refuse is a call that the table throttled.
func (p *pace) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = time.Now()
	if p.throttled {
		return
	}
	p.throttled, p.began, p.next = true, p.refused, p.refused.Add(apart)
	p.observe(Event{Kind: Paused, Err: err})
}

// pass is a call that the table took, sent at a time; one that was sent before the last refusal says nothing about now.
func (p *pace) pass(sent time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.throttled && sent.After(p.refused) {
		p.throttled = false
		p.observe(Event{Kind: GoesOn})
	}
}

// paused says since when the table throttles, as far as calls show it: one that nobody has called for a while says nothing about now.
func (p *pace) paused() (since time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began, p.throttled && time.Since(p.refused) < forgetAfter
}

// jitter is how long a call waits after its attempts so far: anything up to the bound of that many.
func jitter(attempts int) time.Duration {
	most := mostWait
	if attempts < 6 {
		most = min(most, firstWait<<attempts)
	}
	return rand.N(most)
}

// sleep waits, and ends early with ctx and its error.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
