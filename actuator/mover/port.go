package mover

import (
	"context"
	"errors"

	"firebreak/actuator/operation"
)

// Mover does one task and comes back when it is done. The errors ErrNotYet and *Final mean something; any other is tried again later.
type Mover interface {
	Do(ctx context.Context, t *operation.Task) error
}

// ErrNotYet is a task that is under way: it is asked for again soon.
var ErrNotYet = errors.New("it is under way")

// Final is a task that will not be done as it is.
type Final struct{ Why string }

// Error says why.
func (f *Final) Error() string { return f.Why }

// Movers are those of a fleet, by what they do; nil = nobody does it.
type Movers struct {
	Moves, Folds, Provisions Mover
	// None says that data need not be carried.
	None bool
	// Versioned says that clients write twice while data moves.
	Versioned bool
}

// of finds who does what is asked for.
func (m *Movers) of(a operation.Ask) Mover {
	switch a {
	case operation.AskFold:
		return m.Folds
	case operation.AskProvision:
		return m.Provisions
	case operation.AskCopy, operation.AskVerify, operation.AskDrain, operation.AskReturn, operation.AskDrop, operation.AskClean:
		return m.Moves
	case operation.AskNothing:
	}
	return nil
}

// Can says whether somebody does what is asked for.
func (m *Movers) Can(a operation.Ask) bool { return m.of(a) != nil }

// Moving is how places change hands in the fleet.
func (m *Movers) Moving() operation.Moving {
	switch {
	case m.Moves != nil && m.Versioned:
		return operation.MovingDoubled
	case m.Moves != nil:
		return operation.MovingCarried
	case m.None:
		return operation.MovingRouting
	}
	return operation.MovingUnsaid
}
