package notify

import (
	"time"

	"firebreak/actuator"
)

const (
	// firstRetry and lastRetry bound the window out of which the delay of a retry is drawn: it doubles from one to the other.
	firstRetry = 2 * time.Second
	lastRetry  = 5 * time.Minute
	// leastRetry is the shortest delay: who said no is not asked again at once.
	leastRetry = time.Second
	// maxAfter is the longest delay that a receiver may ask for.
	maxAfter = time.Hour
)

// Failed says that it did not. It is tried again after a while, or given up: then the entries record that. They also record a
// pause that the receiver asked for, which whoever takes over keeps.
func (q *Queue) Failed(name string, now time.Time, err error) ([]actuator.Entry, error) {
	r, f := q.receivers[name], failure(err)
	i := r.flight
	i.why = f.Why
	if f.Final {
		r.land()
		r.failures, r.free = 0, now.Add(r.rule.Pace)
		r.stats.GaveUp++
		return r.record(i, actuator.OutcomeDead, now)
	}
	r.failures++
	r.stats.Retried++
	r.free = now.Add(q.delay(r.failures, f.After, r.rule.Pace))
	i.after = now.Add(q.delay(i.attempts, f.After, r.rule.Pace))
	r.takeBack()
	if f.After > 0 {
		return r.deferred(i, now)
	}
	return nil, nil
}

// Abandon takes back what is in flight, unsent or with an unknown end: it is due again.
func (q *Queue) Abandon(name string) {
	r := q.receivers[name]
	if i := r.flight; i != nil {
		i.attempts--
		r.takeBack()
	}
}

// takeBack ends the flight of what is to be sent again.
func (r *receiver) takeBack() {
	if r.flight.more != nil {
		r.frozen = r.flight
	}
	r.flight = nil
}

// delay is full jitter over a window that doubles with each failure, and never sooner than the receiver asked.
func (q *Queue) delay(failures int, asked, pace time.Duration) time.Duration {
	window := lastRetry
	if n := failures - 1; n < 16 {
		window = min(lastRetry, firstRetry<<n)
	}
	jitter := time.Duration(q.chance() * float64(window))
	if asked > 0 {
		return max(pace, min(asked, maxAfter)) + min(jitter, firstRetry)
	}
	return max(pace, leastRetry, jitter)
}
