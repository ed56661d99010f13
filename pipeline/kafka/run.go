package kafka

import (
	"context"
	"sync"
	"time"
)

// crew is goroutines that work for one member. The first that fails before its context ends stops all that the member does.
type crew struct {
	sync.WaitGroup

	stop context.CancelCauseFunc
}

func (c *crew) run(ctx context.Context, what func(context.Context) error) {
	c.Go(func() {
		if err := what(ctx); err != nil && ctx.Err() == nil {
			c.stop(err)
		}
	})
}

// Run counts, follows and decides until ctx ends; then it publishes what is left and leaves the groups, all of it within partWait.
// Only what cannot be waited for is an error.
func (m *Member) Run(ctx context.Context) error {
	rest, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // outlives the consumers, which need it to leave
	defer stop(nil)
	consuming, end := context.WithCancel(ctx)
	defer end()
	context.AfterFunc(rest, end)
	last, done := parting(consuming)
	defer done()
	context.AfterFunc(last, m.cut)
	others := &crew{stop: stop}
	if m.cfg.Alone {
		m.position.Store(0)
		if err := m.begin(rest); err != nil {
			m.Close()
			return err
		}
	} else {
		others.run(rest, m.watch)
		others.run(rest, m.seat.run)
	}
	others.run(rest, m.housekeep)
	for _, c := range m.consumers {
		if c.schemas != nil {
			others.run(rest, c.schemas.Run)
		}
	}
	counting := &crew{stop: stop}
	m.count(consuming, last, counting)
	<-consuming.Done()
	counting.Wait()
	m.leave(last)
	cause := context.Cause(rest)
	stop(context.Canceled)
	others.Wait()
	if log, ok := m.deltas.(*Log); ok {
		log.Close()
	}
	return cause
}

// count starts the consumers, see consumer.run.
func (m *Member) count(ctx, last context.Context, counting *crew) {
	for i, c := range m.consumers {
		names := m.cfg.Clusters[i].Topics
		if m.cfg.Alone {
			counting.run(ctx, func(ctx context.Context) error { return c.takeAll(ctx, names) })
		}
		counting.run(ctx, func(ctx context.Context) error { return c.run(ctx, last) })
		counting.run(ctx, func(ctx context.Context) error { return c.lookAfter(ctx, names) })
	}
}

// leave leaves the groups: that of the consumers first, so that who decides has their last deltas.
func (m *Member) leave(ctx context.Context) {
	var leaving sync.WaitGroup
	for _, c := range m.consumers {
		leaving.Go(func() { c.leave(ctx) })
	}
	leaving.Wait()
	if m.seat != nil {
		m.seat.leave(ctx)
	}
}

// leave publishes what is left and leaves the group, until ctx ends.
func (c *consumer) leave(ctx context.Context) {
	if c.lease == nil {
		c.mu.Lock()
		if c.tick != nil && c.tick.Parts() > 0 && !c.reseek {
			c.send(ctx)
		}
		c.mu.Unlock()
	}
	c.client.AllowRebalance()
	_ = c.client.LeaveGroupContext(ctx) // gives the partitions up, see revoked; what fails, the session ends
	c.client.Close()
}

// partWait is how long a member that is to end may take for all of it: the delta under way, the last one, and leaving its groups,
// from which the others learn at once what they would learn by its session else. Brokers that answer nothing keep it that long.
const partWait = 10 * time.Second

// parting is a context that ends partWait after another one.
func parting(ctx context.Context) (last context.Context, done context.CancelFunc) {
	last, done = context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		timer := time.NewTimer(partWait)
		defer timer.Stop()
		select {
		case <-timer.C:
			done()
		case <-last.Done():
		}
	})
	return last, done
}
