package dynamo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	fake "firebreak/internal/fakes/dynamo"
	"firebreak/routing/control"
)

// TestThrottled is S07: 40 calls at once while every write is throttled for 90 s. All come through, each once; the table sees at most
// five calls a second, and who watches is told that it paused and that it goes on.
func TestThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		server.Break(fake.Fault{Op: "PutItem", Say: fake.Throttled, Times: -1})
		from := time.Now()
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() {
				r := control.Request{ID: fmt.Sprint(i), By: "anna", Reason: "it is time", Do: control.DoStop}
				if err := s.Put(t.Context(), &r); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(90 * time.Second)
		if since, ok := s.Paused(); !ok || since.Sub(from) > time.Second {
			t.Errorf("paused: %t since %v, want since the first refusal", ok, since.Sub(from))
		}
		if diff := cmp.Diff([]Kind{Paused}, s.kinds()); diff != "" || Paused.String() != "paused: throttled" {
			t.Errorf("events while it throttles (-want +got):\n%s", diff)
		}
		server.Quiet()
		group.Wait()
		if took := time.Since(from); took > 110*time.Second {
			t.Errorf("they came through after %v", took)
		}
		if _, ok := s.Paused(); ok {
			t.Error("paused though all came through")
		}
		if diff := cmp.Diff([]Kind{Paused, GoesOn}, s.kinds()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		var at []time.Time
		applied := 0
		for _, c := range server.Calls() {
			if c.Op != "PutItem" {
				continue
			}
			if c.Error == "" {
				applied++
			}
			// The first 40 were on their way when the first answer came.
			if c.At.After(from) && c.At.Before(from.Add(90*time.Second)) {
				at = append(at, c.At)
			}
		}
		if applied != 40 {
			t.Errorf("%d writes for 40 requests", applied)
		}
		spaced(t, at)
		if len(at) < 100 {
			t.Errorf("%d calls in 90 s: it gave up looking", len(at))
		}
	})
}

// spaced holds calls to five in any second, and to jitter.
func spaced(t *testing.T, at []time.Time) {
	t.Helper()
	gaps := map[time.Duration]bool{}
	for i := range at {
		if i >= 5 && at[i].Sub(at[i-5]) < time.Second {
			t.Fatalf("calls %d to %d came within %v", i-5, i, at[i].Sub(at[i-5]))
		}
		if i > 0 {
			gaps[at[i].Sub(at[i-1])] = true
		}
	}
	if len(gaps) < len(at)/2 {
		t.Errorf("%d gaps between %d calls: no jitter", len(gaps), len(at))
	}
}

// TestBudget: calls do not share a budget. One that was throttled for an hour leaves the next call whole.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		server.Break(fake.Fault{Op: "DeleteItem", Say: fake.Throttled, Times: -1})
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if err := s.Drop(ctx, "r1"); err == nil || ctx.Err() == nil {
			t.Errorf("drop: %v", err)
		}
		from := time.Now()
		mustWrite(t, s, control.At{}, adopted(t, "orders"))
		if took := time.Since(from); took > time.Second {
			t.Errorf("a write after that took %v", took)
		}
	})
}

// TestReadsSayNothingOfWrites: while only writes are throttled, reads that pass end no pause; a write that passes does.
func TestReadsSayNothingOfWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		mustWrite(t, s.Store, control.At{}, adopted(t, "orders"))
		server.Break(fake.Fault{Op: "PutItem", Say: fake.Throttled, Times: -1})
		done := make(chan error, 1)
		go func() {
			done <- s.Put(t.Context(), &control.Request{ID: "r", By: "anna", Reason: "it is time", Do: control.DoStop})
		}()
		time.Sleep(time.Second)
		for range 20 {
			if _, err := s.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Paused(); !ok {
				t.Fatal("a read ended the pause")
			}
			time.Sleep(time.Second)
		}
		server.Quiet()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Paused(); ok {
			t.Error("it goes on, and is paused still")
		}
	})
}

// TestStoresAlone: stores do not share a pace. One whose table throttles does not slow another one down.
func TestStoresAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		slow, fast := watch(t, api, "orders"), watch(t, api, "payments")
		server.Break(fake.Fault{Op: "DeleteItem", Say: fake.Throttled, Times: -1})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		var group sync.WaitGroup
		group.Go(func() { _ = slow.Drop(ctx, "r1") })
		time.Sleep(time.Second)
		from := time.Now()
		for range 100 {
			if _, err := fast.Requests(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(from); took > 0 {
			t.Errorf("100 calls took %v of no time", took)
		}
		stop()
		group.Wait()
		if len(fast.kinds()) > 0 || slices.Contains(slow.kinds(), GoesOn) {
			t.Errorf("events: %v and %v", fast.kinds(), slow.kinds())
		}
	})
}

// TestLateAnswer: an answer to what was sent before the table began to throttle does not end the pause.
func TestLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, api := created(t)
		s := watch(t, api, "orders")
		server.Break(fake.Fault{Op: "PutItem", Delay: time.Second}, fake.Fault{Op: "DeleteItem", Say: fake.Throttled, Times: -1})
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		var group sync.WaitGroup
		group.Go(func() {
			if err := s.Put(ctx, &control.Request{ID: "r1", By: "anna", Reason: "it is time", Do: control.DoStop}); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(990 * time.Millisecond)
		group.Go(func() {
			if err := s.Drop(ctx, "r1"); err == nil {
				t.Error("dropped")
			}
		})
		time.Sleep(20 * time.Millisecond)
		if diff := cmp.Diff([]Kind{Paused}, s.kinds()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		group.Wait()
	})
}
