package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	fake "firebreak/internal/fakes/dynamo"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

// TestFoldIsAskedForByAnOperation: a key's salt is taken back by firebreak's own table of phases, its pieces are folded by the command of
// this package, called twice, and the sum is exact under increments.
func TestFoldIsAskedForByAnOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: clients look at the document every five seconds")
	}
	server := fake.New(time.Now)
	over := httptest.NewServer(server)
	defer over.Close()
	defer http.DefaultClient.CloseIdleConnections()
	if err := adopt(t.Context(), api(server), table); err != nil {
		t.Fatal(err)
	}
	c, err := open(t.Context(), api(server), table)
	if err != nil {
		t.Fatal(err)
	}
	defer c.router.Close()
	d, err := claim(t.Context(), api(server), table, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.up(t.Context(), hot, 4); err != nil {
		t.Fatal(err)
	}
	l := &ledger{}
	stop := l.traffic(t, hot, c)
	time.Sleep(time.Second)
	u := &unsalting{t: t, store: d.store, argv: []string{
		"/usr/bin/env", "COUNTER_RUN=1", "AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret", executable(t), "--endpoint", over.URL, "--region", "eu-west-1", "--table", table, "fold",
	}}
	u.begin(t.Context())
	u.through(t.Context())
	stop()
	l.exact(t, c, hot)
	if salt, ok := c.router.Table().Salt(nil, []byte(hot)); !ok || len(salt.Suffixes) != 1 || len(salt.Tombstones) != 3 {
		t.Errorf("the salt is %+v", salt)
	}
	t.Logf("%d writes and %d reads, the sum is %d", l.writes, l.reads, l.acknowledged)
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// unsalting is a decider that takes a salt back; its clock is ahead where it waits for time alone.
type unsalting struct {
	t     *testing.T
	store *dynamo.Store
	argv  []string
	roll  control.Roll
	ahead time.Duration
}

// begin plans it.
func (u *unsalting) begin(ctx context.Context) {
	s, err := u.store.Load(ctx)
	if err != nil {
		u.t.Fatal(err)
	}
	plan := &policy.Plan{
		ID: "p", Fix: policy.FixSalt, Expires: time.Now().Add(time.Hour), Digest: s.Document.Digest(nil),
		Steps: []policy.Step{{Kind: policy.StepUnsalt, Key: hot}},
	}
	next, err := operation.Begin(s, plan, &operation.Terms{Mode: policy.ModeAuto}, time.Now())
	if err != nil {
		u.t.Fatal(err)
	}
	u.write(ctx, s, next)
}

func (u *unsalting) write(ctx context.Context, was, next *control.State) {
	next.Outbox = nil
	if _, err := u.store.Write(ctx, was.At(), next); err != nil {
		u.t.Fatal(err)
	}
}

// through decides until the operation settles.
func (u *unsalting) through(ctx context.Context) {
	runner := mover.NewRunner(&mover.Movers{Folds: mover.NewCommand(u.argv, time.Minute)})
	defer runner.Close()
	var phases []string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(300 * time.Millisecond) {
		s, err := u.store.Load(ctx)
		if err != nil {
			u.t.Fatal(err)
		}
		op := s.Operation(1)
		if len(phases) == 0 || phases[len(phases)-1] != op.Phase {
			phases = append(phases, op.Phase)
			u.ahead += 2 * time.Minute // what waits for a minute waits no longer
		}
		if op.Phase == operation.Settle {
			if want := []string{"planned", "lower", "fold", "leave", "settle"}; !slices.Equal(phases, want) {
				u.t.Errorf("phases %v, want %v", phases, want)
			}
			return
		}
		step, err := operation.Next(s, 1, u.view(ctx, op, runner.For(s)))
		if err != nil {
			u.t.Fatal(err)
		}
		if step.Ask != nil {
			runner.Start(ctx, []operation.Task{*step.Ask})
		}
		if step.Write != nil {
			if op.Phase == operation.Fold { // once more, late: it is folded already
				if err := mover.NewCommand(u.argv, time.Minute).Do(ctx, u.task(s)); err != nil {
					u.t.Errorf("called again: %v", err)
				}
			}
			u.write(ctx, s, step.Write)
		}
	}
	u.t.Fatalf("it got through %s only", strings.Join(phases, ", "))
}

func (u *unsalting) task(s *control.State) *operation.Task {
	salt, _ := s.Document.SaltOf(routing.SaltEntry("", hot))
	return &operation.Task{Fleet: fleetName, Operation: 1, Phase: operation.Fold, Version: 1, Document: s.Document, Ask: operation.AskFold, Salt: salt}
}

func (u *unsalting) view(ctx context.Context, op *control.Operation, result func(uint64, string) operation.Result) *operation.View {
	now := time.Now()
	listed, err := u.store.Confirmations(ctx)
	if err != nil {
		u.t.Fatal(err)
	}
	u.roll.Observe(now, listed)
	v := &operation.View{
		Now: now.Add(u.ahead), Known: now, Needed: true, Routed: u.roll.Live(now) > 0, Result: result,
		Fits: func(_, _ *routing.Document) error { return nil },
	}
	for _, b := range u.roll.Behind(now, op.Version) {
		v.Behind = append(v.Behind, b.Client)
	}
	return v
}
