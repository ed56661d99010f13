package dynamo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"firebreak/routing"
	"firebreak/routing/control"
)

// Head reads the head, for half a read unit; it may lag. control.ErrNone where the fleet has no state.
func (s *Source) Head(ctx context.Context) (control.Head, error) {
	item, err := s.get(ctx, "read the head", headSort, false, false)
	switch {
	case err == nil:
		return parse(item, control.ParseHead)
	case !errors.Is(err, control.ErrNone):
		return control.Head{}, err
	}
	// Who wrote the first state went away before its head.
	d, err := s.read(ctx, false)
	if err != nil {
		return control.Head{}, err
	}
	return control.Head{Epoch: d.Epoch, Version: d.Version}, nil
}

// Document reads the document: at half price first, and consistently where that one is not there or older than atLeast. What it gives may
// still be older, if the table was put back to an earlier state: the caller judges.
func (s *Source) Document(ctx context.Context, atLeast control.Head) (*routing.Document, error) {
	d, err := s.read(ctx, false)
	switch {
	case err == nil && !atLeast.Newer(control.Head{Epoch: d.Epoch, Version: d.Version}):
		return d, nil
	case err == nil, errors.Is(err, control.ErrNone):
		return s.read(ctx, true)
	}
	return nil, err
}

func (s *Source) read(ctx context.Context, consistent bool) (*routing.Document, error) {
	item, err := s.get(ctx, "read the document", documentSort, consistent, true)
	if err != nil {
		return nil, err
	}
	d, err := parse(item, func(b []byte) (*routing.Document, error) {
		var w struct {
			Document json.RawMessage `json:"document"`
		}
		if err := json.Unmarshal(b, &w); err != nil {
			return nil, err
		}
		return routing.ParseDocument(w.Document)
	})
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return d, nil
}

// Confirm says what a client holds, for one write unit.
func (s *Source) Confirm(ctx context.Context, c control.Confirmation) error {
	b, err := c.Encode()
	if err != nil {
		return err
	}
	return s.put(ctx, "confirm", b, key(s.keys.ofClient(c.Client), c.Client))
}
