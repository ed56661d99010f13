package ingest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake" //nolint:depguard // the bench is the broker's client and the broker; the product has neither from here
	"github.com/twmb/franz-go/pkg/kgo"   //nolint:depguard // see above
)

// Broker is a broker in this process with the topic of a Load. NewBroker makes it.
type Broker struct {
	load     Load
	cluster  *kfake.Cluster
	producer *kgo.Client
	lines    *lines
	value    []byte
	written  int
	weight   float64 // sum of the records' weights
	failed   atomic.Pointer[error]
}

// NewBroker starts a broker whose topic is empty.
func NewBroker(load Load) (*Broker, error) {
	lines, err := newLines(&load)
	if err != nil {
		return nil, err
	}
	b := &Broker{load: load, lines: lines}
	b.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(int32(load.Partitions), topicName), kfake.BrokerConfigs(map[string]string{
		"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0",
	}))
	if err != nil {
		return nil, fmt.Errorf("bench ingest: broker: %w", err)
	}
	const never = time.Minute // a batch leaves when it is flushed
	b.producer, err = kgo.NewClient(kgo.SeedBrokers(b.cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(never), kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.MaxBufferedRecords(2*MaxBatch*load.Partitions))
	if err != nil {
		b.cluster.Close()
		return nil, fmt.Errorf("bench ingest: broker: %w", err)
	}
	return b, nil
}

// Addr is the address of the broker.
func (b *Broker) Addr() string { return b.cluster.ListenAddrs()[0] }

// Close ends the broker.
func (b *Broker) Close() {
	b.producer.Close()
	b.cluster.Close()
}

// Fill writes all records of the load, at the event times that its rate gives them: batch after batch, each to the next
// partition. It returns the sum of their weights.
func (b *Broker) Fill(ctx context.Context) (weight float64, err error) {
	from := start().UnixMilli()
	at := func(i int) int64 { return from + int64(i)*1000/int64(b.load.Rate) }
	for b.written < b.load.Records {
		if err := b.write(ctx, min(b.load.Batch*b.load.Partitions, b.load.Records-b.written), at); err != nil {
			return 0, err
		}
	}
	return b.weight, nil
}

// Feed writes whole batches at the load's rate, at the event times of now, until ctx ends.
func (b *Broker) Feed(ctx context.Context) error {
	const every = 20 * time.Millisecond
	began := time.Now()
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		due := int(time.Since(began).Seconds()*float64(b.load.Rate)) - b.written
		for ; due >= b.load.Batch && ctx.Err() == nil; due -= b.load.Batch {
			now := time.Now().UnixMilli()
			if err := b.write(context.WithoutCancel(ctx), b.load.Batch, func(int) int64 { return now }); err != nil {
				return err
			}
		}
	}
}

// write writes n records, in one batch a partition.
func (b *Broker) write(ctx context.Context, n int, at func(i int) int64) error {
	for range n {
		from := len(b.value)
		line, row := b.lines.next(b.value, at(b.written))
		b.value = line
		b.weight += row.Weight
		partition := int32(b.written / b.load.Batch % b.load.Partitions)
		b.producer.Produce(ctx, &kgo.Record{Topic: topicName, Partition: partition, Value: line[from:len(line):len(line)]}, func(_ *kgo.Record, err error) {
			if err != nil {
				b.failed.Store(&err)
			}
		})
		b.written++
	}
	err := b.producer.Flush(ctx)
	b.value = b.value[:0]
	if failed := b.failed.Load(); err == nil && failed != nil {
		err = *failed
	}
	if err != nil {
		return fmt.Errorf("bench ingest: produce: %w", err)
	}
	return nil
}
