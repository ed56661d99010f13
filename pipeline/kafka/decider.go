package kafka

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// decider takes part in the small group over the one partition of the log of deltas: who owns it decides. Nothing is read.
type decider struct {
	client *kgo.Client
	lease  *lease
	owner  atomic.Bool
	orphan atomic.Bool // it was the owner, lost the group, and has not heard since whose the partition is
}

func newDecider(cfg *MemberConfig) (*decider, error) {
	d := &decider{lease: &lease{session: deciderSession}}
	topic := PanesTopic(cfg.Group)
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.ConsumerGroup(DeciderGroup(cfg.Group)), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(), kgo.WithHooks(d.lease),
		kgo.SessionTimeout(deciderSession), kgo.HeartbeatInterval(deciderSession / 6), kgo.RebalanceTimeout(deciderSession),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtEnd()),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			d.orphan.Store(false) // the group says whose it is
			d.own(p, topic, true)
		}),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, p map[string][]int32) { d.own(p, topic, false) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, p map[string][]int32) {
			if len(p[topic]) > 0 { // it is called again and again, as long as the group cannot be joined
				d.orphan.Store(true)
			}
			d.own(p, topic, false)
		}),
	}, cfg.Clusters[0].Opts...)...)
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", DeciderGroup(cfg.Group), err)
	}
	client.PauseFetchTopics(topic)
	d.client = client
	return d, nil
}

func (d *decider) own(partitions map[string][]int32, topic string, owner bool) {
	if len(partitions[topic]) > 0 {
		d.owner.Store(owner)
	}
}

// run keeps the client's callbacks going.
func (d *decider) run(ctx context.Context) error {
	for ctx.Err() == nil {
		if d.client.PollFetches(ctx).IsClientClosed() {
			return nil
		}
	}
	return nil
}

// owns gives the group's generation if we are the owner.
func (d *decider) owns() (epoch int32, ok bool) {
	if !d.owner.Load() || !d.lease.holds() {
		return 0, false
	}
	_, generation := d.client.GroupMetadata()
	return generation, true
}

func (d *decider) leave(ctx context.Context) {
	d.owner.Store(false)
	d.orphan.Store(false)
	ctx, cancel := context.WithTimeout(ctx, leaveWait)
	defer cancel()
	_ = d.client.LeaveGroupContext(ctx) // what fails, the session ends
	d.client.Close()
}
