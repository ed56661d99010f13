package steward

import (
	"sync"
	"time"

	"firebreak/actuator/operation"
	"firebreak/internal/words"
	"firebreak/routing/control"
	"firebreak/routing/store"
)

// Standing is how the routing of one fleet stands, as this process saw it last. Its state must not be changed.
type Standing struct {
	Fleet string
	State *control.State // nil = it was not read yet
	Seen  time.Time      // when
	// Why the store does not serve, and since when; empty = it does. Throttled says that it is by its own word.
	Why       string
	Since     time.Time
	Throttled bool
}

// View is what there is to show of a fleet. Nothing of it may be changed.
type View struct {
	Standing

	Decides   bool // this process does
	Approvers []string
	Waits     map[uint64][]operation.Wait // by operation
	Holds     map[string]error            // of plans that are ready, by id
	Clients   []control.Listed
}

// Throttled says of a store that its calls wait because they are too many.
const Throttled = "paused: throttled"

// pauser is a store that knows whether its calls wait because they are too many.
type pauser interface {
	Paused() (since time.Time, ok bool)
}

// Paused says since when the calls of a store wait because they are too many.
func Paused(s store.Store) (since time.Time, ok bool) {
	if p, is := s.(pauser); is {
		return p.Paused()
	}
	return time.Time{}, false
}

// shown is what a steward shows of its fleet. The zero value has nothing to show.
type shown struct {
	mu   sync.Mutex // the steward writes, who looks reads
	last Standing
}

// note takes in how a turn went: the state after it, nil = as it was.
func (s *shown) note(now time.Time, state *control.State, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != nil {
		s.last.State, s.last.Seen = state, now
	}
	switch {
	case err == nil:
		s.last.Why = ""
	case s.last.Why == "":
		s.last.Since = now
		fallthrough
	default:
		s.last.Why = words.OneLine(err).Error()
	}
}

// Standing says how the fleet's routing stands. A store that throttles says so itself, while a turn is still waiting for it.
func (s *Steward) Standing() Standing {
	s.shown.mu.Lock()
	out := s.shown.last
	s.shown.mu.Unlock()
	out.Fleet = s.cfg.Fleet
	if since, ok := Paused(s.cfg.Store); ok {
		out.Why, out.Since, out.Throttled = Throttled, since, true
	}
	return out
}

// View is what there is to show of the fleet.
func (s *Steward) View() View {
	v := View{Standing: s.Standing(), Decides: s.cfg.Epoch() != 0, Approvers: s.cfg.Policy.Approvers}
	v.Waits, v.Holds, v.Clients = s.acting.around()
	return v
}
