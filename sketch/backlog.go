package sketch

import (
	"cmp"
	"slices"
)

// backlog holds events of panes for which no Summary is free, until there are enough to make closing another one worth
// it: times that jump from pane to pane cost little more than times in order.
type backlog struct {
	events []kept
	bytes  []byte
}

// kept is an event whose names are in the backlog's bytes, one behind the other.
type kept struct {
	event               Event
	sums                Sums // of the key, where the event has some
	at                  int
	key, tenant, caller int // lengths
	folded              bool
}

const (
	backlogEvents = 256
	backlogBytes  = 64 * backlogEvents
)

func newBacklog() backlog {
	return backlog{events: make([]kept, 0, backlogEvents), bytes: make([]byte, 0, backlogBytes)}
}

// put keeps an event. It is false if there is no room.
func (b *backlog) put(e *Event) bool {
	n := len(e.Key) + len(e.Tenant) + len(e.Caller)
	if len(b.events) == cap(b.events) || len(b.bytes)+n > cap(b.bytes) {
		return false
	}
	k := kept{event: *e, at: len(b.bytes), key: len(e.Key), tenant: len(e.Tenant), caller: len(e.Caller), folded: e.KeySums != nil}
	if k.folded {
		k.sums = *e.KeySums
	}
	k.event.Key, k.event.Tenant, k.event.Caller, k.event.KeySums = nil, nil, nil, nil
	b.bytes = append(append(append(b.bytes, e.Key...), e.Tenant...), e.Caller...)
	b.events = append(b.events, k)
	return true
}

// get gives a kept event back.
func (b *backlog) get(k *kept) *Event {
	e, at := &k.event, k.at
	e.Key, at = b.bytes[at:at+k.key], at+k.key
	e.Tenant, at = b.bytes[at:at+k.tenant], at+k.tenant
	e.Caller = b.bytes[at : at+k.caller]
	if k.folded {
		e.KeySums = &k.sums
	}
	return e
}

// work counts what is in the backlog, pane by pane.
func (s *Sliding) work() {
	b := &s.backlog
	if len(b.events) == 0 {
		return
	}
	slices.SortStableFunc(b.events, func(x, y kept) int { return cmp.Compare(x.event.Pane, y.event.Pane) })
	for i := range b.events {
		e := b.get(&b.events[i])
		if s.last == nil || e.Pane != s.lastPane {
			s.last = s.summary(e.Pane)
			s.lastPane = e.Pane
		}
		if s.last != nil {
			s.last.Add(e)
		}
	}
	clear(b.events)
	b.events, b.bytes = b.events[:0], b.bytes[:0]
}
