package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/pipeline"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/client"
	"firebreak/routing/control"
)

// demoPerson is who takes a split back, which is no longer needed and which nobody else would: what was moved may stay.
const demoPerson = "demo"

// demoActing closes the loop: it is the steward of the fleet, and the clients that read what it writes. Its time is that of the story, in
// step with the log: whoever is slow slows the story. follow belongs to the goroutine that writes the log; the rest may be called by any.
type demoActing struct {
	steward *steward.Steward
	store   stateStore
	clients *demoClients
	world   *simulate.World
	now     atomic.Int64 // of the story, Unix ns
	round   time.Time    // of the next round

	mu     sync.Mutex
	demand []policy.Demand
	acted  []actuator.Acted // that nobody has taken yet
	state  *control.State
	taken  map[uint64]bool // operations that the person took back
}

// newDemoActing looks after a fleet whose state is in a store and which its clients read from a source. judge makes a document what everybody
// judges by, tell takes the journal's entries.
func newDemoActing(fleet *config.Fleet, world *simulate.World, store stateStore, source client.Source, judge func(context.Context, *routing.Document) error, tell func(*actuator.Entry)) *demoActing {
	a := &demoActing{store: store, world: world, clients: newDemoClients(source, world), taken: map[uint64]bool{}}
	a.now.Store(simulate.Acting().Start.UnixNano())
	a.steward = steward.New(&steward.Config{
		Fleet: fleet.Name, First: control.First(world.Table().Document()), Store: store, Epoch: func() int64 { return 1 }, Known: func() uint64 { return 0 },
		Judge: judge, Log: zap.NewNop(), Policy: fleet.Judge(), Clock: a.clock,
		Append: func(_ context.Context, entries []actuator.Entry) error { return a.tell(entries, tell) },
		Mover:  &demoStore{world: world, folded: map[string]bool{}},
	})
	return a
}

// clock is the time of the story.
func (a *demoActing) clock() time.Time { return time.Unix(0, a.now.Load()).UTC() }

// follow does what is due when the log is written up to a moment of the story: clients read and confirm, the steward makes its round.
func (a *demoActing) follow(ctx context.Context, now time.Time) error {
	a.now.Store(now.UnixNano())
	a.withhold(now)
	if err := a.clients.follow(ctx, now); err != nil {
		return fmt.Errorf("demo: clients: %w", err)
	}
	if now.Before(a.round) {
		return nil
	}
	a.round = now.Add(steward.Every)
	if err := a.takeBack(ctx, now); err != nil {
		return fmt.Errorf("demo: request: %w", err)
	}
	state, err := a.steward.Round(ctx)
	if err != nil {
		return fmt.Errorf("demo: steward: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = state
	return nil
}

// withhold notes what the clients count of quotas and caches, as their metrics would say.
func (a *demoActing) withhold(now time.Time) {
	var demand []policy.Demand
	for _, w := range a.world.Withheld(now) {
		demand = append(demand, policy.Demand{Tenant: w.Tenant, Key: w.Key, Rate: w.Rate})
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.demand = demand
}

// takeBack asks for the split's way back when what it was for is over.
func (a *demoActing) takeBack(ctx context.Context, now time.Time) error {
	if a.state == nil { // this goroutine alone writes it
		return nil
	}
	for i := range a.state.Operations {
		o := &a.state.Operations[i]
		if o.Fix != policy.FixSplit.String() || o.Phase != operation.Grace || o.Back || a.taken[o.Number] || a.hot(o.Shard, now) {
			continue
		}
		a.taken[o.Number] = true
		r := &control.Request{
			ID: fmt.Sprintf("demo-%d", o.Number), By: demoPerson, At: now, Reason: "the shard is as busy as it was before", Do: control.DoRollback, Operation: o.Number,
		}
		if err := a.store.Put(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// hot says whether anything is planted on a shard.
func (a *demoActing) hot(shard string, now time.Time) bool {
	for _, s := range a.world.Active(now) {
		if s.Shard == shard {
			return true
		}
	}
	return false
}

// tell hands the journal's entries to the page, and keeps what was done for who takes it.
func (a *demoActing) tell(entries []actuator.Entry, page func(*actuator.Entry)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range entries {
		page(&entries[i])
		if entries[i].Kind != actuator.KindActed {
			continue
		}
		acted, err := actuator.Read[actuator.Acted](&entries[i])
		if err != nil {
			return err
		}
		a.acted = append(a.acted, acted)
	}
	return nil
}

// judged hands a judgement to the steward.
func (a *demoActing) judged(j *pipeline.Judgement) { a.steward.Judged(numbersOf(j, a.clock())) }

// World is as that of a pipeline.Outsider.
func (a *demoActing) World(string, time.Time) policy.World {
	var w policy.World
	a.steward.Fill(&w)
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Demand = a.demand
	return w
}

// fill gives a tick what was done since the one before.
func (a *demoActing) fill(t *demoTick) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t.Acted, a.acted = a.acted, nil
	t.Routing = a.state
}

// demoStore folds pieces as the simulated shards do. It belongs to the steward's goroutine.
type demoStore struct {
	world  *simulate.World
	folded map[string]bool
}

// Can implements worker.
func (s *demoStore) Can(a operation.Ask) bool { return a == operation.AskFold }

// Moving implements worker: the simulated shards find what they need wherever they serve it.
func (s *demoStore) Moving() operation.Moving { return operation.MovingRouting }

// Start implements worker.
func (s *demoStore) Start(_ context.Context, tasks []operation.Task) {
	for i := range tasks {
		t := &tasks[i]
		s.world.Fold(&t.Salt)
		s.folded[foldName(t.Operation, t.Phase)] = true
	}
}

// For implements worker.
func (s *demoStore) For(*control.State) func(number uint64, phase string) operation.Result {
	return func(number uint64, phase string) operation.Result {
		return operation.Result{Done: s.folded[foldName(number, phase)]}
	}
}

// Close implements worker.
func (s *demoStore) Close() {}

func foldName(number uint64, phase string) string { return fmt.Sprintf("%d/%s", number, phase) }
