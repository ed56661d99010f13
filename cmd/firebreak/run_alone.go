package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"firebreak/pipeline/kafka"
)

// memoryJournal is the journal of a process that is alone: entries are read back once, and kept nowhere.
type memoryJournal struct {
	mu   sync.Mutex // writers and the one follower
	wait chan struct{}
	next int64
	kept []kafka.Entry // not followed yet
}

func newMemoryJournal() *memoryJournal { return &memoryJournal{wait: make(chan struct{}, 1)} }

// Append implements journalLog.
func (m *memoryJournal) Append(_ context.Context, values ...[]byte) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := m.next
	for _, v := range values {
		m.kept = append(m.kept, kafka.Entry{Offset: m.next, Time: time.Now(), Value: slices.Clone(v)})
		m.next++
	}
	select {
	case m.wait <- struct{}{}:
	default:
	}
	return first, nil
}

// End implements journalLog.
func (m *memoryJournal) End(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.next, nil
}

// Follow implements journalLog.
func (m *memoryJournal) Follow(ctx context.Context, _ kafka.Start, fn func(kafka.Entry) error) error {
	for {
		m.mu.Lock()
		entries := m.kept
		m.kept = nil
		m.mu.Unlock()
		for _, e := range entries {
			if err := fn(e); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wait:
		}
	}
}
