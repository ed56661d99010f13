package kafka

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// seat is our place in the small group over the one partition of the log of deltas: who owns that partition decides. Nothing is
// read of it. newSeat makes it.
type seat struct {
	client *kgo.Client
	lease  *lease
	owner  atomic.Bool
	orphan atomic.Bool // it was the owner, lost the group, and has not heard since whose the partition is
}

// deciderSession is the session of the small group: its partition must find a new owner soon.
const deciderSession = 6 * time.Second

func newSeat(alive context.Context, cfg *MemberConfig) (*seat, error) {
	s := &seat{lease: &lease{session: deciderSession}}
	topic := PanesTopic(cfg.Group)
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.WithContext(alive), kgo.ConsumerGroup(DeciderGroup(cfg.Group)), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(), kgo.WithHooks(s.lease),
		kgo.SessionTimeout(deciderSession), kgo.HeartbeatInterval(deciderSession / 6), kgo.RebalanceTimeout(deciderSession),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtEnd()),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			s.orphan.Store(false) // the group says whose it is
			s.own(p, topic, true)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, p map[string][]int32) { s.own(p, topic, false) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			if len(p[topic]) > 0 { // it is called again and again, as long as the group cannot be joined
				s.orphan.Store(true)
			}
			s.own(p, topic, false)
		}),
	}, cfg.Clusters[0].Opts...)...)
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", DeciderGroup(cfg.Group), err)
	}
	client.PauseFetchTopics(topic)
	s.client = client
	return s, nil
}

// own takes the group's word of whose the partition is, if it is among those named.
func (s *seat) own(partitions map[string][]int32, topic string, owner bool) {
	if len(partitions[topic]) > 0 {
		s.owner.Store(owner)
	}
}

// run keeps the client's callbacks going.
func (s *seat) run(ctx context.Context) error {
	for ctx.Err() == nil {
		if s.client.PollFetches(ctx).IsClientClosed() {
			return nil
		}
	}
	return nil
}

// owns gives the group's generation if we are the owner and the lease is good.
func (s *seat) owns() (generation int32, ok bool) {
	if !s.owner.Load() || !s.lease.holds() {
		return 0, false
	}
	_, generation = s.client.GroupMetadata()
	return generation, true
}

// leave gives the seat up, until ctx ends, and ends its connections.
func (s *seat) leave(ctx context.Context) {
	s.owner.Store(false)
	s.orphan.Store(false)
	_ = s.client.LeaveGroupContext(ctx) // what fails, the session ends
	s.client.Close()
}
