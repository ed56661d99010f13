package kafka

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
)

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
			i-- // the same record once more: the tick is empty now, and has room
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
