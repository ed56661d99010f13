package kafka

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/pipeline/registry"
)

// consumer counts the partitions of one cluster that this process has, and publishes a delta of them every tick:
//
//	poll -> Tick -> seal -> append to the log of deltas -> (the follower sees it) accepted, or start over
//
// Rules, each of which was seen to be needed:
//
//  1. A range begins where the tick began, and where the log says the partition was counted to; never at a record.
//  2. At most one delta is in flight. The next tick is counted meanwhile, and dropped with it if it is rejected.
//  3. After a rejection everything is dropped. Partitions that another counted on are left alone until that has stood
//     still for two ticks; the others start over at once.
//  4. Positions are set between a poll and AllowRebalance, and nothing that was polled before is counted after.
//  5. Before partitions are given up the tick is published and confirmed, in a bounded time, or dropped whole.
//  6. Without a lease nothing is published.
type consumer struct {
	cfg      *MemberConfig
	cluster  string
	log      *zap.Logger
	client   *kgo.Client
	adm      *kadm.Client
	append   func(ctx context.Context, delta []byte) error
	schemas  *registry.Asker // of the cluster's registry; nil = it has none
	view     func() *pipeline.View
	clock    *clock
	outcomes chan pipeline.Outcome // of our own deltas
	lease    *lease                // nil = the partitions are assigned by hand: nobody else wants them
	observe  Observer

	mu       lock // what follows: the poll loop has it while it works, the group's callbacks when that does not
	id       pipeline.Instance
	tick     *pipeline.Tick
	seed     uint64 // that it counts with
	owned    map[pipeline.Partition]*owned
	topics   map[string]pipeline.Topic // by topic name
	inflight uint64                    // number of the delta whose fate is unknown; 0 = none
	since    time.Time                 // when it was appended
	sealed   []pipeline.Range          // of that delta
	reseek   bool                      // what is polled next was fetched from where we were before
	message  record.Message
	told     time.Time     // when the client was last said to fail
	look     chan struct{} // asks for a look at the topics
}

// owned is a partition that is ours.
type owned struct {
	topic    string
	parked   []*kgo.Record // too far ahead of the other partitions, or of a schema that is being asked for
	paused   bool
	excluded bool      // another counted on: left alone
	still    int       // ticks since counted stood still, while it is excluded
	counted  int64     // then
	from     int64     // up to where our counting is confirmed: there it goes on where the log of deltas knows nothing
	told     time.Time // when an error of it was logged
	thin     thinner
}

// newInstance draws the name of one life of a process.
func newInstance() (id pipeline.Instance) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// run counts until ctx ends, then publishes what is left and leaves.
func (c *consumer) run(ctx context.Context) error {
	next := time.Now().Add(c.cfg.Tick)
	for ctx.Err() == nil {
		wait, cancel := context.WithDeadline(ctx, next)
		fetches := c.client.PollRecords(wait, MaxPolled)
		cancel()
		if fetches.IsClientClosed() {
			return errors.New("kafka client closed")
		}
		c.mu.Lock()
		c.take(ctx, fetches)
		if !time.Now().Before(next) {
			c.turn(ctx)
			next = time.Now().Add(c.cfg.Tick)
		}
		c.seek()
		c.mu.Unlock()
		c.client.AllowRebalance()
		if fetches.NumRecords() == 0 && failure(fetches) != nil { // or the same is asked as fast as it is answered
			select {
			case <-ctx.Done():
			case <-time.After(followPause):
			}
		}
	}
	return nil
}

// take counts what a poll gave.
func (c *consumer) take(ctx context.Context, fetches kgo.Fetches) {
	c.settle()
	c.groupErrors(fetches)
	if !c.ready() || c.reseek {
		c.reseek = c.reseek || fetches.NumRecords() > 0 // what was polled is gone
		return
	}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		id := pipeline.Partition{Topic: c.topics[p.Topic].ID, Number: p.Partition}
		o := c.owned[id]
		if o == nil || o.excluded || c.reseek || c.tick.Part(id) == nil {
			return
		}
		c.offer(ctx, id, o, p.Records)
		if p.Err != nil && !errors.Is(p.Err, context.DeadlineExceeded) && !errors.Is(p.Err, context.Canceled) {
			c.failed(ctx, id, o, p.Err)
		}
	})
}

// groupErrors tells what the client says of no partition: that it cannot join, or reach anybody.
func (c *consumer) groupErrors(fetches kgo.Fetches) {
	for _, e := range fetches.Errors() {
		if e.Topic == "" && !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) {
			if time.Since(c.told) > tellEvery {
				c.told = time.Now()
				c.log.Warn("the group cannot be joined", zap.Error(e.Err))
			}
		}
	}
}

