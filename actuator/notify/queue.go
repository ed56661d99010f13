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
	ended     *memory[struct{}]    // hotspots that were over before what Apply takes
	seen      actuator.Recent      // ids of what Apply was given
	applied   uint64               // entries so far
	chance    func() float64       // in [0, 1)
	places    map[string]time.Time // by Rule.Place: when the next notice may go there; receivers share them
}

// receiver is the queue of one receiver.
type receiver struct {
	rule     Rule
	items    []*item  // in the order of the journal
	storms   []*storm // what summaries are about, one a place at most, the oldest first
	flight   *item    // what is being sent; nil = nothing
	free     time.Time
	failures int               // without a success between them
	passed   int               // notices since a summary waits
	told     *memory[string]   // receipts of the subjects that are not over
	past     *memory[string]   // and of hotspots that are, or were told of by their operations alone: those may outlive them
	mild     *memory[struct{}] // subjects of which nothing was told because they did not matter enough
	hushed   *memory[struct{}] // subjects of which nothing was told because a person wanted to hear no more
	silenced *memory[*item]    // by id of its entry: what waited when a person wanted to hear no more of it
	begun    []opening         // what was told lately
	met      bool              // it was told something, or greeted
	stats    Stats
}

// item is one notice that waits.
type item struct {
	entry    *actuator.Entry // nil of a summary
	seq      uint64          // of an entry: its place in the journal as it was read
	subject  string          // of an entry
	severity Severity        // of an entry
	worth    int             // of an entry by itself
	more     *folded         // nil of an entry
	owner    *Owner          // of an entry: who answers for it; nil = nobody is named
	place    string          // where it goes
	at       time.Time       // when the journal took it; of a summary the first of it
	after    time.Time       // not to be sent before
	attempts int
	why      string // the last failure
}

// NewQueue makes a queue of receivers whose names differ. chance gives numbers in [0, 1) for the jitter of retries.
func NewQueue(rules []Rule, chance func() float64) *Queue {
	q := &Queue{receivers: map[string]*receiver{}, stories: stories{known: map[string]*Story{}}, ended: newMemory[struct{}](), seen: actuator.NewRecent(), chance: chance, places: map[string]time.Time{}}
	for _, r := range rules {
		q.receivers[r.Name] = &receiver{rule: r.filled(), told: newMemory[string](), past: newMemory[string](), mild: newMemory[struct{}](), hushed: newMemory[struct{}](), silenced: newMemory[*item]()}
	}
	return q
}

// Due gives the next notice for a receiver, which is then in flight until Sent, Failed or Abandon. ok is false while one is in
// flight, and where nothing is due.
func (q *Queue) Due(name string, now time.Time) (n Notice, ok bool) {
	r := q.receivers[name]
	if r == nil || r.flight != nil || now.Before(r.free) {
		return Notice{}, false
	}
	r.greet(now)
	r.settle(now)
	i := q.next(r, now)
	for i != nil && i.more == nil && r.needless(i, now) {
		i = q.next(r, now)
	}
	if i == nil {
		return Notice{}, false
	}
	i.attempts++
	r.flight = i
	n = Notice{Receiver: name, Attempt: i.attempts, Entry: i.entry}
	if i.more != nil {
		s := i.more.of
		if i.more.said == nil {
			i.more.said = s.summary()
		}
		n.Key, n.More, n.Receipt = i.more.key(), i.more.said, s.receipt
		if i == s.fold {
			s.fold = nil
		}
		return n, true
	}
	n.Key, n.Story, n.Receipt = i.entry.ID, q.stories.of(i.entry), r.receipt(i)
	return n, true
}

// needless takes out what is not to be told by itself now: what is one too many of late, and what a person said of what the receiver
// was not told.
func (r *receiver) needless(i *item, now time.Time) bool {
	switch {
	case r.unasked(i):
	case r.oneTooMany(i, now):
		r.foldInto(i)
	default:
		return false
	}
	r.items = slices.DeleteFunc(r.items, func(o *item) bool { return o == i })
	r.sift()
	return true
}

// Sent says that the receiver took what was in flight, and with which receipt. It gives the entries that record it: once they
// are in the journal, no other instance sends it again.
func (q *Queue) Sent(name string, now time.Time, receipt string) ([]actuator.Entry, error) {
	r := q.receivers[name]
	i := r.land()
	r.failures, r.met = 0, true
	q.occupy(i.place, now.Add(r.rule.Pace))
	r.stats.Delivered++
	if i.more != nil {
		r.passed = 0
		for _, id := range i.more.ids() {
			q.seen.Add(id)
		}
		i.more.of.heard(receipt, i.more.said.Open == 0, now)
		out, err := r.record(i, actuator.OutcomeFolded, now)
		r.clear()
		return out, err
	}
	if len(r.summaries()) > 0 {
		r.passed++
	}
	r.heard(i, receipt, now)
	return r.record(i, actuator.OutcomeSent, now)
}

// land ends the flight and takes the notice out.
func (r *receiver) land() *item {
	i := r.flight
	r.flight = nil
	if i.more != nil {
		i.drop()
	}
	r.items = slices.DeleteFunc(r.items, func(o *item) bool { return o == i })
	return i
}
