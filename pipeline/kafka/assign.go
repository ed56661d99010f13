package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
)

// adjust says where each newly assigned partition begins, see kgo.AdjustFetchOffsetsFn: where the log of deltas says it was
// counted to, once we have read that log to its end.
func (c *consumer) adjust(ctx context.Context, committed map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	if err := c.caughtUp(ctx); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(committed))
	for topic := range committed {
		names = append(names, topic)
	}
	found, err := c.describe(ctx, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, ok := found[name]; !ok {
			return nil, fmt.Errorf("topic %s is not known", name)
		}
	}
	starts, err := c.starts(ctx, found, committed)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready() {
		return nil, fmt.Errorf("the group has no seed yet")
	}
	for name, partitions := range starts {
		if old, known := c.topics[name]; known && old.ID != found[name].ID {
			c.over(name)
		}
		c.topics[name] = found[name]
		for number, at := range partitions {
			id := pipeline.Partition{Topic: found[name].ID, Number: number}
			known, ok := c.view().Counted[id]
			if ok {
				at = known.To
			}
			o := &owned{topic: name}
			c.owned[id] = o
			if c.reseek {
				o.from = at
			} else {
				c.assign(id, o, at, known, ok)
			}
			committed[name][number] = kgo.NewOffset().At(at)
		}
	}
	return committed, nil
}

// describe asks for the topics as they are now, and leaves out those that are not there.
func (c *consumer) describe(ctx context.Context, names []string) (map[string]pipeline.Topic, error) {
	listed, err := c.adm.ListTopics(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("topics: %w", err)
	}
	all := map[string]pipeline.Topic{}
	for name, t := range listed {
		if t.Err != nil || len(t.Partitions) == 0 {
			continue
		}
		all[name] = pipeline.Topic{ID: pipeline.TopicID(t.ID), Name: c.cluster + "/" + name, Partitions: int32(len(t.Partitions))}
	}
	return all, nil
}

// starts gives where partitions begin that were never counted: as far back as the fleet wants to warm up, from when the log of
// deltas named their topic first. So a partition by which a topic has grown since is read from its beginning, and one that was
// there before begins where the others did, whoever gets it and when. A position that the group has committed goes before that:
// nothing here ever commits one, but an operator may have set it, or what read the log under this name before us.
func (c *consumer) starts(ctx context.Context, found map[string]pipeline.Topic, committed map[string]map[int32]kgo.Offset) (map[string]map[int32]int64, error) {
	v := c.view()
	born := map[pipeline.TopicID]time.Time{}
	for i := range v.Topics {
		born[v.Topics[i].ID] = v.Born[i]
	}
	out := map[string]map[int32]int64{}
	for name, partitions := range committed {
		out[name] = map[int32]int64{}
		oldest, err := c.adm.ListStartOffsets(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("oldest offsets of %s: %w", name, err)
		}
		wanted, err := c.wanted(ctx, name, born[found[name].ID])
		if err != nil {
			return nil, fmt.Errorf("offsets of %s: %w", name, err)
		}
		for number, at := range partitions {
			first, ok1 := oldest.Lookup(name, number)
			want, ok2 := wanted.Lookup(name, number)
			if !ok1 || !ok2 || first.Err != nil || want.Err != nil {
				return nil, fmt.Errorf("offsets of %s/%d are not known", name, number)
			}
			out[name][number] = want.Offset
			if eo := at.EpochOffset(); eo.Offset >= first.Offset {
				out[name][number] = eo.Offset
			}
		}
	}
	return out, nil
}

// wanted asks where a topic's partitions begin by the fleet's time to warm up. born is when the log of deltas named the topic first;
// zero = it has not yet, and counting begins now. Then, without a time to warm up, that is the end of each partition:
// ListCommittedOffsets asks for it, up to the last transaction that is over, and not for what a group has committed.
func (c *consumer) wanted(ctx context.Context, topic string, born time.Time) (kadm.ListedOffsets, error) {
	back := c.cfg.start(c.cluster + "/" + topic)
	switch {
	case !born.IsZero():
		return c.adm.ListOffsetsAfterMilli(ctx, born.Add(-back).UnixMilli(), topic)
	case back > 0:
		return c.adm.ListOffsetsAfterMilli(ctx, c.clock.now().Add(-back).UnixMilli(), topic)
	}
	return c.adm.ListCommittedOffsets(ctx, topic)
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

// revoked gives partitions up: the tick is published and confirmed first, or dropped.
func (c *consumer) revoked(ctx context.Context, partitions map[string][]int32) {
	if len(partitions) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tick != nil && c.tick.Parts() > 0 && !c.reseek {
		whole := context.WithoutCancel(ctx)
		wait, cancel := context.WithTimeout(whole, revokeWait)
		if c.inflight == 0 || c.confirmed(whole, revokeWait/2) {
			if c.send(wait) {
				c.confirmed(whole, revokeWait/2)
			}
		}
		cancel()
	}
	c.release(partitions)
}

// lost forgets partitions that are another's already; what was counted of them is dropped with all of the tick.
func (c *consumer) lost(partitions map[string][]int32) {
	if len(partitions) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log.Warn("partitions were lost", zap.Int("topics", len(partitions)))
	c.startOver(nil)
	c.release(partitions)
}

func (c *consumer) release(partitions map[string][]int32) {
	for topic, numbers := range partitions {
		for _, n := range numbers {
			id := pipeline.Partition{Topic: c.topics[topic].ID, Number: n}
			if o := c.owned[id]; o != nil && o.paused {
				c.client.ResumeFetchPartitions(map[string][]int32{topic: {n}})
			}
			delete(c.owned, id)
			if c.tick != nil {
				c.tick.Release(id)
			}
		}
	}
}
