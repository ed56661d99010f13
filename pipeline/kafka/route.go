package kafka

import (
	"context"
	"fmt"
	"time"

	"firebreak/pipeline"
)

// Tell appends an entry to the log of deltas that is made of the state as it stands, at a moment of the log's time: see
// [pipeline.Live.Route]. Nothing is written where there is no entry to write, nor before this member has read the log.
func (m *Member) Tell(ctx context.Context, entry func(live *pipeline.Live, now time.Time) ([]byte, error)) (written bool, err error) {
	m.mu.Lock()
	if m.live == nil || !m.clock.set() {
		m.mu.Unlock()
		return false, nil
	}
	b, err := entry(m.live, m.clock.log())
	m.mu.Unlock()
	if err != nil || b == nil {
		return false, err
	}
	if _, err := m.deltas.Append(ctx, b); err != nil {
		return false, fmt.Errorf("log of deltas: %w", err)
	}
	return true, nil
}
