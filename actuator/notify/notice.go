package notify

import (
	"context"
	"errors"
	"time"

	"firebreak/actuator"
)

// Notice is one thing to tell one receiver: an entry of the journal, a summary of many, or a test.
type Notice struct {
	Receiver string
	Key      string          // dedup key: the same however often it is sent; the id of the entry
	Entry    *actuator.Entry // nil of a summary and a test
	More     *More           // nil of anything but a summary
	Test     *Test           // nil of anything but a test
	Attempt  int             // 1, 2, ...
	Story    *Story          // what the journal holds of the entry's hotspot; nil of other news
	Receipt  string          // of the newest notice of the same subject, while it is not over; empty = none
}

// Test is a notice of no entry that a person sends to see whether a receiver is reached, and then takes back.
type Test struct {
	At   time.Time
	Over bool
}

// At is the tick that a notice is of; of a summary the last.
func (n *Notice) At() time.Time {
	switch {
	case n.Test != nil:
		return n.Test.At
	case n.More != nil:
		return time.Time(n.More.To)
	}
	return n.Entry.At
}

// Sender carries one notice to one receiver. The error is nil when the receiver has taken it, a *Failure, or any other, which
// is tried again. It returns soon after ctx is done. An error holds no secret.
//
// A receipt (at most actuator.MaxReceipt bytes, no secret) is kept in the journal and comes back with the next notice of the
// same subject, whoever sends it: a message is updated by it.
type Sender interface {
	Send(ctx context.Context, n *Notice) (receipt string, err error)
}

// Failure is why a notice was not taken.
type Failure struct {
	Final  bool          // trying again is of no use: this notice will never be taken
	Person bool          // a person must mend something, as a token: it is tried again from time to time
	After  time.Duration // as the receiver asked; 0 = it did not
	Why    string        // for people; holds no secret
}

// Error says why.
func (f *Failure) Error() string { return f.Why }

// failure makes a Failure of any error.
func failure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Why: err.Error()}
}
