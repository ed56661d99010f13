package mover

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"firebreak/actuator/operation"
	"firebreak/routing/control"
)

const (
	// soon and late bound the wait before a task that is under way is asked for again; it doubles from one to the other.
	soon, late = 200 * time.Millisecond, 30 * time.Second
	// firstRetry and lastRetry bound the wait after a failure in the same way.
	firstRetry, lastRetry = time.Second, 5 * time.Minute
	// givenUp is after how many failures in a row a task counts as failed. It is tried again all the same, as long as it is asked for.
	givenUp = 5
)

// Runner keeps the tasks of one fleet going while its executor looks elsewhere. It is safe for concurrent use.
//
//	asked for -> running -> done
//	               ^  |
//	               |  v
//	             waiting      (not yet, or failed)
type Runner struct {
	movers Movers

	mu   sync.Mutex // guards jobs
	jobs map[step]*job
	work sync.WaitGroup
}

// step names a phase of an operation: entered again it is another one.
type step struct {
	operation uint64
	phase     string
	version   uint64
}

// job is a step that is asked for.
type job struct {
	stop   context.CancelFunc
	result operation.Result // under Runner.mu
}

// NewRunner makes one that does nothing yet.
func NewRunner(m *Movers) *Runner {
	return &Runner{movers: *m, jobs: map[step]*job{}}
}

// Can says whether somebody does what is asked for, see operation.Around.
func (r *Runner) Can(a operation.Ask) bool { return r.movers.Can(a) }

// Moving is how places change hands in the fleet, see operation.Around.
func (r *Runner) Moving() operation.Moving { return r.movers.Moving() }

// For ends what a state does not ask for any more, and gives what operation.Around wants to know of the rest. It never waits. nil ends
// everything: this process does not decide.
func (r *Runner) For(s *control.State) func(number uint64, phase string) operation.Result {
	versions := map[step]bool{}
	if s != nil {
		for i := range s.Operations {
			o := &s.Operations[i]
			versions[step{o.Number, o.Phase, o.Version}] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := map[step]operation.Result{}
	for at, j := range r.jobs {
		if !versions[at] {
			j.stop()
			delete(r.jobs, at)
			continue
		}
		now[step{at.operation, at.phase, 0}] = j.result
	}
	return func(number uint64, phase string) operation.Result { return now[step{number, phase, 0}] }
}

// Start begins the tasks that are not begun yet. They go on until they are done, or For ends them, or ctx ends.
func (r *Runner) Start(ctx context.Context, tasks []operation.Task) {
	for i := range tasks {
		t := tasks[i]
		m := r.movers.of(t.Ask)
		at := step{t.Operation, t.Phase, t.Version}
		r.mu.Lock()
		if r.jobs[at] == nil && m != nil {
			own, stop := context.WithCancel(ctx)
			j := &job{stop: stop, result: operation.Result{Why: "it is begun"}}
			r.jobs[at] = j
			r.work.Go(func() {
				defer stop()
				r.run(own, m, &t, j)
			})
		}
		r.mu.Unlock()
	}
}

// Close ends everything and waits for it.
func (r *Runner) Close() {
	r.For(nil)
	r.work.Wait()
}

// run asks until it is done, or ctx ends.
func (r *Runner) run(ctx context.Context, m Mover, t *operation.Task, j *job) {
	waits, failures := 0, 0
	for {
		err := m.Do(ctx, t)
		if ctx.Err() != nil {
			return
		}
		var final *Final
		result, wait := operation.Result{Done: err == nil}, time.Duration(0)
		switch {
		case err == nil:
		case errors.Is(err, ErrNotYet):
			wait = doubled(soon, late, waits)
			waits, failures = waits+1, 0
			result.Why = err.Error()
		case errors.As(err, &final):
			result.Failed, result.Why, wait = true, final.Why, lastRetry
		default:
			wait = doubled(firstRetry, lastRetry, failures)
			failures++
			result.Failed, result.Why = failures >= givenUp, err.Error()
		}
		r.mu.Lock()
		j.result = result
		r.mu.Unlock()
		if result.Done || !pause(ctx, wait) {
			return
		}
	}
}

// doubled is a wait out of a window that doubles.
func doubled(least, most time.Duration, times int) time.Duration {
	d := min(least<<min(times, 20), most)
	return time.Duration(float64(d) * (0.75 + rand.Float64()/4))
}

// pause is false where ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
