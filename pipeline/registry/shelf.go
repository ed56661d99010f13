package registry

import "time"

// known is what a registry said of an id.
type known struct {
	Schema

	err   error     // that it has none, or one that cannot be used
	until time.Time // asked again after it; zero = it stays as it is: what an id names never changes
	used  time.Time
}

const (
	// maxKnown is how many answers are kept; a topic has a few.
	maxKnown = 1024
	// maxText is how many bytes their schemas have together.
	maxText = 16 << 20
)

// shelf keeps answers in bounded memory: beyond it the one goes that was not used for the longest time. The zero value is
// empty.
type shelf struct {
	of    map[uint32]*known
	bytes int // of the schemas
}

// find gives what is known of an id; nil = nothing.
func (s *shelf) find(id uint32, now time.Time) *known {
	k := s.of[id]
	if k != nil {
		k.used = now
	}
	return k
}

// put keeps an answer.
func (s *shelf) put(id uint32, k known) {
	if s.of == nil {
		s.of = map[uint32]*known{}
	}
	s.drop(id)
	for len(s.of) > 0 && (len(s.of) >= maxKnown || s.bytes+len(k.Text) > maxText) {
		s.dropOldest()
	}
	s.of[id] = &k
	s.bytes += len(k.Text)
}

func (s *shelf) drop(id uint32) {
	if k := s.of[id]; k != nil {
		s.bytes -= len(k.Text)
		delete(s.of, id)
	}
}

func (s *shelf) dropOldest() {
	var oldest uint32
	var used time.Time
	for id, k := range s.of {
		if used.IsZero() || k.used.Before(used) {
			oldest, used = id, k.used
		}
	}
	s.drop(oldest)
}

// inVain remembers when ids were asked for that no registry has. The zero value is none.
type inVain struct {
	at   [vainOften]time.Time // the last ones, in a ring
	next int
}

const (
	// vainOften is how many such ids within vainWithin are not mistakes, but bytes that are no ids. Each of the first ones may
	// hold a partition up for a tick.
	vainOften  = 8
	vainWithin = time.Minute
)

// add remembers one.
func (v *inVain) add(now time.Time) {
	v.at[v.next%vainOften] = now
	v.next++
}

// often tells whether there were many of late.
func (v *inVain) often(now time.Time) bool {
	oldest := v.at[v.next%vainOften]
	return !oldest.IsZero() && now.Sub(oldest) < vainWithin
}
