// Package store says what keeps the control state of a fleet: routing/kafka and routing/dynamo do, routing/control/contract holds them to it,
// and deciders and people's commands use it. It has no code.
package store

import (
	"context"

	"firebreak/routing/control"
)

// Store is what keeps the control state of one fleet. Its promises are those of routing/control/contract.
type Store interface {
	// Load reads the state, consistently; control.ErrNone where there is none.
	Load(ctx context.Context) (*control.State, error)
	// Write replaces the state that stands at was; the zero value is before the first one. A *control.Conflict, or an error that wraps
	// control.ErrUnknown.
	Write(ctx context.Context, was control.At, next *control.State) (control.Written, error)
	// Put puts a request; the same one may be put again. Requests lists those that were not dropped, Drop takes one away.
	Put(ctx context.Context, r *control.Request) error
	Requests(ctx context.Context) ([]*control.Request, error)
	Drop(ctx context.Context, id string) error
	// Confirmations lists what clients hold, Forget takes one of them away, and Count says how many live, for heads to tell.
	Confirmations(ctx context.Context) ([]control.Confirmation, error)
	Forget(ctx context.Context, client string) error
	Count(ctx context.Context, clients int) error
}
