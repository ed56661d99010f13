package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

const testPoll = 100 * time.Millisecond

// carried is a store of three shards with Guards, its control state, and a decider that carries a virtual shard by the command of this
// package, all of it real but for the decider's clock.
type carried struct {
	*memory

	board *board

	t      *testing.T
	shards []*shard
	served serving
	argv   []string // of the mover
	moving operation.Moving
	deaf   atomic.Pointer[request] // what a shard does not take; nil = everything is taken
	vshard routing.VShard
	keys   []string // of that virtual shard

	runner *mover.Runner
	now    time.Duration // that the decider is ahead
	known  time.Time
	at     uint64
	writes int
	fail   int // which of three writes are spoiled, and how: see write
}

// serving takes note of which shard served what when.
type serving struct {
	mu   sync.Mutex
	runs []run1
}

// request is one for a key at a shard.
type request struct{ shard, method, key string }

type run1 struct {
	shard    string
	from, to time.Time
}

func newCarried(ctx context.Context, t *testing.T, moving operation.Moving) *carried {
	t.Helper()
	c := &carried{t: t, moving: moving}
	names := []string{"shard-0", "shard-1", "shard-2"}
	addresses := map[string]string{}
	handlers := make([]http.Handler, len(names))
	var list []string
	for i, name := range names {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(name, handlers[i], w, r) }))
		t.Cleanup(server.Close)
		addresses[name] = server.URL
		list = append(list, name+"="+server.URL)
	}
	first, err := firstState(names)
	if err != nil {
		t.Fatal(err)
	}
	c.memory = newMemory(first)
	c.board = &board{addresses, c.memory}
	server := httptest.NewServer(c.board.handler())
	t.Cleanup(server.Close)
	for i, name := range names {
		s, err := openShard(ctx, &options{control: server.URL, poll: testPoll}, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.close)
		c.shards, handlers[i] = append(c.shards, s), s.handler()
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.argv = []string{"/usr/bin/env", "KV_RUN=1", exe, "carry", "--shards", strings.Join(list, ","), "--versioned=" + strconv.FormatBool(moving == operation.MovingDoubled)}
	c.board.addresses["control"] = server.URL
	c.pick(4)
	c.restart()
	t.Cleanup(func() { c.runner.Close() })
	return c
}

// pick takes a virtual shard of shard-0 that several keys lie on.
func (c *carried) pick(keys int) {
	table, err := routing.NewTable(c.state.Document)
	if err != nil {
		c.t.Fatal(err)
	}
	on := map[routing.VShard][]string{}
	for i := 0; ; i++ {
		key := "key-" + strconv.Itoa(i)
		at := table.Locate(nil, []byte(key))
		if at.Shard != 0 {
			continue
		}
		if on[at.VShard] = append(on[at.VShard], key); len(on[at.VShard]) == keys {
			c.vshard, c.keys = at.VShard, on[at.VShard]
			return
		}
	}
}

// serve notes which requests for what moves a shard has served, and when.
func (c *carried) serve(name string, h http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/kv" {
		h.ServeHTTP(w, r)
		return
	}
	if deaf := c.deaf.Load(); deaf != nil && *deaf == (request{name, r.Method, r.URL.Query().Get("key")}) {
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	}
	rec := httptest.NewRecorder()
	from := time.Now()
	h.ServeHTTP(rec, r)
	if rec.Code < 300 || rec.Code == http.StatusNotFound {
		c.served.mu.Lock()
		c.served.runs = append(c.served.runs, run1{name, from, time.Now()})
		c.served.mu.Unlock()
	}
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// restart is that another process decides: it knows what stands in the store and nothing else, and claims the fleet.
func (c *carried) restart() {
	if c.runner != nil {
		c.runner.Close()
	}
	c.runner = mover.NewRunner(&mover.Movers{Moves: mover.NewCommand(c.argv, time.Minute)})
	c.mu.Lock()
	c.roll, c.at = control.Roll{}, 0
	c.mu.Unlock()
	was := c.load()
	next, err := was.Claim(0, rand.Text())
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.put(was.At(), next); err != nil {
		c.t.Fatal(err)
	}
}

