package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"firebreak/pipeline/kafka"
)

// memoryJournal is the journal of a process that is alone: entries are read back once, and kept nowhere.
type memoryJournal struct {
	mu   sync.Mutex // writers and the one follower
	wait chan struct{}
	read atomic.Int64 // up to which it was followed
	next int64
	kept []kafka.Entry // not followed yet
}

func newMemoryJournal() *memoryJournal { return &memoryJournal{wait: make(chan struct{}, 1)} }

// Append implements ownLog.
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

// End implements ownLog.
func (m *memoryJournal) End(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.next, nil
}

// Follower implements ownLog.
func (m *memoryJournal) Follower(kafka.Start) logFollower { return m }

// Run implements logFollower.
func (m *memoryJournal) Run(ctx context.Context, fn func(kafka.Entry) error) error {
	for {
		m.mu.Lock()
		entries := m.kept
		m.kept = nil
		m.mu.Unlock()
		for _, e := range entries {
			if err := fn(e); err != nil {
				return err
			}
			m.read.Store(e.Offset + 1)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wait:
		}
	}
}

// Position implements logFollower.
func (m *memoryJournal) Position() int64 { return m.read.Load() }
