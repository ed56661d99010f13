package contract

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// memory keeps encoded items, and makes the faults of a store far away.
type memory struct {
	mu        sync.Mutex // guards all below
	items     map[[3]string][]byte
	loseReply bool
	loseWrite bool
	instead   func()
	away      bool
	refuse    int
}

var (
	errLost    = errors.New("no reply")
	errTooMany = errors.New("too many calls")
)

// call is one call over a network: f is what it does, if it gets there.
func (m *memory) call(ctx context.Context, write bool, f func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if m.refuse > 0 {
		m.refuse--
		return errTooMany
	}
	if write && m.loseWrite {
		m.loseWrite = false
		if instead := m.instead; instead != nil {
			m.mu.Unlock()
			instead()
			m.mu.Lock()
		}
		return errLost
	}
	if m.away {
		return errLost
	}
	f()
	if write && m.loseReply {
		m.loseReply = false
		return errLost
	}
	return nil
}

// process is what a process holds of a memory.
type process struct {
	m             *memory
	fleet, region string
}

// until repeats a call until it has a reply, and says how often it was sent and whether some reply was lost.
func (s *process) until(ctx context.Context, write bool, f func()) (sent int, lost bool, err error) {
	for {
		sent++
		err := s.m.call(ctx, write, f)
		if err == nil || !errors.Is(err, errLost) && !errors.Is(err, errTooMany) {
			return sent, lost, err
		}
		lost = lost || errors.Is(err, errLost)
		select {
		case <-ctx.Done():
			return sent, lost, ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

func (s *process) get(ctx context.Context, kind string) (map[string][]byte, error) {
	out := map[string][]byte{}
	_, _, err := s.until(ctx, false, func() {
		for k, v := range s.m.items {
			if k[0] == s.fleet && k[1] == kind {
				out[k[2]] = v
			}
		}
	})
	return out, err
}

func (s *process) put(ctx context.Context, kind, name string, value []byte) error {
	_, _, err := s.until(ctx, false, func() {
		if value == nil {
			delete(s.m.items, [3]string{s.fleet, kind, name})
			return
		}
		s.m.items[[3]string{s.fleet, kind, name}] = value
	})
	return err
}

func (s *process) Load(ctx context.Context) (*control.State, error) {
	got, err := s.get(ctx, "state")
	if err != nil {
		return nil, err
	}
	if got[""] == nil {
		return nil, control.ErrNone
	}
	return control.ParseState(got[""])
}

func (s *process) Write(ctx context.Context, was control.At, next *control.State) (control.Written, error) {
	if err := control.Follows(was, next); err != nil {
		return control.Written{}, err
	}
	b, err := next.Encode()
	if err != nil {
		return control.Written{}, err
	}
	if next.Document.Fleet != s.fleet {
		return control.Written{}, errors.New("another fleet")
	}
	if next.Home != "" && next.Home != s.region {
		return control.Written{}, control.ErrNotHome
	}
	var failed error
	sent, lost, err := s.until(ctx, true, func() { failed = s.compareAndSet(was, next, b) })
	switch {
	case err != nil && lost:
		return control.Written{}, errors.Join(control.ErrUnknown, err)
	case err != nil:
		return control.Written{}, err
	}
	var c *control.Conflict
	if lost && errors.As(failed, &c) && c.Now == next.At() {
		return control.Written{ReadBack: true, Attempts: sent}, nil
	}
	return control.Written{Attempts: sent}, failed
}

// compareAndSet is the one write; the head is read from the state.
func (s *process) compareAndSet(was control.At, next *control.State, b []byte) error {
	at := [3]string{s.fleet, "state", ""}
	var now control.At
	if old := s.m.items[at]; old != nil {
		state, err := control.ParseState(old)
		if err != nil {
			return err
		}
		if now = state.At(); state.Home != "" && state.Home != s.region {
			return control.ErrNotHome
		}
	}
	if now != was {
		return &control.Conflict{Now: now}
	}
	s.m.items[at] = b
	return nil
}

func (s *process) Put(ctx context.Context, r *control.Request) error {
	b, err := r.Encode()
	if err != nil {
		return err
	}
	return s.put(ctx, "request", r.ID, b)
}

func (s *process) Requests(ctx context.Context) ([]*control.Request, error) {
	got, err := s.get(ctx, "request")
	var out []*control.Request
	for _, id := range slices.Sorted(maps.Keys(got)) {
		r, err := control.ParseRequest(got[id])
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, err
}

func (s *process) Drop(ctx context.Context, id string) error { return s.put(ctx, "request", id, nil) }

func (s *process) Confirmations(ctx context.Context) ([]control.Confirmation, error) {
	got, err := s.get(ctx, "client")
	var out []control.Confirmation
	for _, b := range got {
		c, err := control.ParseConfirmation(b)
		if err != nil {
			return nil, err
		}
		out = append(out, *c)
	}
	return out, err
}

func (s *process) Forget(ctx context.Context, client string) error {
	return s.put(ctx, "client", client, nil)
}

func (s *process) Head(ctx context.Context) (control.Head, error) {
	d, err := s.Document(ctx, control.Head{})
	if err != nil {
		return control.Head{}, err
	}
	n, err := s.get(ctx, "count")
	return control.Head{Epoch: d.Epoch, Version: d.Version, Clients: len(n["live"])}, err
}

func (s *process) Count(ctx context.Context, clients int) error {
	return s.put(ctx, "count", "live", make([]byte, clients))
}

func (s *process) Document(ctx context.Context, _ control.Head) (*routing.Document, error) {
	state, err := s.Load(ctx)
	if err != nil {
		return nil, err
	}
	return state.Document, nil
}

func (s *process) Confirm(ctx context.Context, c control.Confirmation) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	return s.put(ctx, "client", c.Client, b)
}

// TestMemory shows that the contract can be kept, by the simplest store that keeps it.
func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) Rig {
		m := &memory{items: map[[3]string][]byte{}}
		locked := func(f func()) { m.mu.Lock(); defer m.mu.Unlock(); f() }
		return Rig{
			Store:     func(_ *testing.T, fleet string) Store { return &process{m, fleet, ""} },
			Source:    func(_ *testing.T, fleet string) Source { return &process{m, fleet, ""} },
			StoreIn:   func(_ *testing.T, fleet, region string) Store { return &process{m, fleet, region} },
			LoseReply: func(*testing.T) { locked(func() { m.loseReply = true }) },
			LoseWrite: func(_ *testing.T, instead func()) { locked(func() { m.loseWrite, m.instead = true, instead }) },
			Throttle:  func(_ *testing.T, calls int) { locked(func() { m.refuse = calls }) },
			Away: func(*testing.T) func() {
				locked(func() { m.away = true })
				return func() { locked(func() { m.away = false }) }
			},
		}
	})
}
