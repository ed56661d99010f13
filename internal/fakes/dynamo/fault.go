package dynamo

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// What DynamoDB says to calls; each may be a Fault's Say.
const (
	Throttled    = "ProvisionedThroughputExceededException"
	Denied       = "ConditionalCheckFailedException"
	AccessDenied = "AccessDeniedException"
	Internal     = "InternalServerError"
)

// Lose is what gets lost between the caller and the table.
type Lose uint8

// What can get lost.
const (
	LoseNothing Lose = iota
	LoseReply        // the call takes effect, and its connection breaks
	LoseCall         // the call takes no effect, and its connection breaks
)

// Fault is what happens to calls. Those that it fits get it, instead of what the server would do.
type Fault struct {
	// Op is the operation, as PutItem; empty = any.
	Op string
	// Sort is the sort key of the item; empty = any.
	Sort string
	// Times is how many calls get it: 0 = one, below 0 = all until Quiet.
	Times int
	// Delay is how long the call takes before anything else happens.
	Delay time.Duration
	// Instead runs before the call, which waits for it; it may call the server itself.
	Instead func()
	// Say is the error that is said instead of the call, which takes no effect; empty = none.
	Say string
	// Lose is what gets lost.
	Lose Lose
}

func (f *Fault) status() int {
	if f.Say == Internal {
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// hold takes the fault's time, and says whether the caller went away meanwhile.
func (f *Fault) hold(r *http.Request) (gone bool) {
	if f.Delay > 0 {
		wait := time.NewTimer(f.Delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return true
		}
	}
	if f.Instead != nil {
		f.Instead()
	}
	return false
}

// Break makes faults, in the order in which they were given.
func (s *Server) Break(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		if f.Times == 0 {
			f.Times = 1
		}
		s.faults = append(s.faults, &f)
	}
}

// Quiet ends all faults.
func (s *Server) Quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault takes the first fault that fits a call; without one it is none.
func (s *Server) fault(c *Call) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.At = s.now()
	i := slices.IndexFunc(s.faults, func(f *Fault) bool {
		return (f.Op == "" || f.Op == c.Op) && (f.Sort == "" || f.Sort == c.Sort)
	})
	if i < 0 {
		return &Fault{}
	}
	f := s.faults[i]
	if f.Times > 0 {
		if f.Times--; f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
	}
	return f
}

// Call is one call that came.
type Call struct {
	At time.Time
	Op string
	// Table, Partition and Sort are of the item; empty where there is not one.
	Table, Partition, Sort string
	// Consistent says that it was a read that asked for consistency.
	Consistent bool
	// Error is the kind of the answer, or "lost"; empty = it was done.
	Error string
}

// read finds what a call is about, as far as it can be told from its form.
func read(op string, body []byte) Call {
	c := Call{Op: op}
	var in struct {
		TableName      string
		Key, Item      map[string]json.RawMessage
		ConsistentRead bool
		// Of a query.
		ExpressionAttributeValues map[string]json.RawMessage
	}
	if json.Unmarshal(body, &in) != nil {
		return c
	}
	text := func(raw json.RawMessage) string {
		var v value
		_ = json.Unmarshal(raw, &v) // what is no value is no text
		return v.text
	}
	c.Table, c.Consistent = in.TableName, in.ConsistentRead
	for _, from := range []map[string]json.RawMessage{in.Key, in.Item} {
		if from != nil {
			c.Partition, c.Sort = text(from[partitionName]), text(from[sortName])
		}
	}
	if op == "Query" {
		c.Partition = text(in.ExpressionAttributeValues[":"+partitionName])
	}
	return c
}

func (s *Server) note(c Call, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		c.Error, _, _ = strings.Cut(err.Error(), ":")
	}
	s.calls = append(s.calls, c)
}

// Calls lists the calls that came so far, in the order of their ends.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}
