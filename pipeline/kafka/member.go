package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/pipeline/registry"
)

// MemberConfig is what a Member is made with.
type MemberConfig struct {
	Group    string
	Clusters []Connection // the first one has our topics
	Fleets   []pipeline.LiveFleet
	Start    map[string]time.Duration // by "cluster/topic": how far back a new group begins; 0 = at the newest record
	Tick     time.Duration
	Session  time.Duration                    // of the group that counts
	NextGen  bool                             // the consumer protocol of brokers from 4.0 on (KIP-848), whose session is the broker's
	Alone    bool                             // read only: one process, no group, no topics of ours
	Clock    func(broker time.Time) time.Time // the request log's time at a time of the broker's; nil = the same. A demonstration compresses time
	Sink     pipeline.Sink
	Observe  Observer
	Log      *zap.Logger

	caughtUp func(ctx context.Context) error
}

// start is how far back a topic begins.
func (c *MemberConfig) start(topic string) time.Duration { return c.Start[topic] }

// Connection is a cluster with the topics that are read from it.
type Connection struct {
	Name   string
	Opts   []kgo.Opt // see Options
	Topics []string

	Schemas *registry.Asker // see Schemas; the member runs it. Nil = records of format confluent are refused
}

// Observer is told what happens; its methods are called by several goroutines.
type Observer interface {
	Refused(fleet string, why record.Reason, m *record.Message)
	// Counted is told every tick what a cluster's consumer has seen of a fleet so far.
	Counted(cluster, fleet string, stats *pipeline.Stats, refused []uint64)
	// Published is told of every delta of ours: its size, and how long it took to make and append it.
	Published(cluster string, bytes int, took time.Duration)
	// Skipped is told of offsets of a topic, "cluster/topic", that were passed without being read.
	Skipped(topic string, why pipeline.Skip, offsets int64)
	Entry(out *pipeline.Outcome, bytes int)
}

// Member is this process's part of a group that counts together: it counts partitions, follows the log of deltas, and may
// become the one that decides. NewMember makes it, Run runs it.
type Member struct {
	cfg      MemberConfig
	log      *zap.Logger
	deltas   deltaLog
	clock    *clock
	view     atomic.Pointer[pipeline.View]
	position atomic.Int64 // of the log of deltas, up to which it is applied
	atEnd    atomic.Int64 // unix ns: when the position was last seen to be the log's end
	decider  *decider

	mu   lock // live: the follower applies entries, the housekeeper asks and judges silence
	live *pipeline.Live

	consumers []*consumer
}

// deltaLog is the log of deltas.
type deltaLog interface {
	Append(ctx context.Context, values ...[]byte) (int64, error)
	End(ctx context.Context) (int64, error)
}

// checkpointEvery is how often the decider writes one, besides when there is news.
const checkpointEvery = 30 * time.Second

// deciderSession is the session of the small group: its partition must find a new owner soon.
const deciderSession = 6 * time.Second

// NewMember makes a member. Close ends its connections if Run is never called.
func NewMember(cfg MemberConfig) (*Member, error) {
	if len(cfg.Clusters) == 0 || len(cfg.Fleets) == 0 {
		return nil, errors.New("want at least one cluster and one fleet")
	}
	m := &Member{log: cfg.Log, clock: newClock(cfg.Clock), mu: newLock()}
	cfg.caughtUp = m.caughtUp
	m.cfg = cfg
	if cfg.Alone {
		m.deltas = &localLog{mu: newLock(), apply: m.apply}
		m.clock.known = true
	} else {
		log, err := OpenLog(cfg.Clusters[0].Opts, PanesTopic(cfg.Group), appendWait)
		if err != nil {
			return nil, err
		}
		m.deltas = log
		if m.decider, err = newDecider(&m.cfg); err != nil {
			m.Close()
			return nil, err
		}
	}
	for i := range cfg.Clusters {
		c, err := m.newConsumer(&cfg.Clusters[i])
		if err != nil {
			m.Close()
			return nil, err
		}
		m.consumers = append(m.consumers, c)
	}
	return m, nil
}

