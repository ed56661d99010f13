package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/store"
)

// cut is where a deciding instance meets its fault: at its write of a number, counted over the table and the journal.
type cut struct {
	at    int // 0 = never
	kind  cutKind
	while string // counted are those only that are made while operation 1 stands in this phase; empty = all
}

type cutKind uint8

const (
	cutBefore    cutKind = iota // it stops before the write
	cutAfter                    // it stops after it
	cutLost                     // the write takes effect, and the instance, which goes on, is told that it failed
	cutLostStops                // the same, and it stops
)

func (k cutKind) String() string {
	return [...]string{"before", "after", "lost reply", "lost reply, stopped"}[k]
}

var errCut = errors.New("the network is gone")

// actingRig is a fleet whose state lies behind a wire protocol, and whose deciders die and are followed by others, in virtual time.
type actingRig struct {
	t       *testing.T
	place   place
	first   *control.State
	cfg     policy.Config
	carried bool          // data lies on the shards, and is carried
	twice   bool          // and written twice meanwhile
	calm    bool          // no shard is hotter than another
	leaves  time.Duration // from the end of a decider to the next one

	mu      sync.Mutex // all below
	hots    []hotspot
	judged  *operation.Numbers // the last one, which every instance makes
	cut     cut
	ended   time.Time // when a decider met the fault; zero = none did
	writes  int       // of deciders, from the beginning
	journal []actuator.Entry
	epoch   int64
	folds   int
	steward *steward.Steward
}

// hotspot is what is hot, and the plan for it.
type hotspot struct {
	shard int // its first three virtual shards bear twice what others do
	plan  policy.Plan
}

func newActingRig(t *testing.T, f *faulty, c cut) *actingRig {
	t.Helper()
	shards := append(routing.NumberedShards(4), routing.Shard{Name: "spare-0", Role: routing.Spare})
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN, VShards: 40}, shards[:4])
	if err != nil {
		t.Fatal(err)
	}
	d.Shards = shards
	if f.stands != nil {
		f.stands(d)
	}
	r := &actingRig{t: t, first: control.First(d), cfg: policy.Default(), cut: c, carried: f.carried, twice: f.versioned, calm: f.lifted, leaves: 3 * time.Second}
	r.cfg.Mode, r.cfg.Approvers = policy.ModeAuto, []string{"ann"}
	r.cfg.MovedAtMost = 0.2
	r.cfg.KeySpaces = []policy.KeySpace{{Prefix: "feed", Merge: "counter", Staleness: time.Second}}
	plan := policy.Plan{ID: "plan", Hotspot: "hot", Fix: f.fix, Steps: []policy.Step{f.step}, Expires: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	if plan.Added, plan.Digest = f.added, d.Digest(nil); r.calm {
		plan.Hotspot, plan.Undo = "", true
	}
	r.hots = []hotspot{{0, plan}}
	if f.kafka {
		r.place = newKafkaPlace(t)
	} else {
		r.place = newDynamoPlace(t)
	}
	return r
}

// decider is an instance: what it writes is counted, and cut.
type decider struct {
	*actingRig

	ctx  context.Context //nolint:containedctx // the instance's life
	stop context.CancelFunc
}

// loses says whether the reply to the write that is being made is lost.
func (d *decider) loses() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes == d.cut.at && d.cut.kind != cutAfter
}

// write does what takes effect outside, or meets the fault.
func (d *decider) write(do func() error) error {
	counts := d.cut.while == "" || d.phase(d.ctx) == d.cut.while
	d.mu.Lock()
	if counts {
		d.writes++
	}
	hit := counts && d.writes == d.cut.at
	if hit {
		d.ended = time.Now()
	}
	d.mu.Unlock()
	if !hit {
		return do()
	}
	kind := d.cut.kind
	if kind == cutBefore {
		d.stop()
		return errCut
	}
	err := do()
	if kind != cutLost {
		d.stop()
	}
	if kind != cutAfter {
		return errCut
	}
	return err
}

// append is the journal's side.
func (d *decider) append(_ context.Context, entries []actuator.Entry) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	return d.write(func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.journal = append(d.journal, entries...)
		return nil
	})
}

// folder folds the pieces of a salt: it is asked, and answers that it is under way, then that it is done.
type folder struct{ *decider }

// Do implements mover.Mover.
func (f folder) Do(_ context.Context, task *operation.Task) error {
	return f.write(func() error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if task.Salt.Write != 1 || len(task.Salt.Tombstones) != 3 {
			f.t.Errorf("a fold is asked for of %+v", task.Salt)
		}
		if f.folds++; f.folds < 2 {
			return mover.ErrNotYet
		}
		return nil
	})
}

// carrier carries at once what it is asked to.
type carrier struct{ *decider }

// Do implements mover.Mover.
func (c carrier) Do(context.Context, *operation.Task) error {
	return c.write(func() error { return nil })
}

// movers are those of the fleet.
func (d *decider) movers() *mover.Movers {
	if d.carried {
		return &mover.Movers{Moves: carrier{d}, Versioned: d.twice}
	}
	return &mover.Movers{None: true, Folds: folder{d}, Provisions: carrier{d}}
}

