package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
)

// adjust says where each newly assigned partition begins, see kgo.AdjustFetchOffsetsFn: where the log of deltas says it was
// counted to, once we have read that log to its end.
func (c *consumer) adjust(ctx context.Context, committed map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	if err := c.cfg.caughtUp(ctx); err != nil {
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

// starts gives where partitions begin that were never counted: where the group once committed; else as far back as the fleet
// wants to warm up, from when the log of deltas named their topic first. So a partition by which a topic has grown since is
// read from its beginning, and one that was there before begins where the others did, whoever gets it and when.
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
		back := c.cfg.start(c.cluster + "/" + name)
		wanted, err := c.adm.ListCommittedOffsets(ctx, name)
		if since, named := born[found[name].ID]; named {
			wanted, err = c.adm.ListOffsetsAfterMilli(ctx, since.Add(-back).UnixMilli(), name)
		} else if back > 0 {
			wanted, err = c.adm.ListOffsetsAfterMilli(ctx, c.clock.now().Add(-back).UnixMilli(), name)
		}
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

// revoked gives partitions up: the tick is published and confirmed first, or dropped.
func (c *consumer) revoked(ctx context.Context, partitions map[string][]int32) {
	if len(partitions) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tick != nil && c.tick.Parts() > 0 && !c.reseek {
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeWait)
		if c.inflight == 0 || c.confirmed(revokeWait/2) {
			if c.send(wait) {
				c.confirmed(revokeWait / 2)
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

// metaEvery is how often topics are looked at: for growth, and for new lives.
const metaEvery = 5 * time.Second

// lookAtTopics notices topics that grew or were made anew.
func (c *consumer) lookAtTopics(ctx context.Context, names []string) {
	wait, cancel := context.WithTimeout(ctx, endsWait)
	found, err := c.describe(wait, names)
	cancel()
	if err != nil {
		return
	}
	c.renew(found)
}

// renew takes over what became of topics, and subscribes anew to those that were made anew.
func (c *consumer) renew(found map[string]pipeline.Topic) {
	c.mu.Lock()
	again := c.compare(found)
	c.mu.Unlock()
	if len(again) > 0 { // calls back, and so cannot be done under the lock
		c.client.PurgeTopicsFromConsuming(again...)
		if c.lease != nil {
			c.client.AddConsumeTopics(again...)
		}
	}
}

// compare takes over what became of topics, and gives those that were made anew.
func (c *consumer) compare(found map[string]pipeline.Topic) (again []string) {
	for name, t := range found {
		old, known := c.topics[name]
		switch {
		case !known:
		case old.ID != t.ID:
			c.over(name)
			again = append(again, name)
		case t.Partitions > old.Partitions:
			c.topics[name] = t
			if c.tick != nil {
				c.tick.Grown(t)
			}
		}
	}
	return again
}

// over forgets a topic that was made anew.
func (c *consumer) over(name string) {
	c.log.Warn("topic was made anew; what was counted of it stays, and the rest of it is gone", zap.String("topic", name))
	c.startOver(nil)
	for id, o := range c.owned {
		if o.topic == name {
			c.resume(id, o) // a pause would outlive the topic
			delete(c.owned, id)
		}
	}
	delete(c.topics, name)
}
