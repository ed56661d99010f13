package main

import (
	"context"
	"maps"
	"slices"
	"sync"

	"firebreak/routing"
	"firebreak/routing/control"
)

// memoryStates keeps the state of one fleet for as long as the test runs; it is the clients' source too.
type memoryStates struct {
	mu        sync.Mutex // guards all below
	state     *control.State
	requests  []*control.Request
	confirmed map[string]control.Confirmation
	clients   int
}

func newMemoryStates() *memoryStates {
	return &memoryStates{confirmed: map[string]control.Confirmation{}}
}

func (m *memoryStates) Load(context.Context) (*control.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == nil {
		return nil, control.ErrNone
	}
	return m.state.Copy(), nil
}

func (m *memoryStates) Write(_ context.Context, was control.At, next *control.State) (control.Written, error) {
	if err := control.Follows(was, next); err != nil {
		return control.Written{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state != nil && m.state.At() != was {
		return control.Written{}, &control.Conflict{Now: m.state.At()}
	}
	m.state = next.Copy()
	return control.Written{Attempts: 1}, nil
}

func (m *memoryStates) Put(_ context.Context, r *control.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
	return nil
}

func (m *memoryStates) Requests(context.Context) ([]*control.Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests), nil
}

func (m *memoryStates) Drop(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = slices.DeleteFunc(m.requests, func(r *control.Request) bool { return r.ID == id })
	return nil
}

func (m *memoryStates) Confirmations(context.Context) ([]control.Confirmation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.confirmed)), nil
}

func (m *memoryStates) Forget(_ context.Context, client string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.confirmed, client)
	return nil
}

func (m *memoryStates) Count(_ context.Context, clients int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clients = clients
	return nil
}

func (m *memoryStates) Head(context.Context) (control.Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == nil {
		return control.Head{}, control.ErrNone
	}
	return control.Head{Epoch: m.state.Document.Epoch, Version: m.state.Document.Version, Clients: m.clients}, nil
}

func (m *memoryStates) Document(context.Context, control.Head) (*routing.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Document.Clone(), nil
}

func (m *memoryStates) Confirm(_ context.Context, c control.Confirmation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.confirmed[c.Client] = c
	return nil
}
