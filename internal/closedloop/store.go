package closedloop

import (
	"errors"
	"math/rand/v2"
	"time"

	"firebreak/routing/control"
)

// errAway is a store that answers nothing.
var errAway = errors.New("the store does not answer")

// store keeps the state of the fleet as bytes, as every store does, and fails as it is told.
type store struct {
	r      *rand.Rand
	fails  float64 // share of writes with a fault
	state  []byte
	at     control.At
	away   func(now time.Time) bool
	faults int
}

// load is the state as it stands.
func (s *store) load(now time.Time) (*control.State, error) {
	if s.away(now) {
		return nil, errAway
	}
	return control.ParseState(s.state)
}

// write is one conditional write. A fault is one of three: it never arrives, its reply is lost, or somebody else has written before.
func (s *store) write(now time.Time, was control.At, next *control.State) error {
	if s.away(now) {
		return errAway
	}
	fault := -1
	if s.r.Float64() < s.fails {
		fault = s.r.IntN(3)
		s.faults++
	}
	switch fault {
	case 0:
		return control.ErrUnknown
	case 2:
		if err := s.claim(); err != nil {
			return err
		}
	}
	if was != s.at {
		return &control.Conflict{Now: s.at}
	}
	if err := s.put(next); err != nil {
		return err
	}
	if fault == 1 {
		return control.ErrUnknown
	}
	return nil
}

// claim is another decider that takes the fleet.
func (s *store) claim() error {
	state, err := control.ParseState(s.state)
	if err != nil {
		return err
	}
	if state, err = state.Claim(0, "t"+state.Document.Tenure); err != nil {
		return err
	}
	if len(state.Document.Tenure) > 40 {
		state.Document.Tenure = "t"
	}
	return s.put(state)
}

func (s *store) put(next *control.State) error {
	if s.at.Version > 0 {
		if err := control.Follows(s.at, next); err != nil {
			return err
		}
	}
	if err := next.Validate(); err != nil {
		return err
	}
	b, err := next.Encode()
	if err != nil {
		return err
	}
	s.state, s.at = b, next.At()
	return nil
}