// decide keeps one instance deciding, whatever becomes of it, until ctx ends.
func (r *actingRig) decide(ctx context.Context) {
	for ctx.Err() == nil {
		running, stop := context.WithCancel(ctx)
		r.mu.Lock()
		r.epoch++
		epoch := r.epoch
		r.mu.Unlock()
		d := &decider{actingRig: r, ctx: running, stop: stop}
		table, done := r.place.open(d)
		s := steward.New(&steward.Config{
			Fleet: "orders", First: r.first, Store: table, Epoch: func() int64 { return epoch }, Known: func() uint64 { return 0 }, Log: zap.NewNop(),
			Judge: func(context.Context, *routing.Document) error { return nil }, Append: d.append, Policy: r.cfg,
			Mover: mover.NewRunner(d.movers()),
		})
		r.mu.Lock()
		r.steward = s
		if r.judged != nil {
			s.Judged(r.judged)
		}
		r.mu.Unlock()
		s.Run(running)
		stop()
		done()
		pause(ctx, r.leaves)
	}
}

// judgeOn tells whoever decides what is measured, every pane: the plan is ready as long as nothing was made of it.
func (r *actingRig) judgeOn(ctx context.Context) {
	table, err := routing.NewTable(r.first.Document)
	if err != nil {
		r.t.Error(err)
		return
	}
	for ; ctx.Err() == nil; pause(ctx, 10*time.Second) {
		now, hots := time.Now(), r.hot()
		s := &policy.Snapshot{Fleet: "orders", Table: table, LogPoint: policy.LogPointClient, Pane: 10 * time.Second, Inputs: policy.Inputs{Coverage: 1, Shards: true, Keys: true}}
		for i := range 30 {
			p := policy.Pane{Start: now.Add(time.Duration(i-30) * s.Pane)}
			for v := range 40 {
				sums := policy.Sums{Load: 1000, Variance: 1000, Records: 1000}
				if !r.calm && v < 12 && slices.ContainsFunc(hots, func(h hotspot) bool { return h.shard == v%4 }) {
					sums.Load, sums.Variance = 2000, 2000
				}
				p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: sums})
			}
			s.Panes = append(s.Panes, p)
		}
		d := &policy.Decision{}
		for _, h := range hots {
			plan := h.plan
			plan.Ready = !slices.ContainsFunc(r.acted(), func(a *actuator.Acted) bool { return a.Plan == plan.ID && a.Step == operation.Planned })
			d.Plans = append(d.Plans, plan)
			d.Open = append(d.Open, policy.Verdict{Hotspot: plan.Hotspot, Shard: fmt.Sprintf("shard-%d", h.shard)})
		}
		j := &operation.Numbers{At: now, Snapshot: s, Config: &r.cfg, Decision: d}
		r.mu.Lock()
		on := r.steward
		r.judged = j
		r.mu.Unlock()
		if on != nil {
			on.Judged(j)
		}
	}
}

// hot is what is hot now.
func (r *actingRig) hot() []hotspot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.hots)
}

// phase is that of operation 1 in the table; empty = there is none.
func (r *actingRig) phase(ctx context.Context) string {
	s, err := r.people().Load(ctx)
	if err != nil || s.Operation(1) == nil {
		return ""
	}
	return s.Operation(1).Phase
}

// acted are the entries of the kind acted, each once.
func (r *actingRig) acted() []*actuator.Acted {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*actuator.Acted
	seen := map[string]bool{}
	for i := range r.journal {
		e := &r.journal[i]
		if e.Kind != actuator.KindActed || seen[e.ID] {
			continue
		}
		seen[e.ID] = true
		a, err := actuator.Read[actuator.Acted](e)
		if err != nil {
			r.t.Error(err)
			return nil
		}
		out = append(out, &a)
	}
	return out
}

// follow is an application: it takes the newest document every five seconds, and says so. Where data is carried, guards of all shards do,
// who look twice a second and say so at once when it is a new one.
func (r *actingRig) follow(ctx context.Context) {
	source := r.place.source()
	every, clients := 5*time.Second, []control.Confirmation{{Client: "app-1"}}
	if r.carried {
		every = 500 * time.Millisecond
		for i := range 4 {
			clients = append(clients, control.Confirmation{Client: fmt.Sprintf("guard-%d", i), Guard: true, Shard: fmt.Sprintf("shard-%d", i)})
		}
	}
	var known control.At
	var said time.Time
	for beat := uint64(1); ctx.Err() == nil; pause(ctx, every) {
		head, err := source.Head(ctx)
		if err != nil {
			continue // not there yet
		}
		at := control.At{Epoch: head.Epoch, Version: head.Version}
		if at == known && time.Since(said) < 5*time.Second {
			continue
		}
		known, said = at, time.Now()
		beat++
		for _, c := range clients {
			c.Epoch, c.Version, c.Beat = head.Epoch, head.Version, beat
			if err := source.Confirm(ctx, c); err != nil && ctx.Err() == nil {
				r.t.Error(err)
			}
		}
	}
}

// people is the store as people reach it.
func (r *actingRig) people() store.Store {
	s, _ := r.place.open(nil)
	return s
}

// state reads what stands.
func (r *actingRig) state(ctx context.Context) *control.State {
	s, err := r.people().Load(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// stands waits until an operation stands in one of some phases, and says in which; empty after so long.
func (r *actingRig) stands(ctx context.Context, number uint64, most time.Duration, phases ...string) string {
	for end := time.Now().Add(most); time.Now().Before(end); pause(ctx, 5*time.Second) {
		s, err := r.people().Load(ctx)
		if err != nil {
			continue
		}
		if o := s.Operation(number); o != nil && slices.Contains(phases, o.Phase) {
			return o.Phase
		}
	}
	return ""
}

// takeBack asks for a roll-back of an operation.
func (r *actingRig) takeBack(ctx context.Context, number uint64) {
	q := &control.Request{ID: fmt.Sprintf("back-%d", time.Now().UnixNano()), By: "ann", At: time.Now(), Reason: "to see it", Do: control.DoRollback, Operation: number}
	if err := r.people().Put(ctx, q); err != nil {
		r.t.Fatal(err)
	}
}
