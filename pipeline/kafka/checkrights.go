package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Rights are tried with requests that the broker answers without doing anything: a fetch of nothing, an append of no batch,
// a heartbeat of no member.

// readable tries Read on a topic. Only a refusal is an error: anything else is for other findings.
func (d *doctor) readable(ctx context.Context, topic string, partitions kadm.PartitionDetails) error {
	ends, err := kadm.NewClient(d.client).ListEndOffsets(ctx, topic)
	if err != nil {
		return only(err)
	}
	for id, p := range partitions {
		end, ok := ends.Lookup(topic, id)
		if !ok || p.Leader < 0 {
			continue
		}
		part := kmsg.NewFetchRequestTopicPartition()
		part.Partition, part.FetchOffset, part.PartitionMaxBytes = id, end.Offset, 1
		named := kmsg.NewFetchRequestTopic()
		named.Topic, named.Partitions = topic, []kmsg.FetchRequestTopicPartition{part}
		req := kmsg.NewPtrFetchRequest()
		req.MaxBytes, req.MinBytes, req.MaxWaitMillis, req.Topics = 1, 0, 0, []kmsg.FetchRequestTopic{named}
		kresp, err := d.client.Broker(int(p.Leader)).Request(ctx, req)
		if err != nil {
			return only(err)
		}
		resp, ok := kresp.(*kmsg.FetchResponse)
		if !ok || len(resp.Topics) == 0 || len(resp.Topics[0].Partitions) == 0 {
			return nil
		}
		return only(kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)) // one partition tells for all
	}
	return nil
}

// writable tries Write on a topic: the broker refuses an append without a batch, and says first if we may not append at all.
func (d *doctor) writable(ctx context.Context, topic string, partitions kadm.PartitionDetails) error {
	leader := partitions[0].Leader
	if leader < 0 {
		return nil
	}
	part := kmsg.NewProduceRequestTopicPartition()
	part.Records = []byte{}
	named := kmsg.NewProduceRequestTopic()
	named.Topic, named.Partitions = topic, []kmsg.ProduceRequestTopicPartition{part}
	req := kmsg.NewPtrProduceRequest()
	req.Acks, req.TimeoutMillis, req.Topics = -1, int32(checkTimeout.Milliseconds()), []kmsg.ProduceRequestTopic{named}
	kresp, err := d.client.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return only(err)
	}
	resp, ok := kresp.(*kmsg.ProduceResponse)
	if !ok || len(resp.Topics) == 0 || len(resp.Topics[0].Partitions) == 0 {
		return nil
	}
	return only(kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode))
}

// group tries Read on a consumer group.
func (d *doctor) group(ctx context.Context, group string) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = group, "firebreak-doctor", -1
	err := patiently(ctx, func() error {
		resp, err := req.RequestWith(ctx, d.client)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
	switch right := (Right{Resource: "group", Name: group, Operations: []string{"Describe", "Read"}}); {
	case denied(err):
		d.add("group "+group, err, "we may not join it: Read is not allowed", d.grant(right))
	case errors.Is(err, kerr.UnknownMemberID), errors.Is(err, kerr.GroupIDNotFound), errors.Is(err, kerr.IllegalGeneration), errors.Is(err, kerr.RebalanceInProgress), err == nil:
		d.add("group "+group, nil, "may be joined", "")
	default:
		d.add("group "+group, err, "", "see the broker's log")
	}
}

// idempotent tries whether appends that are not doubled are allowed.
func (d *doctor) idempotent(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.ProducerID, req.ProducerEpoch = -1, -1
	err := patiently(ctx, func() error {
		resp, err := req.RequestWith(ctx, d.client)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
	switch {
	case err == nil:
		d.add("idempotent appends", nil, "are allowed", "")
	case denied(err):
		right := rightOnCluster()
		d.add("idempotent appends", err, "are not allowed: needs Write on a topic of ours, or IdempotentWrite on brokers before 2.8", d.grant(right))
	default:
		d.add("idempotent appends", err, "", "see the broker's log")
	}
}

// patiently asks again while the broker answers that it is not ready: on a new cluster coordinators are being made by the
// first who asks for them. The error is the broker's last answer.
func patiently(ctx context.Context, ask func() error) error {
	const again = 200 * time.Millisecond
	var last error
	for {
		err := ask()
		if ctx.Err() != nil && last != nil {
			return last
		}
		if !kerr.IsRetriable(err) {
			return err
		}
		last = err
		select {
		case <-ctx.Done():
			return last
		case <-time.After(again):
		}
	}
}

// only keeps refusals of rights.
func only(err error) error {
	if denied(err) {
		return err
	}
	return nil
}
