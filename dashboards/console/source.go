package console

import (
	"context"
	"errors"
	"io"
	"time"

	"firebreak/policy"
)

// Source is what only the running process knows. Every method is called from any goroutine.
type Source interface {
	// Ask says what a key, or, where key is empty, a tenant has in the window, with bounds. The error wraps ErrNotNow where there is
	// no window yet; others are for people.
	Ask(fleet string, tenant, key []byte) (Answer, error)
	// Whatif does the arithmetic of one hot key. The error is a sentence for who asked.
	Whatif(q *Question) (*Whatif, error)
	// Status is how this process is.
	Status(ctx context.Context) Status
}

// Reporter makes reports out of what the group keeps. Every method is called from any goroutine.
type Reporter interface {
	// Now is the time of day, in the zone of reports.
	Now() time.Time
	// Report writes what `firebreak report` writes of a time. It ends soon after ctx; the error is for people.
	Report(ctx context.Context, w io.Writer, p *Period) error
}

// Period is what a report is asked of.
type Period struct {
	Fleet    string    // empty = all
	From, To time.Time // whole minutes, To not included, at most report.MaxPeriod apart
	Form     string    // html, md or json
}

// ErrNotNow says that a question can be answered later.
var ErrNotNow = errors.New("there is no window yet")

// Answer is what a name has in the window, a sum in the unit of the fleet's load: Low <= truth <= High.
type Answer struct{ Estimate, Low, High float64 }

// Question is what is asked of what-if, as it was typed; empty = not given.
type Question struct {
	Share, Rate, Shards, Reads, Target, Capacity, Sample string
}

// Whatif is the answer to a Question.
type Whatif struct {
	Form   policy.Form
	Mean   float64 // load/s of an average shard
	Target float64 // load/s that the hottest shard may bear
	After  float64 // load/s of the hottest shard under the advice
	Fix    string  // policy.Fix that is advised
	Salt   int     // pieces that the advice has; 0 = none
	Why    string  // the advice, a sentence
	Report any     // all of it, as `firebreak whatif --output json` has it
}

// Status is how a process is.
type Status struct {
	Instance   string // by which the journal calls this one
	Version    string // of this firebreak; empty = not known
	Decides    bool   // this instance
	Epoch      int64  // under which it does
	Alone      bool   // it runs standalone: there is no group
	Partitions int    // of request logs, that this instance counts
	Behind     int64  // entries of the log of deltas that are not applied yet; -1 = not known
	Conditions []Condition
	Topics     []Topic
	Routing    []Routing     // of the fleets that are routed by a document
	Answered   time.Time     // by the brokers, what Behind and Topics say; zero = never, or it is not of brokers
	Age        time.Duration // of that answer
}

// Condition is one thing that must hold for the process to be ready.
type Condition struct {
	Name string
	Why  string // not; empty = it holds
}

// Routing is how the routing of a fleet stands, as this instance saw it last.
type Routing struct {
	Fleet          string
	Epoch, Version uint64    // of the document; 0 = it was not read yet
	Trouble        string    // why its store does not serve; empty = it does
	Since          time.Time // when that began
	Stopped        bool      // acting is
	By, Reason     string    // who stopped it and why; empty = nobody knows
	At             time.Time // when; zero = nobody knows
}

// Topic is how far a request log is counted.
type Topic struct {
	Fleet, Name string
	Unread      int64 // records
	Behind      time.Duration
}
