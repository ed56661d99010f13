package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

// fleetName is the fleet of the example.
const fleetName = "counter"

// decider stands for the instance of firebreak that decides: it changes the routing document, one phase after the other. Each of its
// commands may be given again after a crash, and goes on where the document stands.
type decider struct {
	store  *dynamo.Store
	source *dynamo.Source
	state  *control.State
	roll   control.Roll
	// readersFor is how long the readers' phase lasts at least, for clients that nobody knows of.
	readersFor time.Duration
}

// adopt makes the table and the fleet's first document, unless they are there.
func adopt(ctx context.Context, api *dynamodb.Client, table string) error {
	if _, err := dynamo.Create(ctx, api, table); err != nil {
		return err
	}
	store, err := dynamo.Open(api, dynamo.Config{Table: table, Fleet: fleetName})
	if err != nil {
		return err
	}
	if _, err := store.Load(ctx); !errors.Is(err, control.ErrNone) {
		return err
	}
	// DynamoDB spreads partition keys itself; the shards are ours for counting only.
	d, err := routing.Adopt(fleetName, routing.Placement{Bytes: "key", Function: routing.MD5, Map: routing.ModN}, routing.NumberedShards(8))
	if err != nil {
		return err
	}
	_, err = store.Write(ctx, control.At{}, control.First(d))
	if conflict := (*control.Conflict)(nil); errors.As(err, &conflict) {
		return nil // somebody else made it
	}
	if err != nil {
		return err
	}
	return store.Count(ctx, 1)
}

// claim takes the fleet: whoever had it before writes nothing any more.
func claim(ctx context.Context, api *dynamodb.Client, table string, readersFor time.Duration) (*decider, error) {
	cfg := dynamo.Config{Table: table, Fleet: fleetName}
	store, err := dynamo.Open(api, cfg)
	if err != nil {
		return nil, err
	}
	source, err := dynamo.OpenSource(api, cfg)
	if err != nil {
		return nil, err
	}
	was, err := store.Load(ctx)
	if err != nil {
		return nil, err
	}
	next, err := was.Claim(0, rand.Text())
	if err != nil {
		return nil, err
	}
	if _, err := store.Write(ctx, was.At(), next); err != nil {
		return nil, err
	}
	return &decider{store: store, source: source, state: next, readersFor: readersFor}, nil
}

// up spreads a key over so many pieces: readers first; when they all read them, writers.
func (d *decider) up(ctx context.Context, key string, pieces int) error {
	salt := saltOf(d.state.Document, key)
	switch {
	case salt.Write > 1:
		return nil
	case slices.ContainsFunc(salt.Suffixes[1:], func(s uint32) bool { return slices.Contains(salt.Tombstones, s) }):
		return fmt.Errorf("%q is on its way down", key)
	case salt.Read == 1:
		suffixes := append([]uint32{0}, fresh(&salt, pieces-1)...)
		if err := d.write(ctx, key, func(s *routing.Salt) { s.Suffixes, s.Read = suffixes, len(suffixes) }); err != nil {
			return err
		}
	}
	if err := d.confirmed(ctx, d.readersFor); err != nil {
		return err
	}
	return d.write(ctx, key, func(s *routing.Salt) { s.Write = len(s.Suffixes) })
}

// down takes a key back to its bare piece: writers first; then the pieces are folded; readers last. c is who folds.
func (d *decider) down(ctx context.Context, key string, c *counters) error {
	if saltOf(d.state.Document, key).Write > 1 {
		if err := d.write(ctx, key, func(s *routing.Salt) { s.Write = 1 }); err != nil {
			return err
		}
		if err := d.confirmed(ctx, 0); err != nil { // so that few increments come upon a tombstone
			return err
		}
	}
	pieces := slices.Clone(saltOf(d.state.Document, key).Suffixes[1:])
	if len(pieces) == 0 {
		return nil
	}
	// From here on there is no way back to these pieces.
	if err := d.write(ctx, key, func(s *routing.Salt) {
		s.Tombstones = append(s.Tombstones, slices.DeleteFunc(pieces, func(p uint32) bool { return slices.Contains(s.Tombstones, p) })...)
	}); err != nil {
		return err
	}
	for c.router.Status().Version < d.state.Document.Version {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	if err := c.fold(ctx, key); err != nil {
		return err
	}
	return d.write(ctx, key, func(s *routing.Salt) { s.Suffixes, s.Read = []uint32{0}, 1 })
}

// saltOf is how a key is spread.
func saltOf(d *routing.Document, key string) routing.Salt {
	for _, s := range d.Salts {
		if s.Key == key {
			return s
		}
	}
	return routing.Salt{Key: key, Suffixes: []uint32{0}, Read: 1, Write: 1}
}

// write changes the salt of a key by one write of the document.
func (d *decider) write(ctx context.Context, key string, change func(s *routing.Salt)) error {
	next := d.state.Next()
	salt := saltOf(next.Document, key)
	change(&salt)
	next.Document.Salts = slices.DeleteFunc(next.Document.Salts, func(s routing.Salt) bool { return s.Key == key })
	next.Document.Salts = append(next.Document.Salts, salt)
	if _, err := d.store.Write(ctx, d.state.At(), next); err != nil {
		return err
	}
	d.state = next
	return nil
}

// confirmed waits until all live clients hold the document, and for so long at least from when its head can be read.
func (d *decider) confirmed(ctx context.Context, least time.Duration) error {
	var shown time.Time // when the head was seen to be written; zero = not yet
	for {
		if shown.IsZero() {
			if _, err := d.store.Load(ctx); err != nil { // which writes a head that is owed
				return err
			}
			head, err := d.source.Head(ctx)
			if err != nil {
				return err
			}
			if head.Version >= d.state.Document.Version {
				shown = time.Now()
			}
		}
		listed, err := d.store.Confirmations(ctx)
		if err != nil {
			return err
		}
		now := time.Now()
		d.roll.Observe(now, listed)
		if err := d.store.Count(ctx, d.roll.Live(now)); err != nil {
			return err
		}
		if !shown.IsZero() && now.Sub(shown) >= least && len(d.roll.Behind(now, d.state.Document.Version)) == 0 {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// pause waits half a second, less where ctx ends.
func pause(ctx context.Context) error {
	select {
	case <-time.After(500 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
