package actuator

import (
	"slices"
	"time"
)

// maxPending bounds the entries that wait: far more than a window has, even in a storm.
const maxPending = 10_000

// DefaultAge is how long an entry waits to be written by whoever becomes decider: the long window.
const DefaultAge = 5 * time.Minute

// Pending is what an instance would have written and has not seen in the journal. Every instance keeps one, in the shadow of
// the decider, so that whoever takes over writes what its predecessor owed:
//
//	Add ---> waiting --Begin--> in flight --Done(nil)--> written --Saw--> gone
//	            ^                  |                        |
//	            '---Done(error)----+---another epoch begins-'
//	          waiting, older than age -----------------------------------> gone, counted as expired
//
// What was written stays until it is seen: a journal may have fenced it. Saw is fed by a Reader, so it hears of accepted
// entries only, and in the order of the log. Entries leave oldest first, one batch at a time. Not safe for concurrent use.
//
// Instances decide alike, and so the same news has the same id from each. Where one had to decide that had not yet taken over the
// group's memory, they do not: it may have told the same hotspot panes later, under another id. Nor do they where the shards are read
// from outside, each at its own moments. What was told stands.
type Pending struct {
	age      time.Duration
	waiting  []waiting
	seen     Recent
	told     toldHotspots
	advice   toldAdvice
	inFlight bool
	epoch    int64 // of the newest Begin
	expired  uint64
}

// waiting is one entry.
type waiting struct {
	entry Entry
	epoch int64 // under which it was given out last; 0 = never
	again bool  // that failed, or may have
}

// NewPending makes an empty one. age is how old an entry may become before nobody writes it any more; 0 = DefaultAge.
// An instance that joins follows the journal from that long ago, or what was written just before would be written again.
func NewPending(age time.Duration) *Pending {
	if age <= 0 {
		age = DefaultAge
	}
	return &Pending{age: age, seen: NewRecent(), told: toldHotspots{known: map[string]toldHotspot{}}, advice: toldAdvice{known: map[adviceSubject]adviceState{}}}
}

// Add takes what a Scribe wrote, in its order.
func (p *Pending) Add(entries ...Entry) {
	for i := range entries {
		if !p.seen.Has(entries[i].ID) && !p.told.overtakes(&entries[i]) && !p.advised(&entries[i]) {
			p.waiting = append(p.waiting, waiting{entry: entries[i]})
		}
	}
	if over := len(p.waiting) - maxPending; over > 0 {
		p.waiting = slices.Delete(p.waiting, 0, over)
		p.expired += uint64(over)
	}
}

// Saw takes what a Reader yielded.
func (p *Pending) Saw(e *Entry) {
	p.seen.Add(e.ID)
	overtook := p.told.add(e)
	p.waiting = slices.DeleteFunc(p.waiting, func(w waiting) bool {
		return w.entry.ID == e.ID || overtook && p.told.overtakes(&w.entry)
	})
	p.sawAdvice(e)
}

// Begin gives the decider of an epoch (at least 1) what it has to append now, oldest first and stamped with epoch and instance; nothing
// while a batch is in flight. Every batch is followed by one Done.
func (p *Pending) Begin(now time.Time, epoch int64, instance string) []Entry {
	if p.inFlight {
		return nil
	}
	p.epoch = epoch
	p.expire(now)
	p.settleAdvice()
	var batch []Entry
	for i := range p.waiting {
		w := &p.waiting[i]
		if w.epoch == epoch && !w.again {
			continue
		}
		w.epoch, w.again = epoch, false
		e := w.entry
		e.Epoch, e.Instance = epoch, instance
		batch = append(batch, e)
	}
	p.inFlight = len(batch) > 0
	return batch
}

// expire drops what is too old. What an epoch has begun is its own to finish, however long the journal is away.
func (p *Pending) expire(now time.Time) {
	n := len(p.waiting)
	p.waiting = slices.DeleteFunc(p.waiting, func(w waiting) bool {
		return now.Sub(w.entry.At) > p.age && w.epoch != p.epoch
	})
	p.expired += uint64(n - len(p.waiting))
}

// Done ends the batch that is in flight. After an error nobody knows what of it was written: the next Begin gives all of it
// again, and what was written before but not seen as well, so that the order stays.
func (p *Pending) Done(err error) {
	p.inFlight = false
	if err == nil {
		return
	}
	for i := range p.waiting {
		p.waiting[i].again = p.waiting[i].again || p.waiting[i].epoch == p.epoch
	}
}

// PendingStats is the state of a Pending.
type PendingStats struct {
	Waiting int    // entries not seen in the journal yet
	Expired uint64 // entries that nobody wrote in time
}

// Stats returns the state now.
func (p *Pending) Stats() PendingStats { return PendingStats{len(p.waiting), p.expired} }
