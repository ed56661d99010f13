package main

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestCarry moves a virtual shard's data to another shard under writers and readers, forward and back from every phase, while the process
// that decides ends before or after each of its writes: no acknowledged write is lost, reads see every acknowledged write, and one shard
// serves at a time.
func TestCarry(t *testing.T) {
	phases := []string{operation.Copy, operation.Verify, operation.Fence, operation.Flip, operation.Settle}
	if testing.Short() {
		phases = phases[2:4]
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer http.DefaultClient.CloseIdleConnections()
	c := newCarried(ctx, t, operation.MovingCarried)
	traffic := drive(ctx, c)
	for i, phase := range phases {
		c.fail = i
		c.begin(1)
		c.until(phase)
		t.Logf("back from %s", phase)
		c.rollback()
		c.until(operation.Undone)
		c.lies(0)
	}
	for fail, to := range []routing.ShardID{1, 0, 1} {
		c.fail = fail
		c.begin(to)
		c.until(operation.Over)
		t.Logf("at shard-%d", to)
		c.lies(int(to))
	}
	traffic.end()
	if err := c.served.oneAtATime(); err != nil {
		t.Error(err)
	}
	traffic.check()
}

// rollback is a person's word.
func (c *carried) rollback() {
	s := c.load()
	next := s.Answer(&control.Request{ID: "r", By: "ann", At: time.Now(), Reason: "to see", Do: control.DoRollback, Operation: s.Operated}, time.Now())
	if a, _ := next.Answered("r"); a.Refused != "" {
		c.t.Fatal(a.Refused)
	}
	if err := c.put(s.At(), next); err != nil {
		c.t.Fatal(err)
	}
}

// lies wants the data at one shard, and nothing of it at the other.
func (c *carried) lies(at int) {
	c.t.Helper()
	for i, s := range c.shards[:2] {
		s.mu.Lock()
		if n := len(s.of(c.vshard)); (n == len(c.keys)) != (i == at) || n > 0 && i != at {
			c.t.Errorf("shard-%d has %d keys of it, and shard-%d should", i, n, at)
		}
		s.mu.Unlock()
	}
}

// traffic is a writer and a reader for each key of the virtual shard, by two clients.
type traffic struct {
	c      *carried
	stores []*store
	stop   context.CancelFunc
	parts  sync.WaitGroup
	once   sync.Once

	mu                          sync.Mutex
	acked                       map[string]int
	writes, reads, failed, lost int
	slowest                     time.Duration
}

func drive(ctx context.Context, c *carried) *traffic {
	ctx, stop := context.WithCancel(ctx)
	t := &traffic{c: c, stop: stop, acked: map[string]int{}}
	for range 2 {
		s, err := openStore(ctx, &options{control: c.board.addresses["control"], poll: testPoll})
		if err != nil {
			c.t.Fatal(err)
		}
		t.stores = append(t.stores, s)
	}
	c.t.Cleanup(t.end)
	for i, key := range c.keys {
		t.parts.Go(func() { t.write(ctx, t.stores[i%2], key) })
		t.parts.Go(func() { t.read(ctx, t.stores[(i+1)%2], key) })
	}
	return t
}

// end stops it and waits for what is under way.
func (t *traffic) end() {
	t.once.Do(func() {
		t.stop()
		t.parts.Wait()
		for _, s := range t.stores {
			s.close()
		}
	})
}

// write counts a key up.
func (t *traffic) write(ctx context.Context, s *store, key string) {
	for n := 1; ctx.Err() == nil; n++ {
		began := time.Now()
		err := s.put(context.WithoutCancel(ctx), key, strconv.Itoa(n))
		t.mu.Lock()
		if t.writes++; err != nil {
			t.failed++ // it may be there or not
		} else {
			t.acked[key] = n
			t.slowest = max(t.slowest, time.Since(began))
		}
		t.mu.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
}

// read wants what was acknowledged before it began.
func (t *traffic) read(ctx context.Context, s *store, key string) {
	for ctx.Err() == nil {
		t.mu.Lock()
		least := t.acked[key]
		t.mu.Unlock()
		value, _, err := s.get(context.WithoutCancel(ctx), key)
		n, _ := strconv.Atoi(value) // not there is 0
		t.mu.Lock()
		if t.reads++; err != nil {
			t.failed++
		} else if n < least {
			t.lost++
			t.c.t.Errorf("%s is %q after %d was acknowledged", key, value, least)
		}
		t.mu.Unlock()
		time.Sleep(2 * time.Millisecond)
	}
}

// check says what became of it, once more after everything.
func (t *traffic) check() {
	s, err := openStore(t.c.t.Context(), &options{control: t.c.board.addresses["control"], poll: testPoll})
	if err != nil {
		t.c.t.Fatal(err)
	}
	defer s.close()
	for key, want := range t.acked {
		value, _, err := s.get(t.c.t.Context(), key)
		if n, _ := strconv.Atoi(value); err != nil || n < want {
			t.c.t.Errorf("%s is %q in the end (%v), %d was acknowledged", key, value, err, want)
		}
	}
	t.c.t.Logf("%d writes and %d reads, %d of them failed, the slowest write took %s", t.writes, t.reads, t.failed, t.slowest.Round(time.Millisecond))
	if t.writes < 1000 || t.reads < 1000 || t.failed > (t.writes+t.reads)/10 {
		t.c.t.Error("too little was served")
	}
}
