package kafka

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline"
)

// watch follows the log of deltas. A log that was made anew, or that lost its end or what we had yet to read, is begun again,
// and brokers that do not answer are waited for. Its error is one of the configuration.
func (m *Member) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		err := m.follow(ctx)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errState):
			return err
		case errors.Is(err, ErrRecreated), errors.Is(err, ErrTruncated):
			m.log.Warn("the log of deltas is another one; starting over", zap.Error(err))
		default:
			m.log.Warn("the log of deltas cannot be read yet", zap.Error(err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

// errState says that no state can be made of the log of deltas.
var errState = errors.New("the log of deltas cannot be counted")

// follow begins where a joiner may, and applies every entry.
func (m *Member) follow(ctx context.Context) error {
	log, ok := m.deltas.(*Log)
	if !ok {
		return nil
	}
	id, err := log.ID(ctx)
	if err != nil {
		return err
	}
	c, start, err := m.find(ctx, log)
	if err != nil {
		return err
	}
	live, err := pipeline.NewLive(m.cfg.Fleets, m.cfg.Sink)
	if err == nil && c != nil {
		err = live.Restore(c)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	m.mu.Lock()
	m.live = live
	m.mu.Unlock()
	m.position.Store(0)
	m.atEnd.Store(0)
	m.view.Store(live.View())
	hello := newInstance()
	greeting := pipeline.Hello(hello)
	m.clock.sent(hello, 0)
	if _, err := log.Append(ctx, greeting); err != nil {
		return err
	}
	return log.Follow(ctx, start.Of(id), func(e Entry) error {
		if bytes.Equal(e.Value, greeting) { // what is before it is as old as the checkpoint
			m.clock.seen(hello, 0, e.Time)
		}
		if err := m.apply(e); err != nil {
			return fmt.Errorf("%w: %w", errState, err)
		}
		return nil
	})
}

// apply takes one entry.
func (m *Member) apply(e Entry) error {
	m.mu.Lock()
	out, err := m.live.Apply(e.Offset, m.clock.ofLog(e.Time), e.Value)
	if err != nil {
		m.mu.Unlock()
		return err
	}
	view := m.live.View()
	m.mu.Unlock()
	m.view.Store(view)
	m.position.Store(e.Offset + 1)
	m.cfg.Observe.Entry(&out, len(e.Value))
	if !out.Delta {
		return nil
	}
	for _, c := range m.consumers {
		if c.id != out.By {
			continue
		}
		m.clock.seen(out.By, out.Number, e.Time)
		select {
		case c.outcomes <- out:
		default: // it has stopped listening and will start over
		}
	}
	return nil
}

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
	seed := make([]byte, 8)
	_, _ = rand.Read(seed) // never fails
	if _, err := log.Append(ctx, pipeline.Genesis(binary.LittleEndian.Uint64(seed))); err != nil {
		return nil, Start{}, err
	}
	return nil, Oldest(), nil
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
		for ctx.Err() == nil && f.Position() < end {
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
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

// caughtUp waits until the log of deltas is applied to its end as it is now.
func (m *Member) caughtUp(ctx context.Context) error {
	end, err := m.deltas.End(ctx)
	if err != nil {
		return err
	}
	for {
		if v := m.view.Load(); v != nil && v.Seeded && m.position.Load() >= end && m.clock.set() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// housekeep looks every tick whether we are at the log's end, judges silence, and writes the decider's checkpoints.
func (m *Member) housekeep(ctx context.Context) error {
	t := time.NewTicker(m.cfg.Tick)
	defer t.Stop()
	written, news := time.Time{}, false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		if err := m.silence(ctx); err != nil {
			return err
		}
		m.mu.Lock()
		news = m.live != nil && m.live.News() || news
		m.mu.Unlock()
		if _, ok := m.Decider(); ok && !m.cfg.Alone && (news || time.Since(written) >= checkpointEvery) {
			written, news = time.Now(), false
			if err := m.checkpoint(ctx); err != nil {
				m.log.Warn("checkpoint", zap.Error(err))
			}
		}
	}
}

// silence looks whether we are at the log's end, and judges that nothing comes. A joiner that has yet to read the log does
// not know; who has been at its end once and can read it no more, or ask, is as blind as where nothing is written.
func (m *Member) silence(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, endsWait)
	end, err := m.deltas.End(wait)
	cancel()
	if err == nil && m.reached(ctx, end) {
		m.atEnd.Store(time.Now().UnixNano())
	}
	if m.atEnd.Load() == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		return nil
	}
	return m.live.Silent(m.clock.log())
}

// reached waits for half a tick until the log is applied to an end: what was appended a moment before it was asked for, as our own
// delta is every tick, is still on its way.
func (m *Member) reached(ctx context.Context, end int64) bool {
	t := time.NewTicker(20 * time.Millisecond)
	defer t.Stop()
	for asked := time.Now(); ; {
		if v := m.view.Load(); v != nil && v.Seeded && m.position.Load() >= end {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
			if time.Since(asked) > m.cfg.Tick/2 {
				return false
			}
		}
	}
}

// checkpoint appends the state as it stands.
func (m *Member) checkpoint(ctx context.Context) error {
	m.mu.Lock()
	if m.live == nil { // it decides already, and has yet to read the log
		m.mu.Unlock()
		return nil
	}
	m.live.TakeOver()
	b, err := m.live.Checkpoint()
	m.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = m.deltas.Append(ctx, b)
	return err
}

// Decider tells whether this process decides now, and its epoch: it owns the one partition of the small group, that group's
// coordinator answers, and the log of deltas is applied to its end.
func (m *Member) Decider() (epoch int32, ok bool) {
	if m.cfg.Alone {
		return 0, true
	}
	epoch, ok = m.decider.owns()
	return epoch, ok && time.Since(time.Unix(0, m.atEnd.Load())) < 3*m.cfg.Tick
}

// Owner tells whether this process is the decider as far as it knows, although it may not see the log to its end, or not
// reach anybody: it may still say that it is blind. Who lost the group is it until the group says whose it is.
func (m *Member) Owner() bool {
	return m.cfg.Alone || m.decider.owner.Load() || m.decider.orphan.Load()
}

// Current tells whether the log of deltas was applied to its end within the last ticks.
func (m *Member) Current() bool {
	return m.cfg.Alone || time.Since(time.Unix(0, m.atEnd.Load())) < 3*m.cfg.Tick
}
