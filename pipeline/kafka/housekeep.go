package kafka

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
)

// checkpointEvery is how often the decider writes one, besides when there is news.
const checkpointEvery = 30 * time.Second

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
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Tick/2)
	defer cancel()
	return await(ctx, func() bool { return m.applied(end) })
}

// checkpoint appends the state as it stands, and beside it the documents that fleets are judged by: a joiner begins there.
func (m *Member) checkpoint(ctx context.Context) error {
	m.mu.Lock()
	if m.live == nil { // it decides already, and has yet to read the log
		m.mu.Unlock()
		return nil
	}
	forgotten := m.live.TakeOver()
	b, err := m.live.Checkpoint()
	routes, routed := m.live.Routes()
	m.mu.Unlock()
	m.forgot(forgotten)
	if err := errors.Join(err, routed); err != nil {
		return err
	}
	_, err = m.deltas.Append(ctx, append([][]byte{b}, routes...)...)
	return err
}

// Decider tells whether this process decides now: it owns the one partition of the small group, that group's coordinator answers,
// and the log of deltas is applied to its end. generation is that of the group, 0 if it is alone; the journal's epoch is another.
func (m *Member) Decider() (generation int32, ok bool) {
	if m.cfg.Alone {
		return 0, true
	}
	generation, ok = m.seat.owns()
	return generation, ok && time.Since(time.Unix(0, m.atEnd.Load())) < 3*m.cfg.Tick
}

// Owner tells whether this process is the decider as far as it knows, although it may not see the log to its end, or not
// reach anybody: it may still say that it is blind. Who lost the group is it until the group says whose it is.
func (m *Member) Owner() bool {
	return m.cfg.Alone || m.seat.owner.Load() || m.seat.orphan.Load()
}

// Current tells whether the log of deltas was applied to its end within the last ticks.
func (m *Member) Current() bool {
	return m.cfg.Alone || time.Since(time.Unix(0, m.atEnd.Load())) < 3*m.cfg.Tick
}
