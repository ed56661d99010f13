package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
)

const (
	// firstRetry and lastRetry bound the window out of which the delay of a retry is drawn: it doubles from one to the other.
	firstRetry = 2 * time.Second
	lastRetry  = 5 * time.Minute
	// leastRetry is the shortest delay: who said no is not asked again at once.
	leastRetry = time.Second
	// worthKeeping is the shortest pause that is recorded: a failover takes longer than a shorter one.
	worthKeeping = 5 * time.Second
	// maxAfter is the longest delay that a receiver may ask for.
	maxAfter = time.Hour
)

// Failed says that it did not. It is tried again after a while, or given up: then the entries record that. They also record a
// pause that the receiver asked for, which whoever takes over keeps. A pause is of the place to which the notice went; what went
// wrong otherwise is of the receiver.
func (q *Queue) Failed(name string, now time.Time, err error) ([]actuator.Entry, error) {
	r, f := q.receivers[name], failure(err)
	i := r.flight
	i.why = f.Why
	if f.Final {
		r.land()
		r.failures = 0
		q.occupy(i.place, now.Add(r.rule.Pace))
		r.stats.GaveUp++
		out, err := r.record(i, actuator.OutcomeDead, now)
		r.clear()
		return out, err
	}
	r.stats.Retried++
	i.after = now.Add(q.delay(i.attempts, f, r.rule.Pace))
	r.takeBack()
	if i.more == nil && q.spoken.Silent(i.entry) {
		r.items = slices.DeleteFunc(r.items, func(o *item) bool { return o == i })
		r.hush(i)
	}
	if f.After == 0 && !f.Person {
		r.failures++
		r.free = now.Add(q.delay(r.failures, f, r.rule.Pace))
		return nil, nil
	}
	q.occupy(i.place, i.after)
	if f.After >= worthKeeping {
		return r.deferred(i, now, i.after)
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
	if f := r.flight; f.more != nil {
		f.more.of.frozen = f
	}
	r.flight = nil
}

// delay is full jitter over a window that doubles with each failure, and never sooner than the receiver asked; what a person must mend
// is tried at the longest.
func (q *Queue) delay(failures int, f *Failure, pace time.Duration) time.Duration {
	window := lastRetry
	if n := failures - 1; n < 16 {
		window = min(lastRetry, firstRetry<<n)
	}
	jitter := time.Duration(q.chance() * float64(window))
	switch {
	case f.Person:
		return max(pace, lastRetry, min(f.After, maxAfter))
	case f.After > 0:
		return max(pace, min(f.After, maxAfter)+min(jitter, firstRetry), jitter)
	}
	return max(pace, leastRetry, jitter)
}
