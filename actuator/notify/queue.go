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
	stories   stories
	spoken    actuator.Spoken
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
	failures int     // without a success between them
	passed   int     // notices since a summary waits
	told     *memory // receipts of the subjects that are not over
	unheard  *memory // subjects that were folded and not told since
	hushed   *memory // subjects of which nothing was told because a person wanted to hear no more
	stats    Stats
}

// item is one notice that waits.
type item struct {
	entry    *actuator.Entry // nil of a summary
	subject  string          // of an entry
	severity Severity        // of an entry
	worth    int             // of an entry by itself
	more     *folded         // nil of an entry
	at       time.Time       // when the journal took it; of a summary the first of it
	after    time.Time       // not to be sent before
	attempts int
	why      string // the last failure
}

// NewQueue makes a queue of receivers whose names differ. chance gives numbers in [0, 1) for the jitter of retries.
func NewQueue(rules []Rule, chance func() float64) *Queue {
	q := &Queue{receivers: map[string]*receiver{}, stories: stories{known: map[string]*Story{}}, chance: chance}
	for _, r := range rules {
		q.receivers[r.Name] = &receiver{rule: r.filled(), told: newMemory(), unheard: newMemory(), hushed: newMemory()}
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
	q.stories.apply(e)
	q.spoken.Apply(e)
	if e.Kind.Spoken() {
		q.hush(e)
	}
	about, matters := subject(e), severity(e)
	value := worth(e, matters)
	wanted := matters
	if story := q.stories.known[lane(e)]; story != nil && story.Critical {
		wanted = Critical
	}
	for _, r := range q.receivers {
		if !r.rule.wants(e, wanted) {
			continue
		}
		i := &item{entry: e, subject: about, severity: matters, worth: value, at: at}
		if q.spoken.Silent(e) || r.hushedEnd(i) {
			r.hush(i)
			continue
		}
		if r.pointless(i) {
			r.foldInto(i)
			continue
		}
		r.hushed.drop(about)
		r.items = append(r.items, i)
		r.shrink()
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
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		if i == r.flight || !slices.Contains(ids, i.entry.ID) {
			return false
		}
		switch d.Outcome {
		case actuator.OutcomeSent:
			r.heard(i, d.Receipt)
		case actuator.OutcomeFolded:
			r.unhear(i)
		case actuator.OutcomeUnknown, actuator.OutcomeDead, actuator.OutcomeDeferred:
		}
		return true
	})
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
	n.Key, n.Story, n.Receipt = i.entry.ID, q.stories.known[lane(i.entry)], r.told.texts[i.subject]
	return n, true
}

// Sent says that the receiver took what was in flight, and with which receipt. It gives the entries that record it: once they
// are in the journal, no other instance sends it again.
func (q *Queue) Sent(name string, now time.Time, receipt string) ([]actuator.Entry, error) {
	r := q.receivers[name]
	i := r.land()
	r.failures, r.free = 0, now.Add(r.rule.Pace)
	r.stats.Delivered++
	if i.more != nil {
		r.passed = 0
		return r.record(i, actuator.OutcomeFolded, now)
	}
	if r.summary() != nil {
		r.passed++
	}
	r.heard(i, receipt)
	return r.record(i, actuator.OutcomeSent, now)
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

// Recall takes an entry that is older than anything that may still be sent: only what people said in it counts.
func (q *Queue) Recall(e *actuator.Entry) { q.spoken.Apply(e) }

// hush takes out what waits of a hotspot of which a person wants to hear no more.
func (q *Queue) hush(said *actuator.Entry) {
	at := lane(said)
	for _, r := range q.receivers {
		r.items = slices.DeleteFunc(r.items, func(i *item) bool {
			silent := i != r.flight && lane(i.entry) == at && q.spoken.Silent(i.entry)
			if silent {
				r.hush(i)
			}
			return silent
		})
	}
}

// hush notes that an entry is not told. What the receiver was never told of need not end for it.
func (r *receiver) hush(i *item) {
	switch {
	case Ends(i.entry):
		r.hushed.drop(i.subject)
	case !r.told.has(i.subject):
		r.hushed.set(i.subject, "")
	}
}

// hushedEnd says of an ending that all before it was not told.
func (r *receiver) hushedEnd(i *item) bool {
	return Ends(i.entry) && r.hushed.has(i.subject) && !r.told.has(i.subject)
}
