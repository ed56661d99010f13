package kafka

import (
	"context"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Source is the document of one fleet, for clients that have Kafka. Here the document is never older than the head: both are read
// from the log.
type Source struct{ store Store }

// Source gives that of a fleet.
func (l *Log) Source(fleet string) *Source { return &Source{store: Store{log: l, fleet: fleet}} }

// Head says which document stands. [control.ErrNone]: there is none.
func (s *Source) Head(ctx context.Context) (control.Head, error) {
	var h control.Head
	err := s.store.reading(ctx, func(f *fold) error {
		if f.state == nil {
			return control.ErrNone
		}
		h = control.Head{Epoch: f.state.Document.Epoch, Version: f.state.Document.Version, Bytes: f.bytes, Clients: f.clients}
		return nil
	})
	return h, err
}

// Document reads the document that stands.
func (s *Source) Document(ctx context.Context, _ control.Head) (*routing.Document, error) {
	state, err := s.store.Load(ctx)
	if err != nil {
		return nil, err
	}
	return state.Document, nil
}

// Confirm says what a client holds.
func (s *Source) Confirm(ctx context.Context, c control.Confirmation) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	_, err = s.store.log.append(ctx, s.store.log.clients, s.store.fleet, b)
	return err
}
