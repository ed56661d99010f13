package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
)

// MaxEntry is the largest value that a Log takes, in bytes. Sizes of an entry, each below the next: what its writers keep to
// (pipeline.MaxDelta for deltas and checkpoints, actuator.MaxEntry for the journal, history.MaxEntry), this, and MaxMessage, which
// our topics take and into which an entry goes with the head of its batch.
const MaxEntry = 1_000_000

// ErrTooLarge says that a value is over MaxEntry; nothing of the call was appended.
var ErrTooLarge = errors.New("entry is too large")

// Entry is one value of a log.
type Entry struct {
	Offset int64     // its place; ascending, with gaps at most where others wrote transactions
	Time   time.Time // when the broker appended it, whole milliseconds
	Value  []byte    // may be kept
}

// Log is an append-and-follow log: partition 0 of a topic of ours. Its methods may be used by several goroutines at once.
// Any number of writers and followers may share the topic; its order is the same for all of them.
type Log struct {
	topic   string
	opts    []kgo.Opt
	timeout time.Duration
	client  *kgo.Client // appends, and asks
}

// AppendTimeout bounds one Append that is given no other bound.
const AppendTimeout = 10 * time.Second

// OpenLog makes a log of a topic, with the options of its cluster. It connects when it is first used. timeout bounds every
// Append; 0 = AppendTimeout.
func OpenLog(opts []kgo.Opt, topic string, timeout time.Duration) (*Log, error) {
	if timeout == 0 {
		timeout = AppendTimeout
	}
	client, err := kgo.NewClient(append(slices.Clone(opts),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchMaxBytes(MaxMessage),
		kgo.RecordDeliveryTimeout(timeout),
		kgo.AllowIdempotentProduceCancellation(), // what ran out of time is never sent again
	)...)
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", topic, err)
	}
	return &Log{topic: topic, opts: opts, timeout: timeout, client: client}, nil
}

// Topic is the name of the topic.
func (l *Log) Topic() string { return l.topic }

// Close ends the connections. Followers have their own and end with their context.
func (l *Log) Close() { l.client.Close() }

// Append appends the values in this order and returns the offset of the first; entries of other writers may stand between
// them. Values that were confirmed stay: all in-sync replicas have them. After an error none, some or all of them may be
// there, also a moment later, but once each: readers must know a value that comes twice. [ErrTooLarge]: none is there.
func (l *Log) Append(ctx context.Context, values ...[]byte) (first int64, err error) {
	if len(values) == 0 {
		return 0, errors.New("append nothing")
	}
	records := make([]*kgo.Record, len(values))
	for i, v := range values {
		if len(v) > MaxEntry {
			return 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(v), MaxEntry)
		}
		records[i] = &kgo.Record{Topic: l.topic, Value: v}
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	if err := l.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		if errors.Is(err, kerr.UnknownTopicID) { // the client writes to the topic it knew until it is told otherwise
			l.client.PurgeTopicsFromProducing(l.topic)
			err = fmt.Errorf("%w: %w", ErrRecreated, err)
		}
		return 0, fmt.Errorf("append to %s: %w", l.topic, err)
	}
	return records[0].Offset, nil
}

// End is the offset of the entry that will come next: who has read up to it has read all that was confirmed before the call.
func (l *Log) End(ctx context.Context) (int64, error) {
	s, err := stateOf(ctx, kadm.NewClient(l.client), l.topic)
	if err != nil {
		return 0, fmt.Errorf("end of %s: %w", l.topic, err)
	}
	return s.end, nil
}

// ID is the id of the topic as it is now, see [Start.Of].
func (l *Log) ID(ctx context.Context) (pipeline.TopicID, error) {
	meta, err := kadm.NewClient(l.client).ListTopics(ctx, l.topic)
	if err == nil {
		err = meta[l.topic].Err
	}
	if err != nil {
		return pipeline.TopicID{}, fmt.Errorf("id of %s: %w", l.topic, err)
	}
	return pipeline.TopicID(meta[l.topic].ID), nil
}