// offer counts records of a partition, in the order of its log. From one that cannot be counted yet on they are parked.
func (c *consumer) offer(ctx context.Context, id pipeline.Partition, o *owned, records []*kgo.Record) {
	if len(o.parked) > 0 {
		o.parked = append(o.parked, records...)
		return
	}
	part := c.tick.Part(id)
	for i := 0; i < len(records); i++ {
		r := records[i]
		switch {
		case r.Offset < part.To():
			r.Recycle()
			continue // read again after a pause
		case r.Attrs.IsControl():
			part.Pass(r.Offset + 1)
			r.Recycle()
			continue
		}
		c.fill(r)
		switch c.tick.Offer(part, r.Offset, &c.message) { //nolint:contextcheck // what it learns is there: nothing waits
		case pipeline.Taken:
			r.Recycle()
		case pipeline.Ahead, pipeline.Pending:
			o.parked = slices.Clone(records[i:])
			c.pause(id, o)
			return
		case pipeline.Full:
			if !c.publish(ctx) {
				return // everything starts over
			}
			i--
		}
	}
}

// fill makes the message of a record.
func (c *consumer) fill(r *kgo.Record) {
	m := &c.message
	m.Key, m.Value, m.Time = r.Key, r.Value, r.Timestamp.UnixNano()
	if r.Timestamp.UnixMilli() == noTimestamp {
		m.Time = record.NoTime
	}
	m.Headers = m.Headers[:0]
	if !c.tick.ReadsHeaders() {
		return
	}
	for i := range r.Headers {
		m.Headers = append(m.Headers, record.Header{Name: r.Headers[i].Key, Value: r.Headers[i].Value})
	}
}

// noTimestamp is what Kafka says of a record without a time, in milliseconds.
const noTimestamp = -1

func (c *consumer) pause(id pipeline.Partition, o *owned) {
	if !o.paused {
		o.paused = true
		c.client.PauseFetchPartitions(map[string][]int32{o.topic: {id.Number}})
	}
}

func (c *consumer) resume(id pipeline.Partition, o *owned) {
	if o.paused {
		o.paused = false
		c.client.ResumeFetchPartitions(map[string][]int32{o.topic: {id.Number}})
	}
}

// unpark offers what was parked once more.
func (c *consumer) unpark(ctx context.Context) {
	for id, o := range c.owned {
		if len(o.parked) == 0 || c.reseek {
			continue
		}
		records := o.parked
		o.parked = nil
		c.offer(ctx, id, o, records)
		if len(o.parked) == 0 && !o.excluded {
			c.resume(id, o)
		}
	}
}

// failed handles an error of a partition's fetch.
func (c *consumer) failed(ctx context.Context, id pipeline.Partition, o *owned, err error) {
	if c.reseek {
		return
	}
	loss, lost := errors.AsType[*kgo.ErrDataLoss](err)
	switch {
	case lost:
		c.rewind(ctx, id, loss.ResetTo)
	case errors.Is(err, kerr.OffsetOutOfRange):
		c.outOfRange(ctx, id, o)
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.InconsistentTopicID):
		select {
		case c.look <- struct{}{}: // it may have been made anew
		default:
		}
		fallthrough
	default:
		if time.Since(o.told) > tellEvery {
			o.told = time.Now()
			c.log.Warn("fetch failed", zap.String("topic", o.topic), zap.Int32("partition", id.Number), zap.Error(err))
		}
	}
}

// tellEvery is how often errors of the same partition are logged.
const tellEvery = 10 * time.Second

// outOfRange finds out what became of a position that the broker does not have: deleted by age, or lost.
func (c *consumer) outOfRange(ctx context.Context, id pipeline.Partition, o *owned) {
	ctx, cancel := context.WithTimeout(ctx, endsWait)
	defer cancel()
	starts, err := c.adm.ListStartOffsets(ctx, o.topic)
	if err != nil {
		return
	}
	ends, err := c.adm.ListCommittedOffsets(ctx, o.topic)
	if err != nil {
		return
	}
	start, ok1 := starts.Lookup(o.topic, id.Number)
	end, ok2 := ends.Lookup(o.topic, id.Number)
	part := c.tick.Part(id)
	switch {
	case !ok1 || !ok2 || start.Err != nil || end.Err != nil:
	case part.To() < start.Offset:
		c.log.Warn("records were deleted before they were read", zap.String("topic", o.topic), zap.Int32("partition", id.Number), zap.Int64("records", start.Offset-part.To()))
		c.tick.Skip(part, start.Offset, pipeline.SkipRetention)
		c.set(id, o, start.Offset)
	case part.To() <= end.Offset: // it was there all the time
		c.set(id, o, part.To())
	case part.To() > end.Offset:
		c.rewind(ctx, id, end.Offset)
	}
}

// rewind goes back to the end of a partition that has lost records.
func (c *consumer) rewind(ctx context.Context, id pipeline.Partition, end int64) {
	o, part := c.owned[id], c.tick.Part(id)
	if part.Moved() && !c.publish(ctx) {
		return
	}
	c.log.Warn("the broker lost records that were counted", zap.String("topic", o.topic), zap.Int32("partition", id.Number), zap.Int64("records", part.To()-end))
	c.tick.Rewind(part, end)
	c.set(id, o, part.To())
}

// set makes the client read on at an offset.
func (c *consumer) set(id pipeline.Partition, o *owned, at int64) {
	c.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{o.topic: {id.Number: {Epoch: -1, Offset: at}}})
}
