package kafka

import (
	"context"
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline"
)

// Times of a consumer.
const (
	confirmWait = 15 * time.Second // for the follower to see a delta of ours
	revokeWait  = 4 * time.Second  // the same while partitions are being given up
	appendWait  = 8 * time.Second
	endsWait    = 5 * time.Second
)

// ready makes the tick once the seed of the group is known, and makes it anew where that is another one.
func (c *consumer) ready() bool {
	v := c.view()
	if v == nil || !v.Seeded {
		return false
	}
	if c.tick == nil || c.seed != v.Seed {
		tick, err := pipeline.NewTick(c.id, c.cfg.Fleets, v.Seed, c.observe.Refused)
		if err != nil {
			c.log.Error("cannot count", zap.Error(err))
			return false
		}
		if c.schemas != nil {
			tick.Learn(c.schemas)
		}
		if c.tick, c.seed = tick, v.Seed; len(c.owned) > 0 {
			c.startOver(nil)
		}
	}
	c.tick.Sync(v, c.horizon())
	return true
}

// horizon is the moment beyond which a record is from the future, before its fleet's skew.
func (c *consumer) horizon() int64 { return c.clock.log().UnixNano() }

// turn ends a tick: what was parked is offered again, and the delta is published if none is in flight.
func (c *consumer) turn(ctx context.Context) {
	c.settle()
	if !c.ready() || c.reseek {
		return
	}
	c.readmit()
	c.unpark(ctx)
	if c.inflight != 0 {
		if time.Since(c.since) > confirmWait {
			c.log.Warn("a delta of ours did not come back; starting over")
			c.startOver(nil)
		}
		return
	}
	if c.tick.Parts() > 0 {
		c.send(ctx)
	}
}

// publish seals the tick and waits until it is confirmed. It is false if everything starts over.
func (c *consumer) publish(ctx context.Context) bool {
	if c.inflight != 0 && !c.confirmed(ctx, confirmWait) {
		return false
	}
	return c.send(ctx) && c.confirmed(ctx, confirmWait)
}

// send seals the tick and appends its delta. It is false if everything starts over.
func (c *consumer) send(ctx context.Context) bool {
	if !c.leased() {
		return false
	}
	began := time.Now()
	ends := c.ends(ctx)
	if !c.leased() { // it may have taken a while
		return false
	}
	sealed, err := c.tick.Seal(func(p pipeline.Partition) int64 {
		if end, ok := ends[p]; ok {
			return end
		}
		return -1
	})
	if err != nil {
		c.log.Error("the delta was dropped", zap.Error(err))
		c.startOver(nil)
		return false
	}
	c.thin(sealed.Ranges)
	c.tick.Stats(func(fleet string, stats *pipeline.Stats, refused []uint64) {
		c.observe.Counted(c.cluster, fleet, stats, refused)
	})
	c.inflight, c.since, c.sealed = sealed.Number, time.Now(), sealed.Ranges
	wait, cancel := context.WithTimeout(ctx, appendWait)
	defer cancel()
	c.clock.sent(c.id, sealed.Number)
	if err := c.append(wait, sealed.Entry); err != nil {
		c.log.Warn("the delta could not be appended; starting over", zap.Error(err))
		c.startOver(nil)
		return false
	}
	c.observe.Published(c.cluster, len(sealed.Entry), time.Since(began))
	return true
}

// leased tells whether we may publish. Everything starts over if not.
func (c *consumer) leased() bool {
	if c.lease == nil || c.lease.holds() {
		return true
	}
	c.log.Warn("no heartbeat was answered within the session: nothing is published")
	c.startOver(nil)
	return false
}

// ends asks for the ends of the owned partitions. Those that are not known now are left out.
func (c *consumer) ends(ctx context.Context) map[pipeline.Partition]int64 {
	names := map[string]bool{}
	for _, o := range c.owned {
		names[o.topic] = true
	}
	all := make(map[pipeline.Partition]int64, len(c.owned))
	ctx, cancel := context.WithTimeout(ctx, endsWait)
	defer cancel()
	for topic := range names {
		listed, err := c.adm.ListCommittedOffsets(ctx, topic)
		if err != nil {
			continue
		}
		for number, l := range listed[topic] {
			if l.Err == nil {
				all[pipeline.Partition{Topic: c.topics[topic].ID, Number: number}] = l.Offset
			}
		}
	}
	return all
}
