package kafka

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/internal/rarely"
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
	caughtUp func(ctx context.Context) error // waits until view is the end of the log of deltas, as that is now
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
	saying   rarely.Trouble // of what fails of no partition
	look     chan struct{}  // asks for a look at the topics
	missed   rarely.Trouble // of topics that are absent; belongs to lookAfter
}

// owned is a partition that is ours.
type owned struct {
	topic    string
	parked   []*kgo.Record // too far ahead of the other partitions, or of a schema that is being asked for
	paused   bool
	excluded bool           // another counted on: left alone
	still    int            // ticks since counted stood still, while it is excluded
	counted  int64          // then
	from     int64          // up to where our counting is confirmed: there it goes on where the log of deltas knows nothing
	saying   rarely.Trouble // of its errors
	thin     thinner
}

// pollPause is how long a poll that gave nothing but an error is waited after.
const pollPause = 200 * time.Millisecond

// newInstance draws the name of one life of a process.
func newInstance() (id pipeline.Instance) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

// run counts until ctx ends. What is under way then may take until last ends.
func (c *consumer) run(ctx, last context.Context) error {
	next := time.Now().Add(c.cfg.Tick)
	for ctx.Err() == nil {
		wait, cancel := context.WithDeadline(ctx, next)
		fetches := c.client.PollRecords(wait, MaxPolled)
		cancel()
		if fetches.IsClientClosed() {
			return errors.New("kafka client closed")
		}
		c.mu.Lock()
		c.take(last, fetches)
		if !time.Now().Before(next) {
			c.turn(last)
			next = time.Now().Add(c.cfg.Tick)
		}
		c.seek()
		c.mu.Unlock()
		c.client.AllowRebalance()
		if fetches.NumRecords() == 0 && failure(fetches) != nil { // or the same is asked as fast as it is answered
			select {
			case <-ctx.Done():
			case <-time.After(pollPause):
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
		if fetches.NumRecords() > 0 && !c.reseek {
			c.startOver(nil) // what was polled is gone, and what the tick has would be counted again with it
		}
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
			if c.saying.Say() {
				c.log.Warn("the group cannot be joined", zap.Error(e.Err))
			}
		}
	}
}
