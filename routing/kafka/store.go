package kafka

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Store is the control state of one fleet, for those that change it.
type Store struct {
	log   *Log
	fleet string
}

// Store gives that of a fleet.
func (l *Log) Store(fleet string) *Store { return &Store{log: l, fleet: fleet} }

// again is how long a write waits before it is sent again, on average.
const again = time.Second

// Load reads the state, as it stood when the call began or later. [control.ErrNone]: there is none.
func (s *Store) Load(ctx context.Context) (*control.State, error) {
	var state *control.State
	err := s.reading(ctx, func(f *fold) error {
		if f.state == nil {
			return control.ErrNone
		}
		state = f.state.Copy()
		return nil
	})
	return state, err
}

// reading reads to the log's end and lets fn look at the fleet.
func (s *Store) reading(ctx context.Context, fn func(f *fold) error) error {
	if err := s.log.lock(ctx); err != nil {
		return err
	}
	defer s.log.unlock()
	if err := s.log.read(ctx); err != nil {
		return err
	}
	return fn(s.log.book.of(s.fleet))
}

// Write replaces the state that stands at was by next; was is zero for the first state. It tries until ctx ends. The error is a
// *[control.Conflict] where another write took the place of this one, and wraps [control.ErrUnknown] where it cannot be told.
func (s *Store) Write(ctx context.Context, was control.At, next *control.State) (control.Written, error) {
	if err := s.check(was, next); err != nil {
		return control.Written{}, err
	}
	if err := ctx.Err(); err != nil {
		return control.Written{}, err
	}
	state, err := next.Encode()
	if err != nil {
		return control.Written{}, err
	}
	id := rand.Text()
	value, err := (&entry{Write: &write{ID: id, Was: atWire(was), State: state}}).encode()
	if err != nil {
		return control.Written{}, err
	}
	var w control.Written
	for {
		w.Attempts++
		_, failed := s.log.append(ctx, s.log.state, s.fleet, value)
		done, err := s.settled(ctx, was, win{next.At(), id})
		if done || errors.Is(err, ErrRecreated) || errors.Is(err, ErrCut) || errors.Is(err, control.ErrUnknown) || isConflict(err) {
			w.ReadBack = failed != nil
			return w, err
		}
		if ctx.Err() != nil {
			return w, fmt.Errorf("%w: %w", control.ErrUnknown, cmp.Or(failed, err, ctx.Err()))
		}
		pause(ctx, again/2+mathrand.N(again))
	}
}

func (s *Store) check(was control.At, next *control.State) error {
	if next.Document == nil || next.Document.Fleet != s.fleet {
		return fmt.Errorf("the state is not of the fleet %q", routing.Escape(s.fleet))
	}
	return control.Follows(was, next)
}

// settled reads to the log's end and says what became of a write.
func (s *Store) settled(ctx context.Context, was control.At, is win) (done bool, err error) {
	err = s.reading(ctx, func(f *fold) (err error) {
		done, err = f.settled(was, is)
		return err
	})
	return done, err
}

func isConflict(err error) bool {
	_, ok := errors.AsType[*control.Conflict](err)
	return ok
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Put appends a request. One of an id that stands there already changes nothing, so that it may be put again where an error leaves
// open whether it was.
func (s *Store) Put(ctx context.Context, r *control.Request) error {
	b, err := r.Encode()
	if err != nil {
		return err
	}
	return s.put(ctx, &entry{Request: b})
}

func (s *Store) put(ctx context.Context, e *entry) error {
	value, err := e.encode()
	if err != nil {
		return err
	}
	_, err = s.log.append(ctx, s.log.state, s.fleet, value)
	return err
}

// Requests lists the requests that were put and not dropped, oldest first.
func (s *Store) Requests(ctx context.Context) ([]*control.Request, error) {
	var out []*control.Request
	err := s.reading(ctx, func(f *fold) error {
		out = slices.Clone(f.requests)
		return nil
	})
	return out, err
}

// Drop takes a request away; one that is not there is no error.
func (s *Store) Drop(ctx context.Context, id string) error {
	return s.put(ctx, &entry{Drop: &drop{ID: routing.Escape(id)}})
}

// Confirmations lists what clients said last that they hold, by client, as far as an hour back.
func (s *Store) Confirmations(ctx context.Context) ([]control.Confirmation, error) {
	if err := s.log.lock(ctx); err != nil {
		return nil, err
	}
	defer s.log.unlock()
	if err := s.log.hear(ctx); err != nil {
		return nil, err
	}
	of := s.log.confirmed[s.fleet]
	var out []control.Confirmation
	for _, client := range slices.Sorted(maps.Keys(of)) {
		out = append(out, of[client])
	}
	return out, nil
}

// Forget lists a client no more, until it confirms again. One that has confirmed since it was listed stays.
func (s *Store) Forget(ctx context.Context, client string) error {
	if err := s.log.lock(ctx); err != nil {
		return err
	}
	c, known := s.log.confirmed[s.fleet][client]
	s.log.unlock()
	if !known {
		return nil
	}
	value, err := json.Marshal(farewell{Client: routing.Escape(client), Beat: c.Beat})
	if err != nil {
		return err
	}
	_, err = s.log.append(ctx, s.log.clients, s.fleet, value)
	return err
}

// Count says how many clients live; heads have it until it is said again.
func (s *Store) Count(ctx context.Context, clients int) error {
	return s.put(ctx, &entry{Clients: &clients})
}
