package kafka

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
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
	if c.inflight != 0 && !c.confirmed(confirmWait) {
		return false
	}
	return c.send(ctx) && c.confirmed(confirmWait)
}

// send seals the tick and appends its delta. It is false if everything starts over.
func (c *consumer) send(ctx context.Context) bool {
	if c.lease != nil && !c.lease.holds() {
		c.log.Warn("no heartbeat was answered within the session: nothing is published")
		c.startOver(nil)
		return false
	}
	began := time.Now()
	ends := c.ends(ctx)
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
	most := appendWait
	if end, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(end))
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
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

// thin looks how far behind each partition is.
func (c *consumer) thin(ranges []pipeline.Range) {
	now := c.clock.log().UnixNano()
	for i := range ranges {
		r := &ranges[i]
		o, part := c.owned[r.Partition], c.tick.Part(r.Partition)
		if o == nil || part == nil || r.End < 0 || r.Time == record.NoTime || len(o.parked) > 0 {
			continue
		}
		if r.Records == 0 && r.To < r.End {
			continue // what cannot be read at all is not read any faster for being sampled
		}
		before := o.thin.level
		if level := o.thin.turn(r.End-r.To, time.Duration(now-r.Time)); level != before {
			part.Thin(level)
			c.log.Warn("partition is sampled", zap.String("topic", o.topic), zap.Int32("partition", r.Number), zap.Int("one_in", 1<<level))
		}
	}
}

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

// confirmed waits for the fate of the delta in flight, also when we are about to end. It is false if everything starts over.
func (c *consumer) confirmed(most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	for c.inflight != 0 {
		select {
		case out := <-c.outcomes:
			if !c.outcome(out) {
				return false
			}
		case <-timer.C:
			c.log.Warn("a delta of ours did not come back; starting over")
			c.startOver(nil)
			return false
		}
	}
	c.ready()
	return true
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

// assign begins to count a partition.
func (c *consumer) assign(id pipeline.Partition, o *owned, from int64, known pipeline.Progress, ok bool) {
	var p *pipeline.Progress
	if ok {
		p = &known
		o.thin.level = known.Thin
	}
	o.from = from
	c.tick.Assign(c.topics[o.topic], id.Number, from, p)
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
