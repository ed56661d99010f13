package client

import (
	"sync"
	"sync/atomic"
	"time"
)

// standing is whether a client may take its document for the latest. It is written by the client's two loops and read by every decision.
//
//	           confirmed             read, begun after it
//	outside -------------> confirmed --------------------> joined
//	   ^                       |                              |
//	   '------- a confirmation came liveFor after the last ---'
//
// Why the read after the confirmation: a decider that listed the clients before this one confirmed does not wait for it, and what that
// decider wrote before its listing is what the read finds.
type standing struct {
	staleAfter time.Duration
	now        atomic.Pointer[since] // never nil

	mu sync.Mutex // orders the writers
}

// since is when things were last so. The zero value is never.
type since struct {
	// read is when the read began that last showed the document to be the latest.
	read time.Time
	// confirmed is when the confirmation began that was last taken.
	confirmed time.Time
	// taken is when the first confirmation ended of those that followed each other within liveFor.
	taken time.Time
	// joined says that a consistent read was begun after taken.
	joined bool
}

func newStanding(staleAfter time.Duration) *standing {
	s := &standing{staleAfter: staleAfter}
	s.now.Store(&since{})
	return s
}

// age is the time from then to now, by the larger of the two clocks: the one of the process stands still while a machine is suspended.
func age(now, then time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}

// stale says whether the document may be older than what a decider takes this client to have.
func (s *standing) stale(now time.Time) bool {
	is := s.now.Load()
	return !is.joined || age(now, is.read) > s.staleAfter || age(now, is.confirmed) > liveFor
}

// wasRead takes note of a read that showed the document to be the latest. consistent says that the read cannot have lagged.
func (s *standing) wasRead(began time.Time, consistent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := *s.now.Load()
	is.read = began
	if consistent && !is.taken.IsZero() && began.Sub(is.taken) >= 0 {
		is.joined = true
	}
	s.now.Store(&is)
}

// wasConfirmed takes note of a confirmation that was taken.
func (s *standing) wasConfirmed(began, ended time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := *s.now.Load()
	if is.confirmed.IsZero() || age(ended, is.confirmed) > liveFor {
		is.joined, is.taken = false, ended
	}
	is.confirmed = began
	s.now.Store(&is)
}

// mustJoin says whether the client is confirmed and wants the read that comes after it.
func (s *standing) mustJoin(now time.Time) bool {
	is := s.now.Load()
	return !is.joined && !is.confirmed.IsZero() && age(now, is.confirmed) <= liveFor
}
