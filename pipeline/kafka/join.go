package kafka

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"

	"firebreak/pipeline"
)

// find looks for where a joiner starts: at the beginning of a log that is there from its beginning and is young; else at the
// newest checkpoint that is older than the longest window, or the oldest there is. An instance that finds none writes how
// the log begins.
func (m *Member) find(ctx context.Context, log *Log) (*pipeline.Checkpoint, Start, error) {
	window := time.Duration(0)
	for i := range m.cfg.Fleets {
		window = max(window, m.cfg.Fleets[i].Window)
	}
	for _, from := range []Start{Since(m.clock.now().Add(-window - 2*checkpointEvery)), Oldest()} {
		c, whole, err := m.first(ctx, log, from)
		switch {
		case err != nil:
			return nil, Start{}, err
		case whole:
			return nil, At(0), nil
		case c != nil:
			return c, At(c.Offset), nil
		}
	}
	if _, err := log.Append(ctx, pipeline.Genesis(newSeed())); err != nil {
		return nil, Start{}, err
	}
	return nil, Oldest(), nil
}

// newSeed draws the seed of a group's hashes.
func newSeed() uint64 {
	seed := make([]byte, 8)
	_, _ = rand.Read(seed) // never fails
	return binary.LittleEndian.Uint64(seed)
}

// errFound ends a search.
var errFound = errors.New("found")

// first finds the first checkpoint from a place on; nil if there is none up to the end. whole says that the log from there
// on is all that there ever was of it.
func (m *Member) first(ctx context.Context, log *Log, from Start) (found *pipeline.Checkpoint, whole bool, err error) {
	end, err := log.End(ctx)
	if err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := log.Follower(from)
	go func() { // the end may be reached without an entry
		await(ctx, func() bool { return f.Position() >= end })
		cancel()
	}()
	err = f.Run(ctx, func(e Entry) error {
		if whole = e.Offset == 0 && pipeline.IsGenesis(e.Value); whole {
			return errFound
		}
		if pipeline.IsCheckpoint(e.Value) {
			if c, err := pipeline.DecodeCheckpoint(e.Value); err == nil {
				found = c
				return errFound
			}
		}
		if e.Offset+1 >= end {
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) || errors.Is(err, context.Canceled) && f.Position() >= end {
		return found, whole, nil
	}
	return nil, false, err
}

// caughtUp waits until the log of deltas is applied to its end as it is now, and the broker's clock is known.
func (m *Member) caughtUp(ctx context.Context) error {
	end, err := m.deltas.End(ctx)
	if err != nil {
		return err
	}
	if !await(ctx, func() bool { return m.applied(end) && m.clock.set() }) {
		return ctx.Err()
	}
	return nil
}

// applied tells whether the log of deltas, which has begun, is applied to an end.
func (m *Member) applied(end int64) bool {
	v := m.view.Load()
	return v != nil && v.Seeded && m.position.Load() >= end
}

// awaitEvery is how often it is looked whether what is waited for holds.
const awaitEvery = 20 * time.Millisecond

// await waits until something holds, and is false if ctx ends before.
func await(ctx context.Context, holds func() bool) bool {
	t := time.NewTicker(awaitEvery)
	defer t.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
		}
	}
	return true
}
