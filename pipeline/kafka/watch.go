package kafka

import (
	"bytes"
	"context"
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
	m.tell(&out)
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

// tell logs what an entry says that somebody should look into. Everything else of it is the Observer's.
func (m *Member) tell(out *pipeline.Outcome) {
	if out.Foreign > 0 && m.foreign.Say() {
		m.log.Warn("another instance counts a fleet in another way; what it counts is missing here", zap.Int("fleets", out.Foreign))
	}
	if out.Crowded > 0 && m.crowded.Say() {
		m.log.Warn("a part of a delta has no room here, or cannot be read; the coverage is lower", zap.Int("panes", out.Crowded))
	}
	if out.Unrouted != nil && m.unrouted.Say() {
		m.log.Error("a fleet is not judged by the routing that is stored", zap.Error(out.Unrouted))
	}
	m.forgot(out.Forgotten)
}

// forgot says that the group's memory of watching could not be taken over: hotspots get new ids, and runs begin anew.
func (m *Member) forgot(why error) {
	if why != nil {
		m.log.Error("what the group remembers of its watching cannot be read; watching begins anew", zap.Error(why))
	}
}
