package dynamo

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing/control"
)

// attemptTimeout bounds one attempt of a call: DynamoDB answers in milliseconds, and what did not answer so long is taken for lost.
const attemptTimeout = 3 * time.Second

// Config says what a store or a source is of.
type Config struct {
	// Table is the table's name.
	Table string
	// Fleet is the fleet's name.
	Fleet string
	// Region is where this process writes: a state is written in its home only, and the first write makes its region the home. Empty:
	// only states without a home are written, as on a table that has no regions.
	Region string
	// Observe is told what happens; nil = nobody. It returns soon, and does not call the store.
	Observe func(Event)
}

// Validate says whether c may be opened.
func (c *Config) Validate() error {
	if c.Table == "" {
		return errors.New("table: want its name")
	}
	if c.Fleet == "" || len(c.Fleet) > 255 {
		return fmt.Errorf("fleet: %d bytes, want a name, 1 to 255", len(c.Fleet))
	}
	return nil
}

// Client makes the SDK's client. endpoint is its URL; empty = that of the region.
func Client(cfg aws.Config, endpoint string) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, once, func(o *dynamodb.Options) {
		if endpoint != "" {
			o.BaseEndpoint = &endpoint
		}
	})
}

// place is what store and source have in common. It is safe for any number of goroutines.
type place struct {
	caller

	table   *string
	keys    keys
	config  Config
	observe func(Event)
}

func open(api *dynamodb.Client, c Config) (place, error) {
	if err := c.Validate(); err != nil {
		return place{}, err
	}
	return place{caller: newCaller(api, c.Observe), table: &c.Table, keys: keysOf(c.Fleet), config: c, observe: observer(c.Observe)}, nil
}

// Paused says whether the calls of this store or source wait because the table throttles them, and since when they do.
func (p *place) Paused() (since time.Time, ok bool) { return p.pace.paused() }

func observer(f func(Event)) func(Event) {
	if f == nil {
		return func(Event) {}
	}
	return f
}

func newCaller(api *dynamodb.Client, observe func(Event)) caller {
	return caller{api: api, pace: &pace{observe: observer(observe)}, timeout: attemptTimeout}
}

// Store is the control state of one fleet, as a decider and the people's commands see it. It is safe for any number of goroutines.
type Store struct {
	place

	mu      sync.Mutex // guards all below
	clients int        // that live, as it was said last
	owed    *control.Head
}

// Open makes the store of a fleet. It sends nothing.
func Open(api *dynamodb.Client, c Config) (*Store, error) {
	p, err := open(api, c)
	if err != nil {
		return nil, err
	}
	return &Store{place: p}, nil
}

// Source is the control state of one fleet, as a client that routes by it sees it. It is safe for any number of goroutines.
type Source struct{ place }

// OpenSource makes the source of a fleet. It sends nothing.
func OpenSource(api *dynamodb.Client, c Config) (*Source, error) {
	p, err := open(api, c)
	if err != nil {
		return nil, err
	}
	return &Source{place: p}, nil
}
