package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
)

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
		if o.saying.Say() {
			c.log.Warn("fetch failed", zap.String("topic", o.topic), zap.Int32("partition", id.Number), zap.Error(err))
		}
	}
}

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
