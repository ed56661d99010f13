package main

import (
	"context"
	"sync"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// memory is a keeper that forgets all at its end.
type memory struct {
	mu    sync.Mutex
	state *control.State
	held  map[string]control.Confirmation
	roll  control.Roll
}

func newMemory(first *control.State) *memory {
	return &memory{state: first, held: map[string]control.Confirmation{}}
}

// Load reads the state.
func (m *memory) Load(context.Context) (*control.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Copy(), nil
}

// Write replaces the state that stands at was.
func (m *memory) Write(_ context.Context, was control.At, next *control.State) (control.Written, error) {
	if err := control.Follows(was, next); err != nil {
		return control.Written{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.state.At(); at != was {
		return control.Written{}, &control.Conflict{Now: at}
	}
	m.state = next.Copy()
	return control.Written{Attempts: 1}, nil
}

// Head says where the state stands and how many clients live.
func (m *memory) Head(context.Context) (control.Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.state.Document
	return control.Head{Epoch: d.Epoch, Version: d.Version, Clients: m.roll.Live(time.Now())}, nil
}

// Document gives the only one there is, which is the latest.
func (m *memory) Document(context.Context, control.Head) (*routing.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Document, nil
}

// Confirm takes note of what a client holds.
func (m *memory) Confirm(_ context.Context, c control.Confirmation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[c.Client] = c
	all := make([]control.Confirmation, 0, len(m.held))
	for _, c := range m.held {
		all = append(all, c)
	}
	now := time.Now()
	m.roll.Observe(now, all)
	for _, gone := range m.roll.Forgotten(now) {
		delete(m.held, gone)
	}
	return nil
}
