package control

import (
	"errors"
	"fmt"
)

// ErrNone is a fleet of which a store has no state.
var ErrNone = errors.New("the store has no state of the fleet")

// ErrUnknown is a write of which it is not known whether it took effect, because the store cannot be read. Who goes on loads the state
// first: it may be the one that was written.
var ErrUnknown = errors.New("whether it was written is not known")

// ErrNotHome is a write in a region that may not write.
var ErrNotHome = errors.New("not the home region of the fleet")

// Conflict is a write that did not take effect because the state stood elsewhere.
type Conflict struct {
	// Now is where it stands.
	Now At
}

// Error says where the state stands.
func (c *Conflict) Error() string {
	return fmt.Sprintf("the state was changed by someone else: it stands at %s", c.Now)
}

// Written says how a write came to be known as written.
type Written struct {
	// ReadBack says that the store's reply was lost, or contradicted itself, and the state was found as it was written.
	ReadBack bool
	// Attempts is how often the write was sent, from 1.
	Attempts int
}
