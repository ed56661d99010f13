package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	fake "firebreak/internal/fakes/dynamo"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

// cut is where a deciding instance meets its fault: at its write of a number, counted over the table and the journal.
type cut struct {
	at   int // 0 = never
	kind cutKind
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

// actingRig is a fleet on a table of DynamoDB's wire protocol, whose deciders die and are followed by others, in virtual time.
type actingRig struct {
	t       *testing.T
	server  *fake.Server
	first   *control.State
	cfg     policy.Config
	plan    policy.Plan
	carried bool // data lies on the shards, and is carried
	twice   bool // and written twice meanwhile

	mu      sync.Mutex // all below
	cut     cut
	writes  int // of deciders, from the beginning
	journal []actuator.Entry
	epoch   int64
	folds   int
	steward *steward.Steward
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
	r := &actingRig{t: t, server: fake.New(time.Now), first: control.First(d), cfg: policy.Default(), cut: c, carried: f.carried, twice: f.versioned}
	r.cfg.Mode, r.cfg.Approvers = policy.ModeAuto, []string{"ann"}
	r.cfg.MovedAtMost = 0.2
	r.cfg.KeySpaces = []policy.KeySpace{{Prefix: "feed", Merge: "counter", Staleness: time.Second}}
	r.plan = policy.Plan{ID: "plan", Hotspot: "hot", Fix: f.fix, Steps: []policy.Step{f.step}, Expires: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	r.plan.Added = f.added
	r.plan.Digest = d.Digest(nil)
	if _, err := dynamo.Create(t.Context(), r.api(r.server), "firebreak"); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *actingRig) api(via http.RoundTripper) *dynamodb.Client {
	return dynamo.Client(aws.Config{
		Region: "eu-west-1", HTTPClient: &http.Client{Transport: via},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	}, "http://dynamo.test")
}

func (r *actingRig) store(via http.RoundTripper) *dynamo.Store {
	s, err := dynamo.Open(r.api(via), dynamo.Config{Table: "firebreak", Fleet: "orders"})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// decider is an instance: what it writes is counted, and cut.
type decider struct {
	*actingRig

	ctx  context.Context //nolint:containedctx // the instance's life
	stop context.CancelFunc
}

// RoundTrip implements http.RoundTripper.
func (d *decider) RoundTrip(q *http.Request) (*http.Response, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	target := q.Header.Get("X-Amz-Target")
	if !strings.HasSuffix(target, "PutItem") && !strings.HasSuffix(target, "UpdateItem") && !strings.HasSuffix(target, "DeleteItem") {
		return d.server.RoundTrip(q)
	}
	var reply *http.Response
	err := d.write(func() (err error) {
		reply, err = d.server.RoundTrip(q) //nolint:bodyclose // the caller's
		return err
	})
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// write does what takes effect outside, or meets the fault.
func (d *decider) write(do func() error) error {
	d.mu.Lock()
	d.writes++
	hit := d.writes == d.cut.at
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
		s := steward.New(&steward.Config{
			Fleet: "orders", First: r.first, Store: r.store(d), Epoch: func() int64 { return epoch }, Known: func() uint64 { return 0 }, Log: zap.NewNop(),
			Judge: func(context.Context, *routing.Document) error { return nil }, Append: d.append, Policy: r.cfg,
			Mover: mover.NewRunner(d.movers()),
		})
		r.mu.Lock()
		r.steward = s
		r.mu.Unlock()
		s.Run(running)
		stop()
		pause(ctx, 3*time.Second)
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
		now := time.Now()
		s := &policy.Snapshot{Fleet: "orders", Table: table, LogPoint: policy.LogPointClient, Pane: 10 * time.Second, Inputs: policy.Inputs{Coverage: 1, Shards: true, Keys: true}}
		for i := range 30 {
			p := policy.Pane{Start: now.Add(time.Duration(i-30) * s.Pane)}
			for v := range 40 {
				sums := policy.Sums{Load: 1000, Variance: 1000, Records: 1000}
				if v%4 == 0 && v < 12 { // of shard-0
					sums.Load, sums.Variance = 2000, 2000
				}
				p.VShards = append(p.VShards, policy.VShardSums{VShard: routing.VShard(v), Sums: sums})
			}
			s.Panes = append(s.Panes, p)
		}
		plan := r.plan
		plan.Ready = !slices.ContainsFunc(r.acted(), func(a *actuator.Acted) bool { return a.Step == operation.Planned })
		d := &policy.Decision{Plans: []policy.Plan{plan}, Open: []policy.Verdict{{Hotspot: "hot", Shard: "shard-0"}}}
		r.mu.Lock()
		on := r.steward
		r.mu.Unlock()
		if on != nil {
			on.Judged(&operation.Numbers{At: now, Snapshot: s, Config: &r.cfg, Decision: d})
		}
	}
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
	source, err := dynamo.OpenSource(r.api(r.server), dynamo.Config{Table: "firebreak", Fleet: "orders"})
	if err != nil {
		r.t.Error(err)
		return
	}
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

// state reads what stands.
func (r *actingRig) state(ctx context.Context) *control.State {
	s, err := r.store(r.server).Load(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// stands waits until the only operation stands in one of some phases, and says in which; empty after so long.
func (r *actingRig) stands(ctx context.Context, most time.Duration, phases ...string) string {
	for end := time.Now().Add(most); time.Now().Before(end); pause(ctx, 5*time.Second) {
		s, err := r.store(r.server).Load(ctx)
		if err != nil {
			continue
		}
		if o := s.Operation(1); o != nil && slices.Contains(phases, o.Phase) {
			return o.Phase
		}
	}
	return ""
}

// takeBack asks for a roll-back.
func (r *actingRig) takeBack(ctx context.Context) {
	q := &control.Request{ID: fmt.Sprintf("back-%d", time.Now().UnixNano()), By: "ann", At: time.Now(), Reason: "to see it", Do: control.DoRollback, Operation: 1}
	if err := r.store(r.server).Put(ctx, q); err != nil {
		r.t.Fatal(err)
	}
}
