package kafka

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"firebreak/pipeline"
)

// metaEvery is how often topics are looked at: for growth, and for new lives.
const metaEvery = 5 * time.Second

// lookAfter looks at the topics now and then.
func (c *consumer) lookAfter(ctx context.Context, names []string) error {
	t := time.NewTicker(metaEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		case <-c.look:
		}
		c.lookAtTopics(ctx, names)
	}
}

// lookAtTopics notices topics that grew or were made anew, and tells which are absent.
func (c *consumer) lookAtTopics(ctx context.Context, names []string) {
	wait, cancel := context.WithTimeout(ctx, endsWait)
	found, err := c.describe(wait, names)
	cancel()
	if err != nil {
		return
	}
	absent := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := found[name]; return ok })
	if len(absent) > 0 && c.missed.Say() {
		c.log.Warn("topics of the request log are not there, or may not be described: nothing of them is counted", zap.Strings("topics", absent))
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