func (c *carried) load() *control.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Copy()
}

// put is one conditional write of the state.
func (c *carried) put(was control.At, next *control.State) error {
	next = next.Copy()
	next.Outbox, next.Answers = nil, nil
	if err := errors.Join(next.Validate(), control.Follows(was, next)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.At() != was {
		return &control.Conflict{Now: c.state.At()}
	}
	c.state = next
	return nil
}

// write is put, where every third write is not made and the process ends before it, and every third is made and the process ends before
// it hears of that.
func (c *carried) write(was control.At, next *control.State) {
	c.writes++
	spoiled := (c.writes + c.fail) % 3
	if spoiled != 1 {
		if err := c.put(was, next); err != nil {
			c.t.Fatal(err)
		}
	}
	if spoiled != 0 {
		c.restart()
	}
}

// begin plans the move of the virtual shard to a shard.
func (c *carried) begin(to routing.ShardID) {
	s := c.load()
	plan := &policy.Plan{
		ID: rand.Text(), Fix: policy.FixSplit, Expires: time.Now().Add(time.Hour), Digest: s.Document.Digest(nil),
		Steps: []policy.Step{{Kind: policy.StepMove, Moves: []routing.Move{{VShard: c.vshard, To: to}}}},
	}
	next, err := operation.Begin(s, plan, &operation.Terms{
		Mode: policy.ModeAuto, Moving: c.moving, Cut: func(m []routing.Move) [][]routing.Move { return [][]routing.Move{m} },
	}, time.Now())
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.put(s.At(), next); err != nil {
		c.t.Fatal(err)
	}
}

// until lets the decider decide until the newest operation stands in a phase, or is gone.
func (c *carried) until(phase string) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		s := c.load()
		op := s.Operation(s.Operated)
		if op == nil && phase == operation.Over || op != nil && op.Phase == phase {
			return
		}
		if op == nil {
			break
		}
		if op.Phase == operation.Settle || op.Phase == operation.Grace {
			c.now += 25 * time.Hour
		}
		step, err := operation.Next(s, s.Operated, c.view(s, op))
		if err != nil {
			c.t.Fatal(err)
		}
		if step.Ask != nil {
			c.runner.Start(c.t.Context(), []operation.Task{*step.Ask})
		}
		if step.Write != nil {
			c.write(s.At(), step.Write)
		}
	}
	s := c.load()
	c.t.Fatalf("it never stood in %s: %+v", phase, s.Operation(s.Operated))
}

// view is what the decider knows: clients and guards by real time, everything else as if the loads were fine.
func (c *carried) view(s *control.State, op *control.Operation) *operation.View {
	clock := time.Now()
	if c.at != op.Version {
		c.at, c.known = op.Version, clock
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := &operation.View{
		Grace: 24 * time.Hour, Now: clock.Add(c.now), Known: c.known.Add(c.now), Needed: true, Routed: c.roll.Live(clock) > 0,
		Can: c.runner.Can, Result: c.runner.For(s),
		Fits:   func(_, _ *routing.Document) error { return nil },
		Effect: func(_, _ *routing.Document) operation.Effect { return operation.Effect{Outcome: operation.Effective} },
		Guards: func(shard string) []control.Guarding {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.roll.Guards(clock, shard)
		},
	}
	for _, behind := range c.roll.Behind(clock, op.Version) {
		v.Behind = append(v.Behind, behind.Client)
	}
	return v
}

// oneAtATime says whether two shards have served at the same moment.
func (s *serving) oneAtATime() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := run1{}
	for _, r := range s.runs { // in the order of their ends
		if last.shard != "" && r.shard != last.shard && r.from.Before(last.to) {
			return fmt.Errorf("%s served until %s, and %s from %s on", last.shard, last.to.Format(time.StampMicro), r.shard, r.from.Format(time.StampMicro))
		}
		last = r
	}
	return nil
}
