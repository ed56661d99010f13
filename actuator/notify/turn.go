package notify

import (
	"cmp"
	"time"
)

// summaryAfter is how many notices go before a summary while they keep coming.
const summaryAfter = 20

// next is the head whose time and place have come and that was tried least, so that one that is always refused holds up no other;
// the summary comes last, or after summaryAfter others.
func (q *Queue) next(r *receiver, now time.Time) *item {
	f := q.first(r, r.summaries(), now)
	if f != nil && r.passed >= summaryAfter {
		return f
	}
	return cmp.Or(q.first(r, r.heads(), now), f)
}

// first is the one of some items whose time and place have come that was tried least, of several the first.
func (q *Queue) first(r *receiver, items []*item, now time.Time) (best *item) {
	for _, i := range items {
		if !now.Before(q.ready(r, i)) && (best == nil || i.attempts < best.attempts) {
			best = i
		}
	}
	return best
}

// ready is when an item may be sent.
func (q *Queue) ready(r *receiver, i *item) time.Time {
	at := r.free
	for _, other := range []time.Time{i.after, q.places[i.place]} {
		if other.After(at) {
			at = other
		}
	}
	if i.more != nil && i == i.more.of.fold {
		if due := i.more.of.due(); due.After(at) {
			at = due
		}
	}
	return at
}

// heads are the first of each lane, in the order of the journal: what stands behind them waits for them.
func (r *receiver) heads() []*item {
	var out []*item
	led := map[string]bool{}
	for _, i := range r.items {
		if l := lane(i.entry); !led[l] {
			led[l] = true
			out = append(out, i)
		}
	}
	return out
}

// Wait says how long from now nothing can be due for a receiver, if nothing else happens: at most a minute.
func (q *Queue) Wait(name string, now time.Time) time.Duration {
	r, wait := q.receivers[name], time.Minute
	if r == nil || r.flight != nil {
		return wait
	}
	for _, i := range append(r.heads(), r.summaries()...) {
		wait = min(wait, max(0, q.ready(r, i).Sub(now)))
	}
	return wait
}
