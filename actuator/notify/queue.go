package notify

import (
	"slices"
	"time"

	"firebreak/actuator"
)

// Queue is what every receiver is still to be told. It is pure: it changes by what it is given, and time and chance are
// arguments. Not safe for concurrent use.
//
//	entry applied --> waiting --Due--> in flight --Sent--> recorded
//	                   |   ^               |
//	                   |   '----Failed-----+--final--> dead letter, recorded
//	                   +--full, or stale--> folded into "N more" (a notice of its own)
//	                   '--too old--> dead letter, recorded
type Queue struct {
	receivers map[string]*receiver
	chance    func() float64 // in [0, 1)
}

// receiver is the queue of one receiver.
type receiver struct {
	rule     Rule
	items    []*item // in the order of the journal
	frozen   *item   // a summary that was tried and keeps its key; nil = none
	fold     *item   // the next one, in the making; nil = none
	flight   *item   // what is being sent; nil = nothing
	free     time.Time
	failures int // without a success between them
	stats    Stats
}

// item is one notice that waits.
type item struct {
	entry    *actuator.Entry // nil of a summary
	more     *folded         // nil of an entry
	at       time.Time       // when the journal took it; of a summary the first of it
	after    time.Time       // not to be sent before
	attempts int
	why      string // the last failure
}

// NewQueue makes a queue of receivers whose names differ. chance gives numbers in [0, 1) for the jitter of retries.
func NewQueue(rules []Rule, chance func() float64) *Queue {
	q := &Queue{receivers: map[string]*receiver{}, chance: chance}
	for _, r := range rules {
		q.receivers[r.Name] = &receiver{rule: r.filled()}
	}
	return q
}

// Apply takes an entry as a Reader yields it. at is when the journal's log took it, which is what its age is measured from.
func (q *Queue) Apply(e *actuator.Entry, at time.Time) {
	if e.Kind == actuator.KindDelivered {
		if d, err := actuator.Read[actuator.Delivered](e); err == nil {
			if r := q.receivers[string(d.Receiver)]; r != nil {
				r.delivered(&d)
			}
		}
		return
	}
	for _, r := range q.receivers {
		if r.rule.wants(e) {
			r.items = append(r.items, &item{entry: e, at: at})
			r.shrink()
		}
	}
}

// delivered takes out what needs no sending any more, or takes over the pause that the receiver asked for.
func (r *receiver) delivered(d *actuator.Delivered) {
	if d.Outcome == actuator.OutcomeDeferred {
		if until := time.Time(d.Until); until.After(r.free) {
			r.free = until
		}
		return
	}
	ids := d.Entries
	r.items = slices.DeleteFunc(r.items, func(i *item) bool { return i != r.flight && slices.Contains(ids, i.entry.ID) })
	for _, f := range []**item{&r.frozen, &r.fold} {
		if *f != nil && (*f).more.remove(ids) {
			*f = nil
		}
	}
}

// Due gives the next notice for a receiver, which is then in flight until Sent, Failed or Abandon. ok is false while one is in
// flight, and where nothing is due.
func (q *Queue) Due(name string, now time.Time) (n Notice, ok bool) {
	r := q.receivers[name]
	if r == nil || r.flight != nil || now.Before(r.free) {
		return Notice{}, false
	}
	r.settle(now)
	i := r.next(now)
	if i == nil {
		return Notice{}, false
	}
	i.attempts++
	r.flight = i
	n = Notice{Receiver: name, Attempt: i.attempts, Entry: i.entry}
	if i.more != nil {
		n.Key, n.More = i.more.key(), i.more.summary()
		if i == r.fold {
			r.fold = nil
		}
		return n, true
	}
	n.Key = i.entry.ID
	return n, true
}

// next is the head whose time has come and that was tried least, so that one that is always refused holds up no other; the
// summary comes last.
func (r *receiver) next(now time.Time) *item {
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

// Sent says that the receiver took what was in flight. It gives the entries that record it: once they are in the journal, no
// other instance sends it again.
func (q *Queue) Sent(name string, now time.Time) ([]actuator.Entry, error) {
	r := q.receivers[name]
	i := r.land()
	r.failures, r.free = 0, now.Add(r.rule.Pace)
	r.stats.Delivered++
	outcome := actuator.OutcomeSent
	if i.more != nil {
		outcome = actuator.OutcomeFolded
	}
	return r.record(i, outcome, now)
}

// land ends the flight and takes the notice out.
func (r *receiver) land() *item {
	i := r.flight
	r.flight = nil
	if i == r.frozen {
		r.frozen = nil
	}
	r.items = slices.DeleteFunc(r.items, func(o *item) bool { return o == i })
	return i
}
