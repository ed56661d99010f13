package kafka

import (
	"context"

	"firebreak/pipeline"
)

// State is what this process has in hand at a moment.
type State struct {
	Owned     map[string]int   // partitions that it counts, by topic, "cluster/topic"
	Thin      map[string]uint8 // of the most thinned of them: one record in 2^k is counted
	Thinly    map[string]int   // how many of them are thinned
	Unapplied int64            // entries of the log of deltas that are not applied yet; -1 = the log cannot be asked
}

// State asks for it. Metrics do now and then.
func (m *Member) State(ctx context.Context) State {
	s := State{Owned: map[string]int{}, Thin: map[string]uint8{}, Thinly: map[string]int{}, Unapplied: -1}
	for _, c := range m.consumers {
		c.mu.Lock()
		for _, o := range c.owned {
			topic := c.cluster + "/" + o.topic
			s.Owned[topic]++
			if o.thin.level > 0 {
				s.Thinly[topic]++
				s.Thin[topic] = max(s.Thin[topic], o.thin.level)
			}
		}
		c.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, endsWait)
	defer cancel()
	if end, err := m.deltas.End(ctx); err == nil {
		s.Unapplied = max(0, end-m.position.Load())
	}
	return s
}

// Owned is how many partitions of request logs this process counts. It asks nobody.
func (m *Member) Owned() (partitions int) {
	for _, c := range m.consumers {
		c.mu.Lock()
		partitions += len(c.owned)
		c.mu.Unlock()
	}
	return partitions
}

// Sketched gives what the window of a fleet costs, see pipeline.Live.Sketched.
func (m *Member) Sketched(fleet string) (bytes int, unlisted float64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		return 0, 0, false
	}
	return m.live.Sketched(fleet)
}

// Ask gives what a key, or a tenant, has in the window of a fleet, see pipeline.Live.Ask; false as long as there is no window.
func (m *Member) Ask(fleet string, tenant, key []byte) (a pipeline.Answer, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		return a, false, nil
	}
	a, err = m.live.Ask(fleet, tenant, key)
	return a, true, err
}
