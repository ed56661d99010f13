package mover_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/internal/secret"
	"firebreak/routing/control"
)

func notifyURL(u string) secret.Value { return secret.Value(u) }

// hand is a Mover that does what a test says, and notes what it was asked.
type hand struct {
	mu      sync.Mutex
	asked   []time.Time
	running int
	most    int
	do      func(ctx context.Context, n int) error // n counts from 1
}

func (h *hand) Do(ctx context.Context, _ *operation.Task) error {
	h.mu.Lock()
	h.asked = append(h.asked, time.Now())
	n := len(h.asked)
	h.running++
	h.most = max(h.most, h.running)
	h.mu.Unlock()
	err := h.do(ctx, n)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running--
	return err
}

func asked(h *hand) int   { return h.see(func() int { return len(h.asked) }) }
func running(h *hand) int { return h.see(func() int { return h.running }) }
func most(h *hand) int    { return h.see(func() int { return h.most }) }

func (h *hand) see(what func() int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return what()
}

// at is a state in which the task's operation stands in a phase that a version entered.
func at(version uint64) *control.State {
	return &control.State{Operations: []control.Operation{{Number: 7, Phase: operation.Copy, Version: version}}}
}

// runs is a story with a runner whose copies a hand makes; the task is asked for every second, as an executor does.
func runs(t *testing.T, do func(ctx context.Context, n int) error, tell func(t *testing.T, r *mover.Runner, h *hand)) {
	t.Helper()
	one := *task(t)
	synctest.Test(t, func(t *testing.T) {
		h := &hand{do: do}
		r := mover.NewRunner(&mover.Movers{Moves: h})
		defer r.Close()
		r.Start(t.Context(), []operation.Task{one})
		r.Start(t.Context(), []operation.Task{one, one})
		synctest.Wait()
		tell(t, r, h)
	})
}

func TestRunnerKeepsAsking(t *testing.T) {
	runs(t, func(ctx context.Context, n int) error {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
		if n < 4 {
			return mover.ErrNotYet
		}
		return nil
	}, func(t *testing.T, r *mover.Runner, h *hand) {
		if got := r.For(at(31))(7, operation.Copy); got.Done || got.Why == "" {
			t.Errorf("at first it is %+v", got)
		}
		time.Sleep(2 * time.Second)
		if got := r.For(at(31))(7, operation.Copy); got.Done || got.Failed || got.Why != mover.ErrNotYet.Error() {
			t.Errorf("under way it is %+v", got)
		}
		time.Sleep(time.Minute)
		if got := r.For(at(31))(7, operation.Copy); !got.Done || asked(h) != 4 || most(h) != 1 {
			t.Errorf("it is %+v after %d runs, %d at once", got, asked(h), most(h))
		}
		time.Sleep(time.Hour)
		if asked(h) != 4 {
			t.Error("what is done is done again")
		}
		if got := r.For(at(31))(7, operation.Drop); got.Done {
			t.Error("another phase is done")
		}
	})
}

// TestRunnerForgets what the state does not ask for any more: the same phase, entered again, is begun anew.
func TestRunnerForgets(t *testing.T) {
	runs(t, func(ctx context.Context, n int) error {
		if n == 1 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}, func(t *testing.T, r *mover.Runner, h *hand) {
		if !r.For(at(31))(7, operation.Copy).Done {
			t.Error("it is not done")
		}
		if r.For(at(40))(7, operation.Copy).Done {
			t.Error("a phase that was entered again is done already")
		}
		again := *task(t)
		again.Version = 40
		r.Start(t.Context(), []operation.Task{again})
		synctest.Wait()
		if running(h) != 1 {
			t.Errorf("%d are under way, want 1", running(h))
		}
		r.For(nil)
		synctest.Wait()
		if running(h) != 0 || asked(h) != 2 {
			t.Errorf("%d are under way after %d runs, and this process decides no longer", running(h), asked(h))
		}
	})
}

// TestRunnerFails: five failures in a row are a failure, one final answer too; it is tried on all the same, less and less often.
func TestRunnerFails(t *testing.T) {
	broken := errors.New("broken")
	runs(t, func(_ context.Context, n int) error {
		if n == 8 {
			return nil
		}
		return broken
	}, func(t *testing.T, r *mover.Runner, h *hand) {
		if got := r.For(at(31))(7, operation.Copy); got.Failed || got.Why != "broken" {
			t.Errorf("after one failure: %+v", got)
		}
		time.Sleep(20 * time.Second)
		if got := r.For(at(31))(7, operation.Copy); !got.Failed || got.Done || asked(h) < 5 {
			t.Errorf("after %d failures: %+v", asked(h), got)
		}
		time.Sleep(20 * time.Minute)
		if got := r.For(at(31))(7, operation.Copy); !got.Done || got.Failed || asked(h) != 8 {
			t.Errorf("in the end: %+v after %d", got, asked(h))
		}
	})
	runs(t, func(context.Context, int) error { return &mover.Final{Why: "no such shard"} }, func(t *testing.T, r *mover.Runner, h *hand) {
		if got := r.For(at(31))(7, operation.Copy); !got.Failed || got.Why != "no such shard" {
			t.Errorf("a final answer: %+v", got)
		}
		time.Sleep(time.Hour)
		if n := asked(h); n < 12 || n > 17 {
			t.Errorf("asked %d times in an hour, want every five minutes", n)
		}
	})
}
