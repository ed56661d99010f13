package health

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"firebreak/policy"
)

const (
	// soon bounds the wait before the first reading: instances that start together do not all ask at once.
	soon = 2 * time.Second
	// firstRetry is the wait after a failure; it doubles with each, up to the time between two readings.
	firstRetry = 5 * time.Second
	// spread is by how much a wait differs from what it should be, either way.
	spread = 0.1
	// sayAgain is how often a failure that goes on is logged.
	sayAgain = 10 * time.Minute
	// forget is how long a shard is missed that is not read any more, where the log names the shards.
	forget = 24 * time.Hour
)

// reading is the last good one of one metric of one shard.
type reading struct {
	value float64
	got   time.Time
}

func (r reading) counts(now time.Time) bool {
	age := now.Sub(r.got)
	return age <= KeepFor && age >= -ahead
}

// source is one place that is read, by its own goroutine. Others see what it read as a map that nobody changes.
type source struct {
	name    string
	asker   asker
	every   time.Duration
	timeout time.Duration
	log     *zap.Logger

	last atomic.Pointer[map[about]reading] // nil = nothing yet

	mu    sync.Mutex // guards stats, which scrapes read
	stats Stats

	failures int       // in a row; with what follows of run's goroutine
	said     time.Time // when a failure was logged last
}

func (s *source) kept() map[about]reading {
	if m := s.last.Load(); m != nil {
		return *m
	}
	return nil
}

// run reads until the context ends.
func (s *source) run(ctx context.Context, random func() float64) {
	wait := time.Duration(random() * float64(soon))
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		err := s.read(ctx)
		if ctx.Err() != nil {
			return
		}
		s.tell(err, time.Now())
		wait = time.Duration(float64(s.pace()) * (1 + spread*(2*random()-1)))
	}
}

// pace is how long to wait for the next reading.
func (s *source) pace() time.Duration {
	wait := s.every
	if s.failures > 0 {
		wait = firstRetry << min(s.failures-1, 10)
	}
	return min(wait, s.every)
}

// read asks once and keeps what is good. The error joins those of the queries.
func (s *source) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	results := s.asker.ask(ctx)
	now := time.Now()
	next := make(map[about]reading, len(s.kept()))
	for of, r := range s.kept() {
		if now.Sub(r.got) < forget {
			next[of] = r
		}
	}
	fresh := map[about]bool{}
	var errs []error
	for i := range results {
		for _, r := range results[i].Readings {
			of := about{r.Shard, r.Metric}
			if !fresh[of] || r.Value > next[of].value {
				next[of] = reading{r.Value, now}
			}
			fresh[of] = true
		}
		if err := results[i].Err; err != nil {
			errs = append(errs, queryError{results[i].Metric, err})
		}
	}
	s.last.Store(&next)
	err := errors.Join(errs...)
	s.count(err == nil, now)
	return err
}

// queryError is of one query.
type queryError struct {
	metric policy.Metric
	err    error
}

func (e queryError) Error() string { return e.metric.String() + ": " + e.err.Error() }
func (e queryError) Unwrap() error { return e.err }

// tell logs that readings fail, now and then as long as they do, and that they do no more.
func (s *source) tell(err error, now time.Time) {
	switch {
	case err == nil && s.failures > 0:
		s.log.Info("shards are read again", zap.Int("failures", s.failures))
		s.failures, s.said = 0, time.Time{}
	case err != nil:
		if s.failures++; s.said.IsZero() || now.Sub(s.said) >= sayAgain {
			s.said = now
			s.log.Warn("shards cannot be read from outside; it is tried on", zap.Int("failures", s.failures), zap.Error(firstOf(err)))
		}
	}
}

// firstOf is the first of joined errors: those of a server that is away are all alike.
func firstOf(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}
