package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

var errFolded = errors.New("the piece has a tombstone")

// cells is a store of counters with conditional writes, in which every call takes some time before and after it takes effect.
type cells struct {
	mu   sync.Mutex
	cell map[string]*Part[int]
	tomb map[string]bool
	// begun and acked are all that was added, by writes that began and by writes that were acknowledged.
	begun, acked int
	// rest is the mean time between two requests of a client.
	rest time.Duration
}

func (c *cells) setRest(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest = d
}

func (c *cells) pause() {
	c.mu.Lock()
	d := c.rest
	c.mu.Unlock()
	time.Sleep(time.Duration(float64(d) * 2 * rand.Float64()))
}

func (c *cells) lag() { time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) }

func (c *cells) at(key string) *Part[int] {
	if c.cell[key] == nil {
		c.cell[key] = &Part[int]{}
	}
	return c.cell[key]
}

func (c *cells) add(key string) error {
	c.mu.Lock()
	c.begun++
	c.mu.Unlock()
	c.lag()
	c.mu.Lock()
	if c.tomb[key] {
		c.begun--
		c.mu.Unlock()
		return errFolded
	}
	c.at(key).Value++
	c.mu.Unlock()
	c.lag()
	c.mu.Lock()
	c.acked++
	c.mu.Unlock()
	return nil
}

func (c *cells) read(key string) Part[int] {
	c.lag()
	c.mu.Lock()
	p := *c.at(key)
	p.Folded = slices.Clone(p.Folded)
	c.mu.Unlock()
	c.lag()
	return p
}

// foldInto freezes a piece with its value and adds it to the bare one together with its name.
func (c *cells) foldInto(bare, piece string, suffix uint32) {
	c.mu.Lock()
	c.tomb[piece] = true
	c.mu.Unlock()
	c.lag()
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.at(bare); !slices.Contains(b.Folded, suffix) {
		b.Value += c.at(piece).Value
		b.Folded = append(b.Folded, suffix)
	}
}

// advance writes a document and waits until all live clients have confirmed it, as a decider does.
func advance(t *testing.T, s *store, roll *control.Roll, change func(d *routing.Document)) {
	t.Helper()
	d := next(s.doc, change)
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	s.put(d)
	until(t, 3*time.Minute, "all live clients have confirmed", func() bool {
		var all []control.Confirmation
		for _, c := range s.confirmations() {
			all = append(all, c)
		}
		roll.Observe(time.Now(), all)
		return len(roll.Behind(time.Now(), d.Version)) == 0
	})
}

// away is a source that one client does not reach for a while.
type away struct {
	*store

	mu   sync.Mutex
	gone bool
}

func (a *away) reach() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone {
		return errAway
	}
	return nil
}

func (a *away) set(gone bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gone = gone
}

func (a *away) Head(ctx context.Context) (control.Head, error) {
	if err := a.reach(); err != nil {
		return control.Head{}, err
	}
	return a.store.Head(ctx)
}

func (a *away) Document(ctx context.Context, h control.Head) (*routing.Document, error) {
	if err := a.reach(); err != nil {
		return nil, err
	}
	return a.store.Document(ctx, h)
}

func (a *away) Confirm(ctx context.Context, c control.Confirmation) error {
	if err := a.reach(); err != nil {
		return err
	}
	return a.store.Confirm(ctx, c)
}

// TestSaltUpAndDown: a counter is spread over four pieces and folded back while clients write and read it, one of which is away for two days
// and one of which freezes between its decision and its write. Every read that is not refused has at least what was acknowledged before it
// began, and at the end nothing is lost or counted twice.
func TestSaltUpAndDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(fleet(t, 4))
		s.head.Clients = 4
		lost := &away{store: s}
		key, c := []byte("count:hot"), &cells{cell: map[string]*Part[int]{}, tomb: map[string]bool{}, rest: time.Second}
		traffic, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		used := make([]usage, 4)
		var routers []*Router
		for i := range used {
			var src Source = s
			if i == 0 {
				src = lost
			}
			r := open(t, src, func(cfg *Config) { counts(cfg); cfg.Name = fmt.Sprint("client-", i) })
			routers = append(routers, r)
			until(t, time.Second, "joined", func() bool { return !r.Stale() })
			all.Go(func() { used[i].write(traffic, r, c, key) })
			all.Go(func() { used[i].readOn(traffic, t, r, c, key) })
		}
		var roll control.Roll
		one := func(read, write int, tombs ...uint32) func(d *routing.Document) {
			return func(d *routing.Document) {
				d.Salts = []routing.Salt{{Key: string(key), Suffixes: []uint32{0, 3, 5, 8}, Read: read, Write: write, Tombstones: tombs}}
			}
		}
		advance(t, s, &roll, one(4, 1))
		lost.set(true)
		time.Sleep(time.Minute)
		advance(t, s, &roll, one(4, 4))
		time.Sleep(5 * time.Minute)
		frozen := routers[1].Decide(Write, nil, key)
		for frozen.Piece.Index == 0 {
			frozen = routers[1].Decide(Write, nil, key)
		}
		advance(t, s, &roll, one(4, 1))
		time.Sleep(time.Minute) // drained: writes take less
		for _, suffix := range []uint32{3, 5, 8} {
			c.foldInto("count:hot", fmt.Sprint("count:hot#", suffix), suffix)
		}
		c.setRest(time.Minute)
		time.Sleep(48 * time.Hour)
		c.setRest(time.Second)
		if err := c.add(string(frozen.AppendKey(nil, frozen.Piece))); !errors.Is(err, errFolded) {
			t.Errorf("%v: the write of who was frozen for two days", err)
		}
		lost.set(false)
		until(t, time.Minute, "back", func() bool { return !routers[0].Stale() })
		advance(t, s, &roll, one(1, 1, 3, 5, 8))
		time.Sleep(time.Minute)
		stop()
		all.Wait()
		for i, u := range used {
			if u.writes < 30 || u.reads < 30 || (i == 0) != (u.refused > 0) {
				t.Errorf("client %d: %+v", i, u)
			}
		}
		if got, err := Gather(t.Context(), routers[2], nil, key, Sum[int](), c.part); err != nil || got.Value != c.acked {
			t.Errorf("%d at the end, %v; %d were acknowledged", got.Value, err, c.acked)
		}
	})
}

func (c *cells) part(_ context.Context, target Target) (Part[int], error) {
	return c.read(string(target.Key)), nil
}

// usage is what became of a client's requests.
type usage struct{ writes, reads, refused, changed int }

func (u *usage) write(ctx context.Context, r *Router, c *cells, key []byte) {
	for ; ctx.Err() == nil; c.pause() {
		d := r.Decide(Write, nil, key)
		if d.Err != nil {
			continue
		}
		if err := c.add(string(d.AppendKey(nil, d.Piece))); err == nil {
			u.writes++
		}
	}
}

func (u *usage) readOn(ctx context.Context, t *testing.T, r *Router, c *cells, key []byte) {
	for ; ctx.Err() == nil; c.pause() {
		c.mu.Lock()
		least := c.acked
		c.mu.Unlock()
		got, err := Gather(ctx, r, nil, key, Sum[int](), c.part)
		switch {
		case errors.Is(err, ErrStale):
			u.refused++
		case errors.Is(err, ErrChanged):
			u.changed++
		case err == nil:
			u.reads++
			c.mu.Lock()
			if got.Value < least || got.Value > c.begun {
				t.Errorf("%d is read; %d were acknowledged before, %d begun", got.Value, least, c.begun)
			}
			c.mu.Unlock()
		}
	}
}
