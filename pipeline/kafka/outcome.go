package kafka

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
)

// settle takes the fates of our deltas that are known by now.
func (c *consumer) settle() {
	for {
		select {
		case out := <-c.outcomes:
			c.outcome(out)
		default:
			return
		}
	}
}

// confirmed waits for the fate of the delta in flight, also when we are about to end. It is false if everything starts over:
// also where that delta was accepted, and the log of deltas was then made anew. What is at hand, a Part or records that were
// polled, is of another tick then.
func (c *consumer) confirmed(ctx context.Context, most time.Duration) bool {
	wait, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for c.inflight != 0 {
		select {
		case out := <-c.outcomes:
			if !c.outcome(out) {
				return false
			}
		case <-wait.Done():
			c.log.Warn("a delta of ours did not come back; starting over")
			c.startOver(nil)
			return false
		}
	}
	if !c.ready() && !c.reseek {
		c.startOver(nil)
	}
	return !c.reseek
}

// outcome takes the fate of one delta of ours. It is false if everything starts over.
func (c *consumer) outcome(out pipeline.Outcome) bool {
	if out.Number != c.inflight {
		return true // of before we started over
	}
	c.inflight = 0
	if out.Accepted {
		for i := range c.sealed {
			r := &c.sealed[i]
			o := c.owned[r.Partition]
			if o == nil {
				continue
			}
			if o.from = r.To; r.Skipped > 0 {
				c.observe.Skipped(c.cluster+"/"+o.topic, r.Why, r.Skipped)
			}
		}
		return true
	}
	c.log.Info("a delta of ours was rejected", zap.String("why", out.Why), zap.Int("partitions", len(out.Mismatched)))
	c.startOver(out.Mismatched)
	return false
}

// startOver drops what is counted and not confirmed. Partitions that another counted on are left alone for now; the others
// start where the log says they were counted to.
func (c *consumer) startOver(mismatched []pipeline.Partition) {
	c.inflight = 0
	if c.tick != nil {
		if err := c.tick.Discard(); err != nil {
			c.log.Error("cannot count", zap.Error(err))
			c.tick = nil
		}
	}
	for _, o := range c.owned {
		o.parked = nil
	}
	for _, p := range mismatched {
		if o := c.owned[p]; o != nil {
			o.excluded, o.still, o.counted = true, 0, -1
		}
	}
	c.reseek = true
}

// seek sets positions anew after everything was dropped. It is called between a poll and AllowRebalance.
func (c *consumer) seek() {
	if !c.reseek || !c.ready() {
		return
	}
	c.reseek = false
	v := c.view()
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for id, o := range c.owned {
		if o.excluded {
			c.pause(id, o)
			continue
		}
		known, ok := v.Counted[id]
		if !ok {
			known.To = o.from
		}
		c.assign(id, o, known.To, known, ok)
		if offsets[o.topic] == nil {
			offsets[o.topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[o.topic][id.Number] = kgo.EpochOffset{Epoch: -1, Offset: known.To}
	}
	c.client.SetOffsets(offsets)
	for id, o := range c.owned {
		if !o.excluded {
			c.resume(id, o)
		}
	}
}

// readmit takes up excluded partitions that nobody has counted for two ticks.
func (c *consumer) readmit() {
	v := c.view()
	for id, o := range c.owned {
		if !o.excluded {
			continue
		}
		known, ok := v.Counted[id]
		if !ok {
			known.To = o.from
		}
		if known.To != o.counted {
			o.still, o.counted = 0, known.To
			continue
		}
		if o.still++; o.still >= 2 {
			o.excluded = false
			c.assign(id, o, known.To, known, ok)
			c.set(id, o, known.To)
			c.resume(id, o)
		}
	}
}
