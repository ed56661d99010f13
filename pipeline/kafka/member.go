package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/internal/rarely"
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
	// Refused is told of every record that gave none: of which fleet, why, and its message, which is not to be kept.
	Refused(fleet string, why record.Reason, m *record.Message)
	// Counted is told every tick what a cluster's consumer has seen of a fleet so far.
	Counted(cluster, fleet string, stats *pipeline.Stats, refused []uint64)
	// Published is told of every delta of ours: its size, and how long it took to make and append it.
	Published(cluster string, bytes int, took time.Duration)
	// Skipped is told of offsets of a topic, "cluster/topic", that were passed without being read.
	Skipped(topic string, why pipeline.Skip, offsets int64)
	// Entry is told, in the order of the log of deltas, of every entry of it: what was made of it, and its size.
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
	seat     *seat        // in the group of which one decides; nil = alone

	mu   lock // live, and with it the sink: the follower applies entries, the housekeeper asks, judges silence and saves
	live *pipeline.Live

	foreign, crowded, unrouted rarely.Trouble // belong to apply

	cut context.CancelFunc // ends what the groups' clients wait for, so that they can be closed

	consumers []*consumer
}

// deltaLog is the log of deltas.
type deltaLog interface {
	Append(ctx context.Context, values ...[]byte) (int64, error)
	End(ctx context.Context) (int64, error)
}

// NewMember makes a member. Close ends its connections if Run is never called.
//
//nolint:contextcheck,nolintlint // its clients live until Run has left their groups, longer than any context of the caller
func NewMember(cfg MemberConfig) (*Member, error) {
	if len(cfg.Clusters) == 0 || len(cfg.Fleets) == 0 {
		return nil, errors.New("want at least one cluster and one fleet")
	}
	m := &Member{cfg: cfg, log: cfg.Log, clock: newClock(cfg.Clock), mu: newLock()}
	var alive context.Context
	alive, m.cut = context.WithCancel(context.Background())
	if cfg.Alone {
		m.deltas = &localLog{mu: newLock(), apply: m.apply}
		m.clock.known = true
	} else {
		log, err := OpenLog(cfg.Clusters[0].Opts, PanesTopic(cfg.Group), appendWait)
		if err != nil {
			return nil, err
		}
		m.deltas = log
		if m.seat, err = newSeat(alive, &m.cfg); err != nil {
			m.Close()
			return nil, err
		}
	}
	for i := range cfg.Clusters {
		c, err := m.newConsumer(alive, &cfg.Clusters[i])
		if err != nil {
			m.Close()
			return nil, err
		}
		m.consumers = append(m.consumers, c)
	}
	return m, nil
}

// newConsumer makes the consumer of a cluster, whose client waits for nothing any more when alive has ended.
func (m *Member) newConsumer(alive context.Context, conn *Connection) (*consumer, error) {
	c := &consumer{
		cfg: &m.cfg, cluster: conn.Name, log: m.log.With(zap.String("cluster", conn.Name)), schemas: conn.Schemas, view: m.view.Load, caughtUp: m.caughtUp, clock: m.clock,
		outcomes: make(chan pipeline.Outcome, 16), observe: m.cfg.Observe, id: newInstance(),
		owned: map[pipeline.Partition]*owned{}, topics: map[string]pipeline.Topic{}, look: make(chan struct{}, 1), mu: newLock(),
		append: func(ctx context.Context, delta []byte) error {
			_, err := m.deltas.Append(ctx, delta)
			return err
		},
	}
	opts := append(FetchOptions(), conn.Opts...)
	opts = append(opts, kgo.WithContext(alive))
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

// Close ends the connections of a member that Run was never called of.
func (m *Member) Close() {
	m.cut()
	for _, c := range m.consumers {
		c.client.Close()
	}
	if m.seat != nil {
		m.seat.client.Close()
	}
	if log, ok := m.deltas.(*Log); ok {
		log.Close()
	}
}

// View is what the log of deltas says by now; nil before it is known.
func (m *Member) View() *pipeline.View { return m.view.Load() }

// Now is the broker's time.
func (m *Member) Now() time.Time { return m.clock.now() }
