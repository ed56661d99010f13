package main

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/actuator/operation"
	fake "firebreak/internal/fakes/dynamo"
)

// TestOperationThrottled is S07 for an operation: once clients have confirmed its first write of the routing, the table throttles every write for 90 s. It waits, the
// same process stays its decider and says why it pauses, the table sees at most five of its calls in any second; then it goes on to its end, each
// write once. How 40 calls of one store share that pace is shown in package routing/dynamo.
func TestOperationThrottled(t *testing.T) {
	f := faulties()[0]
	synctest.Test(t, func(t *testing.T) {
		r := newActingRig(t, &f, cut{})
		ctx, cancel := context.WithCancel(t.Context())
		var alive sync.WaitGroup
		for _, part := range []func(context.Context){r.decide, r.judgeOn, r.follow} {
			alive.Go(func() { part(ctx) })
		}
		if r.stands(ctx, 1, time.Minute, operation.Flip) == "" {
			t.Fatal("it never began")
		}
		for end := time.Now().Add(time.Minute); !r.confirmed(ctx) && time.Now().Before(end); { // so that there is something to write
			pause(ctx, 100*time.Millisecond)
		}
		before, from := r.state(ctx), time.Now()
		if phase := before.Operation(1).Phase; phase != operation.Flip {
			t.Fatalf("it stands in %s already", phase)
		}
		for _, op := range []string{"PutItem", "UpdateItem", "DeleteItem"} {
			r.table().Break(fake.Fault{Op: op, Say: fake.Throttled, Times: -1})
		}
		said := 0
		for range 90 {
			pause(ctx, time.Second)
			if r.steward.Standing().Throttled {
				said++
			}
		}
		if said < 75 { // the first write is due within ten seconds
			t.Errorf("it says in %d of 90 s that it pauses", said)
		}
		if s := r.steward.Standing(); !s.Throttled || s.Why != "paused: throttled" {
			t.Errorf("it says %q", s.Why)
		}
		if s := r.state(ctx); s.At() != before.At() {
			t.Errorf("%s, want %s: the table took a write", s.At(), before.At())
		}
		r.table().Quiet()
		if r.stands(ctx, 1, 40*time.Minute, operation.Grace) == "" {
			t.Errorf("it stands still: %+v", r.state(ctx).Operations)
		}
		pause(ctx, time.Minute)
		f.check(t, r, operation.Grace)
		if s := r.state(ctx); s.Document.Epoch != before.Document.Epoch || r.epoch != 1 {
			t.Errorf("epoch %d, was %d, %d deciders: it was taken over", s.Document.Epoch, before.Document.Epoch, r.epoch)
		}
		r.fewCalls(from, from.Add(90*time.Second))
		cancel()
		alive.Wait()
	})
}

// table is the other side of a fleet whose state is on DynamoDB.
func (r *actingRig) table() *fake.Server {
	return r.place.(*dynamoPlace).server //nolint:forcetypeassert // the test asked for it
}

// confirmed says whether the client holds the document that stands.
func (r *actingRig) confirmed(ctx context.Context) bool {
	listed, err := r.people().Confirmations(ctx)
	return err == nil && len(listed) > 0 && listed[0].Version >= r.state(ctx).Document.Version
}

// fewCalls holds refused writes to five in any second.
func (r *actingRig) fewCalls(from, to time.Time) {
	r.t.Helper()
	var at []time.Time
	for _, c := range r.table().Calls() {
		if c.Error == fake.Throttled && !strings.HasPrefix(c.Partition, "clients/") && c.At.After(from) && c.At.Before(to) {
			at = append(at, c.At)
		}
	}
	gaps := map[time.Duration]bool{}
	for i := 1; i < len(at); i++ {
		gaps[at[i].Sub(at[i-1])] = true
		if i >= 5 && at[i].Sub(at[i-5]) < time.Second {
			r.t.Fatalf("calls %d to %d within %s", i-5, i, at[i].Sub(at[i-5]))
		}
	}
	if len(at) < 20 || len(gaps) < len(at)/2 {
		r.t.Errorf("%d calls, %d gaps between them: want many, with jitter", len(at), len(gaps))
	}
}
