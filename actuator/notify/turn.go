package notify

import "time"

// summaryAfter is how many notices go before a summary while they keep coming.
const summaryAfter = 20

// next is the head whose time has come and that was tried least, so that one that is always refused holds up no other; the
// summary comes last, or after summaryAfter others.
func (r *receiver) next(now time.Time) *item {
	if f := r.summary(); f != nil && r.passed >= summaryAfter && !now.Before(f.after) {
		return f
	}
	var best *item
	for _, i := range r.heads() {
		if !now.Before(i.after) && (best == nil || i.attempts < best.attempts) {
			best = i
		}
	}
	if best != nil {
		return best
	}
	if f := r.summary(); f != nil && !now.Before(f.after) {
		return f
	}
	return nil
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

// summary is the one whose turn it is.
func (r *receiver) summary() *item {
	if r.frozen != nil {
		return r.frozen
	}
	return r.fold
}

// Wait says how long from now nothing can be due for a receiver, if nothing else happens: at most a minute.
func (q *Queue) Wait(name string, now time.Time) time.Duration {
	r, wait := q.receivers[name], time.Minute
	if r == nil || r.flight != nil {
		return wait
	}
	heads := r.heads()
	if f := r.summary(); f != nil {
		heads = append(heads, f)
	}
	for _, i := range heads {
		at := i.after
		if at.Before(r.free) {
			at = r.free
		}
		wait = min(wait, max(0, at.Sub(now)))
	}
	return wait
}
