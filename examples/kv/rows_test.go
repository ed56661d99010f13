package main

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/routing"
)

// TestCarryVersioned moves a virtual shard's data without a fence, under writers and readers that write twice meanwhile, forward and back
// from every phase, while the process that decides ends before or after each of its writes: no acknowledged write is lost, and reads see
// every acknowledged write. Where one shard's word counts, what the other one does not take is brought there before anybody reads it.
func TestCarryVersioned(t *testing.T) {
	phases := []string{operation.Copy, operation.Both, operation.Verify, operation.Flip, operation.Settle}
	if testing.Short() {
		phases = phases[4:]
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer http.DefaultClient.CloseIdleConnections()
	c := newCarried(ctx, t, operation.MovingDoubled)
	c.pick(5)
	g := &gaps{c: c, key: c.keys[4]}
	c.keys = c.keys[:4]
	traffic := drive(ctx, c)
	c.keys = append(c.keys, g.key) // which nobody writes but to make gaps
	g.store = traffic.stores[0]
	g.make("nobody")
	for i, phase := range phases {
		c.fail = i
		c.begin(1)
		c.until(phase)
		t.Logf("back from %s", phase)
		if phase == operation.Settle {
			g.make("shard-0")
		}
		c.rollback()
		c.until(operation.Undone)
		c.lies(0)
		g.closed()
	}
	for fail, to := range []routing.ShardID{1, 0, 1} {
		c.fail = fail
		c.begin(to)
		c.until(operation.Copy)
		c.asked() // what is not taken from here on is left to the comparison
		g.make(c.state.Document.Shards[to].Name)
		c.until(operation.Over)
		t.Logf("at shard-%d", to)
		c.lies(int(to))
		g.closed()
	}
	traffic.end()
	traffic.check()
}

// asked waits until what the phase asks for is done, and goes no further.
func (c *carried) asked() {
	c.t.Helper()
	s := c.load()
	op := s.Operation(s.Operated)
	step, err := operation.Next(s, op.Number, c.view(s, op))
	if err != nil || step.Ask == nil {
		c.t.Fatalf("asks for %v: %v", step.Ask, err)
	}
	c.runner.Start(c.t.Context(), []operation.Task{*step.Ask})
	for range 200 {
		if c.runner.For(s)(op.Number, op.Phase).Done {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatalf("%s is not done", step.Ask.Ask)
}

// gaps are writes of a key that one of two shards does not take.
type gaps struct {
	c     *carried
	store *store
	key   string
	value int
}

// make is an acknowledged write that a shard does not take.
func (g *gaps) make(shard string) {
	g.c.t.Helper()
	g.c.deaf.Store(&request{shard, http.MethodPut, g.key})
	defer g.c.deaf.Store(nil)
	g.value++
	var err error
	for range 100 { // until the client, too, knows that one shard's word counts
		if err = g.store.put(g.c.t.Context(), g.key, strconv.Itoa(g.value)); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	g.c.t.Fatal(err)
}

// closed wants the last one to be read.
func (g *gaps) closed() {
	g.c.t.Helper()
	if value, _, err := g.store.get(g.c.t.Context(), g.key); err != nil || value != strconv.Itoa(g.value) {
		g.c.t.Errorf("read %q (%v), want %d: the gap is there", value, err, g.value)
	}
}

// TestLastVersionStays: rows come in any order, and the highest version stands.
func TestLastVersionStays(t *testing.T) {
	s := &shard{data: map[string]row{}}
	for _, r := range []row{{"b", 2}, {"a", 1}, {"c", 3}, {"b", 2}} {
		s.keep("key", r)
	}
	if got := s.data["key"]; got != (row{"c", 3}) {
		t.Errorf("%+v stands", got)
	}
	var v versions
	for range 1000 {
		if n, m := v.next(), v.next(); m <= n {
			t.Fatalf("%d after %d", m, n)
		}
	}
}
