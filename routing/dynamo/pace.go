package dynamo

import (
	"context"
	"math/rand/v2"
	"slices"
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
	throttled [ways]bool
	refused   [ways]time.Time // when the table throttled last
	began     time.Time       // when it throttled first since it last took calls of all ways
	next      time.Time       // before it, no call is sent while it throttles any
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
	if !p.any() {
		return now, 0
	}
	if wait = p.next.Sub(now); wait <= 0 {
		p.next = now.Add(apart)
	}
	return now, wait
}

// refuse is a call that the table throttled.
func (p *pace) refuse(way way, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, already := time.Now(), p.any()
	p.throttled[way], p.refused[way] = true, now
	if already {
		return
	}
	p.began, p.next = now, now.Add(apart)
	p.observe(Event{Kind: Paused, Err: err})
}

// pass is a call that the table took, sent at a time; one that was sent before the last refusal says nothing about now, and a read says
// nothing about writes.
func (p *pace) pass(way way, sent time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.throttled[way] || !sent.After(p.refused[way]) {
		return
	}
	p.throttled[way] = false
	if !p.any() {
		p.observe(Event{Kind: GoesOn})
	}
}

// any says whether calls of any way are throttled, as far as is known.
func (p *pace) any() bool { return slices.Contains(p.throttled[:], true) }

// paused says since when the table throttles, as far as calls show it: one that nobody has called for a while says nothing about now.
func (p *pace) paused() (since time.Time, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for way, throttled := range p.throttled {
		if throttled && time.Since(p.refused[way]) < forgetAfter {
			return p.began, true
		}
	}
	return time.Time{}, false
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
