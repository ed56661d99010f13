package notify

import (
	"context"
	"errors"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// Notice is one thing to tell one receiver: an entry of the journal, or a summary of many.
type Notice struct {
	Receiver string
	Key      string          // dedup key: the same however often it is sent; the id of the entry
	Entry    *actuator.Entry // nil of a summary
	More     *More           // nil of an entry
	Attempt  int             // 1, 2, ...
}

// More says that there was more than could be told one by one.
type More struct {
	N     int            `json:"n"`
	From  line.Stamp     `json:"from"` // of the entries' ticks
	To    line.Stamp     `json:"to"`
	Kinds map[string]int `json:"kinds"`
}

// Sender carries one notice to one receiver. It returns nil when the receiver has taken it, a *Failure, or any other error,
// which is tried again. It returns soon after ctx is done. An error holds no secret.
type Sender interface {
	Send(ctx context.Context, n *Notice) error
}

// Failure is why a notice was not taken.
type Failure struct {
	Final bool          // trying again is of no use
	After time.Duration // as the receiver asked; 0 = it did not
	Why   string        // for people; holds no secret
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
