package kafka

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
)

// TestLease: a lease runs from when the request was sent whose answer came, and only answers of the group renew it.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lease{session: 10 * time.Second}
		if l.holds() {
			t.Error("a lease that nobody gave")
		}
		answer := func(key int16, took time.Duration, err error) {
			l.OnBrokerE2E(kgo.BrokerMetadata{}, key, kgo.BrokerE2E{BytesWritten: 1, BytesRead: 1, ReadWait: took, ReadErr: err})
		}
		time.Sleep(time.Minute)
		answer(keyHeartbeat, 4*time.Second, nil)
		if time.Sleep(5900 * time.Millisecond); !l.holds() {
			t.Error("it ends before the broker's session")
		}
		if time.Sleep(200 * time.Millisecond); l.holds() {
			t.Error("it outlives the session, which runs from before the answer")
		}
		answer(1, 0, nil)
		answer(keyHeartbeat, 0, errors.New("cut"))
		if l.holds() {
			t.Error("renewed by a fetch, or by what was never answered")
		}
		for _, key := range []int16{keyJoinGroup, keySyncGroup, keyConsumerGroupHeartbeat} {
			time.Sleep(time.Minute)
			if answer(key, 0, nil); !l.holds() {
				t.Errorf("not renewed by request %d", key)
			}
		}
	})
}

// TestThinner: only a partition that is far behind and falls back further is thinned, step by step; one that has caught up
// is looked at in full again, slowly.
func TestThinner(t *testing.T) {
	var th thinner
	turns := func(n int, backlog, step int64, behind time.Duration) (level uint8) {
		for range n {
			backlog += step
			level = th.turn(backlog, behind)
		}
		return level
	}
	if got := turns(100, 0, 1000, 30*time.Second); got != 0 {
		t.Errorf("level %d of one that is a little behind", got)
	}
	if got := turns(100, 1_000_000, -1000, time.Hour); got != 0 {
		t.Errorf("level %d of one that catches up", got)
	}
	th = thinner{}
	if got := turns(thinAfter-1, 0, 1000, 2*time.Minute); got != 0 {
		t.Errorf("level %d after %d turns", got, thinAfter-1)
	}
	if got := turns(1, 10_000_000, 1000, 2*time.Minute); got != 1 {
		t.Errorf("level %d after %d turns, want 1", got, thinAfter)
	}
	if got := turns(1000, 20_000_000, 1000, 2*time.Minute); got != 10 {
		t.Errorf("level %d, want the highest, 10", got)
	}
	if got := turns(10*thickAfter-1, 0, 0, time.Second); got != 1 {
		t.Errorf("level %d when it has nearly caught up for long, want 1", got)
	}
	if got := turns(1, 0, 0, time.Second); got != 0 {
		t.Errorf("level %d, want all", got)
	}
}

// TestClock: the broker's clock is known from what it appended, by the answer that was fastest of the last ones.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(nil)
		const ahead = -90 * time.Minute
		me, other := newInstance(), newInstance()
		if c.set() {
			t.Error("set before anything came back")
		}
		for i, wait := range []time.Duration{900, 20, 400} {
			c.sent(me, uint64(i))
			time.Sleep(wait * time.Millisecond)
			c.seen(other, uint64(i), time.Now())
			c.seen(me, uint64(i), time.Now().Add(ahead))
		}
		if off := c.now().Sub(time.Now().Add(ahead)); !c.set() || off != 20*time.Millisecond {
			t.Errorf("off by %v, want the 20 ms of the fastest", off)
		}
		c.seen(me, 99, time.Now().Add(time.Hour)) // was never sent
		for i := range 3 * clockSamples {         // the broker's clock was put right
			c.sent(me, uint64(100+i))
			c.seen(me, uint64(100+i), time.Now())
		}
		if off := time.Until(c.now()); off != 0 {
			t.Errorf("off by %v once the clock was put right", off)
		}
		for i := range 1000 { // none of them ever comes back
			c.sent(pipeline.Instance{1}, uint64(i))
		}
		if len(c.sentAt) > 5*clockSamples {
			t.Errorf("%d entries are waited for", len(c.sentAt))
		}
	})
}
