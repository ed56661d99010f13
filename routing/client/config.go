package client

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"firebreak/routing/control"
)

const (
	// liveFor is how long after a confirmation a client takes itself for one that a decider waits for. It is under
	// control.NoLongerLive by what a listing of confirmations may lag.
	liveFor = control.NoLongerLive - 15*time.Second
	// maxName bounds a client's name, in bytes.
	maxName = 255
	// assumedClients is how many clients share the read units while no head has told: the size that the budget is made for.
	assumedClients = 10_000
)

// Config is how a client behaves. Default is a good one but for Fleet, Spaces and Registerer, which are the application's to
// say.
type Config struct {
	// Fleet is the fleet whose document is wanted: a document of another one is refused. It is a label of the metrics.
	Fleet string
	// Name names this process among the clients: unique, 1 to 255 bytes. Empty draws one: the host's name and a random number.
	Name string
	// Poll is the mean time between two looks at the head. Longer where very many clients would take more than half of ReadUnits.
	Poll time.Duration
	// StaleAfter is how long a document is believed without a look at the source: above 2 x Poll.
	StaleAfter time.Duration
	// ReadUnits is what all clients together may read in a second, in DynamoDB's read units: a partition key has 3,000. A unit is two
	// eventually consistent reads of 4 KB, or one consistent.
	ReadUnits float64
	// CallFor bounds one call to the source.
	CallFor time.Duration
	// File keeps the last document, to start from when the source is away. Empty keeps none; a Guard has none.
	File string

	// Clients is how many clients share a quota while no head has told, at least 1. Taken for 1, every client would let the whole
	// quota through.
	Clients int
	// Queue is how many requests of one tenant wait for their quota at most, QueueFor how long one waits.
	Queue    int
	QueueFor time.Duration

	// FenceFor is how long a request waits for a place that nobody may serve, FenceQueue how many requests wait so at most.
	FenceFor   time.Duration
	FenceQueue int
	// SecondFor is how long a write to a place that is written twice waits for the second shard, where the first one's word counts.
	SecondFor time.Duration

	// Spaces are the keys that may be salted; the first that matches counts.
	Spaces []Space
	// FanOut is how many pieces one read asks at the same time, FanOutFor how long it waits for them.
	FanOut    int
	FanOutFor time.Duration
	// Attempts is how often one request is sent when shards answer that they do not have the key, or not yet.
	Attempts int

	// Registerer takes the metrics; nil for none. Several clients of one fleet in one process want a label each.
	Registerer prometheus.Registerer
}

// Default is the configuration of design: a look every 5 s, stale after 30 s.
func Default() Config {
	return Config{
		Poll: 5 * time.Second, StaleAfter: 30 * time.Second, ReadUnits: 3000, CallFor: 5 * time.Second,
		Clients: 10, Queue: 100, QueueFor: time.Second,
		FenceFor: 2 * time.Second, FenceQueue: 1000, SecondFor: time.Second,
		FanOut: 16, FanOutFor: time.Second, Attempts: 8,
	}
}

// Validate says what is wrong with c. It fills in nothing.
func (c *Config) Validate() error {
	var errs []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	want(c.Fleet != "", "fleet: want the name of one")
	want(len(c.Name) <= maxName, "name: %d bytes, want at most %d", len(c.Name), maxName)
	want(c.Poll > 0, "poll: %v, want above 0", c.Poll)
	want(c.StaleAfter > 2*c.Poll, "stale_after: %v, want above 2 x poll, %v", c.StaleAfter, 2*c.Poll)
	want(c.ReadUnits > 0, "read_units: %v, want above 0", c.ReadUnits)
	want(c.CallFor > 0, "call_for: %v, want above 0", c.CallFor)
	want(c.Clients >= 1, "clients: %d, want at least 1", c.Clients)
	want(c.Queue >= 0, "queue: %d, want 0 or more", c.Queue)
	want(c.QueueFor >= 0, "queue_for: %v, want 0 or more", c.QueueFor)
	want(c.FenceFor >= 0, "fence_for: %v, want 0 or more", c.FenceFor)
	want(c.FenceQueue >= 0, "fence_queue: %d, want 0 or more", c.FenceQueue)
	want(c.SecondFor > 0, "second_for: %v, want above 0", c.SecondFor)
	want(c.FanOut >= 1, "fan_out: %d, want at least 1", c.FanOut)
	want(c.FanOutFor > 0, "fan_out_for: %v, want above 0", c.FanOutFor)
	want(c.Attempts >= 1, "attempts: %d, want at least 1", c.Attempts)
	for i := range c.Spaces {
		if err := c.Spaces[i].validate(); err != nil {
			errs = append(errs, fmt.Errorf("spaces[%d].%w", i, err))
		}
	}
	return errors.Join(errs...)
}
