package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"firebreak/routing"
	"firebreak/routing/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("the source is away")

// slowDown is how a source asks for fewer calls.
type slowDown time.Duration

func (s slowDown) Error() string             { return "slow down" }
func (s slowDown) RetryAfter() time.Duration { return time.Duration(s) }

// store is a source in memory with the promises of Source, and the ways in which a real one disappoints.
type store struct {
	mu        sync.Mutex
	doc       *routing.Document
	head      control.Head
	cheap     *routing.Document // what a cheap read gives; nil = doc
	err       error             // of all calls
	errPut    error             // of Confirm
	bytes     int               // of the document, for the units; 0 = as encoded
	latency   time.Duration
	looks     int // Head
	reads     int // Document
	held      map[string]control.Confirmation
	perSecond map[int64]float64 // read units
	ahead     float64           // units spent above 3,000 a second and not made up for yet
	most      float64           // the most of them at once
	spent     time.Time         // when ahead was reckoned last
}

func newStore(d *routing.Document) *store {
	s := &store{held: map[string]control.Confirmation{}, perSecond: map[int64]float64{}}
	s.put(d)
	return s
}

// put stores a document and its head, with what the head says of clients kept.
func (s *store) put(d *routing.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := d.Encode()
	if err != nil {
		panic(err)
	}
	s.doc = d
	s.head = control.Head{Epoch: d.Epoch, Version: d.Version, Bytes: len(b), Clients: s.head.Clients}
	if s.bytes > 0 {
		s.head.Bytes = s.bytes
	}
}

func (s *store) set(change func(s *store)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// counted is how often the head and the document were read.
func (s *store) counted() (looks, reads int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks, s.reads
}

// busiest is the most units of a second, and those of all.
func (s *store) busiest() (most, all float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, units := range s.perSecond {
		most, all = max(most, units), all+units
	}
	return most, all
}

func (s *store) spend(units float64) {
	now := time.Now()
	s.perSecond[now.Unix()] += units
	s.ahead = max(0, s.ahead-3000*now.Sub(s.spent).Seconds()) + units
	s.most, s.spent = max(s.most, s.ahead), now
}

func (s *store) call(ctx context.Context) error {
	if s.latency > 0 {
		select {
		case <-time.After(s.latency):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

func (s *store) Head(ctx context.Context) (control.Head, error) {
	if err := s.call(ctx); err != nil {
		return control.Head{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	s.spend(0.5)
	return s.head, s.err
}

func (s *store) Document(ctx context.Context, atLeast control.Head) (*routing.Document, error) {
	if err := s.call(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	units := math.Ceil(float64(s.head.Bytes) / 4096)
	s.spend(units / 2)
	d := s.doc
	if s.cheap != nil {
		d = s.cheap
	}
	if d.Version < atLeast.Version {
		d = s.doc
		s.spend(units)
	}
	return d, s.err
}

func (s *store) Confirm(ctx context.Context, c control.Confirmation) error {
	if err := s.call(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.errPut != nil {
		return errors.Join(s.err, s.errPut)
	}
	s.held[c.Client] = c
	return nil
}

func (s *store) confirmations() map[string]control.Confirmation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.held)
}

// fleet is a fleet of n shards, placed by key, at version 1.
func fleet(t testing.TB, n int) *routing.Document {
	t.Helper()
	d, err := routing.Adopt("f", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN, VShards: n * 16}, routing.NumberedShards(n))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// next is a document after d with a change.
func next(d *routing.Document, change func(d *routing.Document)) *routing.Document {
	n := d.Clone()
	n.Version++
	if change != nil {
		change(n)
	}
	return n
}

// salted spreads a key over four pieces.
func salted(key string, write, read int) func(d *routing.Document) {
	return func(d *routing.Document) {
		d.Salts = []routing.Salt{{Key: key, Suffixes: []uint32{0, 3, 5, 8}, Write: write, Read: read}}
	}
}

func testConfig() Config {
	c := Default()
	c.Fleet, c.Name = "f", "one"
	return c
}

// open is a Router that is closed at the end of the test.
func open(t testing.TB, src Source, change func(c *Config)) *Router {
	t.Helper()
	cfg := testConfig()
	if change != nil {
		change(&cfg)
	}
	r, err := Open(t.Context(), src, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// until waits in steps of a tenth of a second, for at most so long.
func until(t testing.TB, most time.Duration, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > most {
			t.Fatalf("not within %v: %s", most, what)
		}
	}
}

// keyOn is a key that lies on a shard.
func keyOn(t testing.TB, d *routing.Document, shard routing.ShardID) []byte {
	t.Helper()
	table, err := routing.NewTable(d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		if key := fmt.Appendf(nil, "key-%d", i); table.Locate(nil, key).Shard == shard {
			return key
		}
	}
	t.Fatalf("no key on %d", shard)
	return nil
}