// newConsumer makes the consumer of a cluster.
func (m *Member) newConsumer(conn *Connection) (*consumer, error) {
	c := &consumer{
		cfg: &m.cfg, cluster: conn.Name, log: m.log.With(zap.String("cluster", conn.Name)), schemas: conn.Schemas, view: m.view.Load, clock: m.clock,
		outcomes: make(chan pipeline.Outcome, 16), observe: m.cfg.Observe, id: newInstance(),
		owned: map[pipeline.Partition]*owned{}, topics: map[string]pipeline.Topic{}, look: make(chan struct{}, 1), mu: newLock(),
		append: func(ctx context.Context, delta []byte) error {
			_, err := m.deltas.Append(ctx, delta)
			return err
		},
	}
	opts := append(FetchOptions(), conn.Opts...)
	if !m.cfg.Alone {
		c.lease = &lease{session: m.cfg.Session}
		opts = append(opts, m.groupOpts(c, conn)...)
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", conn.Name, err)
	}
	c.client, c.adm = client, kadm.NewClient(client)
	return c, nil
}

// groupOpts make a client a member of the group.
func (m *Member) groupOpts(c *consumer, conn *Connection) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ConsumerGroup(m.cfg.Group), kgo.ConsumeTopics(conn.Topics...), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(), kgo.SessionTimeout(m.cfg.Session), kgo.HeartbeatInterval(m.cfg.Session / 5),
		kgo.RebalanceTimeout(3 * m.cfg.Session), kgo.WithHooks(c.lease), kgo.AdjustFetchOffsetsFn(c.adjust),
		kgo.OnPartitionsRevoked(func(ctx context.Context, _ *kgo.Client, p map[string][]int32) { c.revoked(ctx, p) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, p map[string][]int32) { c.lost(p) }),
	}
	if m.cfg.NextGen {
		opts = append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	}
	return opts
}

// Run counts, follows and decides until ctx ends; then it publishes what is left and leaves the groups. Only what cannot be
// waited for is an error.
func (m *Member) Run(ctx context.Context) error {
	rest, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // outlives the consumers, which need it to leave
	defer stop(nil)
	var counting, others sync.WaitGroup
	run := func(group *sync.WaitGroup, ctx context.Context, what func(context.Context) error) {
		group.Go(func() {
			if err := what(ctx); err != nil && ctx.Err() == nil {
				stop(err)
			}
		})
	}
	consuming, end := context.WithCancel(ctx)
	defer end()
	context.AfterFunc(rest, end)
	if m.cfg.Alone {
		m.position.Store(0)
		if err := m.begin(rest); err != nil {
			m.Close()
			return err
		}
	} else {
		run(&others, rest, m.watch)
		run(&others, rest, m.decider.run)
	}
	run(&others, rest, m.housekeep)
	for _, c := range m.consumers {
		if c.schemas != nil {
			run(&others, rest, c.schemas.Run)
		}
	}
	for i, c := range m.consumers {
		names := m.cfg.Clusters[i].Topics
		if m.cfg.Alone {
			run(&counting, consuming, func(ctx context.Context) error { return c.takeAll(ctx, names) })
		}
		run(&counting, consuming, c.run)
		run(&counting, consuming, func(ctx context.Context) error { return c.lookAfter(ctx, names) })
	}
	<-consuming.Done()
	counting.Wait()
	var leaving sync.WaitGroup
	for _, c := range m.consumers {
		leaving.Go(func() { c.leave(context.WithoutCancel(ctx)) })
	}
	leaving.Wait()
	if m.decider != nil {
		m.decider.leave(context.WithoutCancel(ctx))
	}
	cause := context.Cause(rest)
	stop(context.Canceled)
	others.Wait()
	if log, ok := m.deltas.(*Log); ok {
		log.Close()
	}
	return cause
}

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

// leave publishes what is left and leaves the group, in a bounded time.
func (c *consumer) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveWait)
	defer cancel()
	if c.lease == nil {
		c.mu.Lock()
		if c.tick != nil && c.tick.Parts() > 0 && !c.reseek {
			c.send(ctx)
		}
		c.mu.Unlock()
	}
	c.client.AllowRebalance()
	_ = c.client.LeaveGroupContext(ctx) // gives the partitions up, see revoked; what fails, the session ends
	c.client.Close()
}

// leaveWait bounds leaving a group.
const leaveWait = 8 * time.Second

// Close ends the connections of a member that Run was never called of.
func (m *Member) Close() {
	for _, c := range m.consumers {
		c.client.Close()
	}
	if m.decider != nil {
		m.decider.client.Close()
	}
	if log, ok := m.deltas.(*Log); ok {
		log.Close()
	}
}

// View is what the log of deltas says by now; nil before it is known.
func (m *Member) View() *pipeline.View { return m.view.Load() }

// Now is the broker's time.
func (m *Member) Now() time.Time { return m.clock.now() }
