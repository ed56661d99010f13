package dynamo

import (
	"fmt"
	"strconv"
)

// Kind is what happened to a store. The zero value is nothing.
type Kind uint8

// What can happen.
const (
	NothingHappened Kind = iota
	Paused               // the table throttles: calls wait, and are sent at most five a second
	GoesOn               // it does not any more
	HeadLags             // the document is written and its head is not: clients learn of it later, by the next write or look
	Unreadable           // an item cannot be read and is left out
)

// String is for people, and for a status: paused: throttled.
func (k Kind) String() string {
	names := [...]string{"nothing", "paused: throttled", "goes on", "the head lags", "an item cannot be read"}
	if int(k) < len(names) {
		return names[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// Event is one thing that happened.
type Event struct {
	Kind Kind
	// Err says more; nil for GoesOn.
	Err error
}

// String is for a log.
func (e Event) String() string {
	if e.Err == nil {
		return e.Kind.String()
	}
	return fmt.Sprintf("%s: %v", e.Kind, e.Err)
}
