package main

import (
	"maps"
	"sync"
	"time"

	"firebreak/actuator"
)

// owing is what the journal is owed: what this process would have written and has not read there. Every instance keeps one, in
// the shadow of the one that decides. The watcher adds to it, the journal's goroutines take from it. newOwing makes it.
type owing struct {
	mu      sync.Mutex // the watcher and the journal share all of it for moments
	pending *actuator.Pending
	spoken  actuator.Spoken
	blind   map[string]blindEntry // by id: entries that say that nothing is seen
}

// blindEntry waits for the journal.
type blindEntry struct {
	entry actuator.Entry
	since time.Time // of this process's clock
}

// newOwing makes an empty one. age is how long an entry waits for who writes it, see actuator.NewPending.
func newOwing(age time.Duration) *owing {
	return &owing{pending: actuator.NewPending(age), blind: map[string]blindEntry{}}
}

// add takes what is news of one decision, in its order.
func (o *owing) add(entries []actuator.Entry, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending.Add(entries...)
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case actuator.KindBlind:
			o.blind[e.ID] = blindEntry{*e, now}
		case actuator.KindSighted: // nobody needs to be told any more that this fleet was blind
			maps.DeleteFunc(o.blind, func(_ string, b blindEntry) bool { return b.entry.Fleet == e.Fleet })
		case actuator.KindUnknown, actuator.KindVerdict, actuator.KindPlan, actuator.KindHold, actuator.KindAdvice, actuator.KindDelivered, actuator.KindDecider,
			actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened, actuator.KindReport, actuator.KindRouted, actuator.KindActed:
		}
	}
}

// follow gives what was told by a moment of a fleet, as the journal has it, see actuator.Pending.Follow.
func (o *owing) follow(fleet string, now time.Time, told actuator.Told) actuator.Told {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pending.Follow(fleet, now, told)
}

// reopen adds what tells accepted hotspots again at a tick.
func (o *owing) reopen(t *actuator.Tick) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	again, err := o.spoken.Reopen(t)
	o.pending.Add(again...)
	return err
}

// saw takes an entry that stands in the journal.
func (o *owing) saw(e *actuator.Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending.Saw(e)
	o.spoken.Apply(e)
	delete(o.blind, e.ID)
}

// recall takes an entry of before: what people said in it.
func (o *owing) recall(e *actuator.Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spoken.Apply(e)
}

// begin gives what an epoch has to append now; one call of done follows each that gives something.
func (o *owing) begin(now time.Time, epoch int64, instance string) []actuator.Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.pending.Begin(now, epoch, instance)
}

// done says what became of it.
func (o *owing) done(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending.Done(err)
}

// unheard gives what says that nothing is seen and did not get into the journal for so long, each once.
func (o *owing) unheard(now time.Time, than time.Duration) (entries []actuator.Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, b := range o.blind {
		if now.Sub(b.since) >= than {
			entries = append(entries, b.entry)
			delete(o.blind, id)
		}
	}
	return entries
}
