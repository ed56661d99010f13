package kafka

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
)

// localLog is the log of deltas of a process that counts alone: an entry is applied as it is appended, and kept nowhere.
type localLog struct {
	mu    lock // consumers of several clusters append
	next  int64
	apply func(Entry) error
}

// Append implements deltaLog.
func (l *localLog) Append(_ context.Context, values ...[]byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.next
	for _, v := range values {
		if err := l.apply(Entry{Offset: l.next, Time: time.Now(), Value: v}); err != nil {
			return 0, err
		}
		l.next++
	}
	return first, nil
}

// End implements deltaLog.
func (l *localLog) End(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next, nil
}

// begin makes the state of a process that counts alone.
func (m *Member) begin(ctx context.Context) error {
	live, err := pipeline.NewLive(m.cfg.Fleets, m.cfg.Sink)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.live = live
	m.mu.Unlock()
	_, err = m.deltas.Append(ctx, pipeline.Genesis(newSeed()))
	return err
}

// takeAll assigns all partitions of the topics to us, and those that they grow by.
func (c *consumer) takeAll(ctx context.Context, names []string) error {
	for ctx.Err() == nil {
		_ = c.takeNew(ctx, names) // what fails is tried again
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (c *consumer) takeNew(ctx context.Context, names []string) error {
	found, err := c.describe(ctx, names)
	if err != nil {
		return err
	}
	c.renew(found)
	fresh := map[string]map[int32]kgo.Offset{}
	c.mu.Lock()
	for name, t := range found {
		for n := range t.Partitions {
			if c.owned[pipeline.Partition{Topic: t.ID, Number: n}] == nil {
				if fresh[name] == nil {
					fresh[name] = map[int32]kgo.Offset{}
				}
				fresh[name][n] = kgo.NewOffset()
			}
		}
	}
	c.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	at, err := c.adjust(ctx, fresh)
	if err != nil {
		return err
	}
	c.client.AddConsumePartitions(at)
	return nil
}
