package kafka

import (
	"sync"
	"time"

	"firebreak/pipeline"
)

// clock is the broker's clock as far as we know it: the time at which the broker appended what we sent, less the time at
// which we sent it, is at least how far ours is behind. An hour of difference so makes no record one of the future.
type clock struct {
	ofLog   func(broker time.Time) time.Time // see MemberConfig.Clock
	machine func() time.Time                 // this machine's clock as it was at the start, and the time since: nobody puts it right meanwhile
	mu      sync.Mutex                       // the goroutine that sends and the one that follows
	sentAt  map[sentEntry]time.Time
	samples []time.Duration // newest last
	ahead   time.Duration   // of the broker before us
	known   bool
}

type sentEntry struct {
	by     pipeline.Instance
	number uint64 // 0 = hello
}

const clockSamples = 16

func newClock(ofLog func(time.Time) time.Time) *clock {
	if ofLog == nil {
		ofLog = func(t time.Time) time.Time { return t }
	}
	began := time.Now()
	steady := func() time.Time { return began.Add(time.Since(began)) }
	return &clock{ofLog: ofLog, machine: steady, sentAt: map[sentEntry]time.Time{}}
}

// log is the time of the request log now: what its records are held against.
func (c *clock) log() time.Time { return c.ofLog(c.now()) }

// now is the broker's time.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.machine().Add(c.ahead)
}

// set tells whether the difference was measured.
func (c *clock) set() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known
}

// sent remembers that an entry is being sent now.
func (c *clock) sent(by pipeline.Instance, number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sentAt) > 4*clockSamples {
		clear(c.sentAt) // of entries that never came
	}
	c.sentAt[sentEntry{by, number}] = c.machine()
}

// seen takes the time that the broker gave an entry of ours.
func (c *clock) seen(by pipeline.Instance, number uint64, appended time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.sentAt[sentEntry{by, number}]
	if !ok {
		return
	}
	delete(c.sentAt, sentEntry{by, number})
	if len(c.samples) == clockSamples {
		c.samples = append(c.samples[:0], c.samples[1:]...)
	}
	c.samples = append(c.samples, appended.Sub(at))
	c.ahead, c.known = c.samples[0], true
	for _, s := range c.samples {
		c.ahead = min(c.ahead, s)
	}
}
