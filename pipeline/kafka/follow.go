package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
)

// Times of a follower.
const (
	followWait  = 500 * time.Millisecond // that a broker holds a fetch for which it has nothing
	followCheck = 5 * time.Second        // without an entry, after which the log is looked at
	followPause = 200 * time.Millisecond // after an error
	followAsk   = 5 * time.Second        // that a look may take
	followGone  = 30 * time.Second       // without a topic, after which it is taken for deleted
)

// Follower reads a log from one place on, in its order, without a group. It belongs to one Run.
type Follower struct {
	log  *Log
	from Start
	next atomic.Int64 // offset of the entry that will be read next; -1 before it is known

	id   pipeline.TopicID // owned by Run, as what follows
	gone time.Time        // since when the topic has not been there; zero = it is
}

// Follower makes one that begins at a place.
func (l *Log) Follower(from Start) *Follower {
	f := &Follower{log: l, from: from}
	f.next.Store(-1)
	return f
}

// Follow hands every entry from a place on to fn, until ctx or fn ends it; see [Follower.Run].
func (l *Log) Follow(ctx context.Context, from Start, fn func(Entry) error) error {
	return l.Follower(from).Run(ctx, fn)
}

// Position is the offset up to which fn has returned: at the log's End nothing is left to read. -1 before the first place is
// known. It may be asked at any time by anyone.
func (f *Follower) Position() int64 { return f.next.Load() }

// Run hands every entry to fn, one at a time, and waits for more. It returns the error of fn, that of ctx, [ErrRecreated] or
// [ErrTruncated], or why the first place could not be found. Brokers that fail meanwhile are waited for.
func (f *Follower) Run(ctx context.Context, fn func(Entry) error) error {
	topic := f.log.topic
	client, err := kgo.NewClient(append(slices.Clone(f.log.opts),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // they move the position; fn never sees one
		kgo.FetchMaxWait(followWait),
	)...)
	if err != nil {
		return fmt.Errorf("follow %s: %w", topic, err)
	}
	defer client.Close()
	adm := kadm.NewClient(client)
	at, id, err := f.from.resolve(ctx, adm, topic)
	if err != nil {
		return fmt.Errorf("follow %s: %w", topic, err)
	}
	f.id = id
	f.next.Store(at)
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(at)}})
	for !ended(ctx) {
		if err := f.poll(ctx, client, adm, fn); err != nil {
			return fmt.Errorf("follow %s: %w", topic, err)
		}
	}
	return ctx.Err()
}

// poll takes what has come. Without an entry, or with an error, it looks whether the log is still the one it was.
func (f *Follower) poll(ctx context.Context, client *kgo.Client, adm *kadm.Client, fn func(Entry) error) error {
	wait, cancel := context.WithTimeout(ctx, followCheck)
	fetches := client.PollFetches(wait)
	cancel()
	if fetches.NumRecords() > 0 {
		f.gone = time.Time{}
	}
	for it := fetches.RecordIter(); !it.Done(); {
		r := it.Next()
		if !r.Attrs.IsControl() {
			if err := fn(Entry{Offset: r.Offset, Time: r.Timestamp, Value: r.Value}); err != nil {
				return err
			}
		}
		f.next.Store(r.Offset + 1)
		if ended(ctx) {
			return nil
		}
	}
	failed := failure(fetches)
	if failed == nil && fetches.NumRecords() > 0 || ended(ctx) {
		return nil
	}
	if loss, ok := errors.AsType[*kgo.ErrDataLoss](failed); ok {
		return fmt.Errorf("%w: %w", ErrRecreated, loss)
	}
	if err := f.look(ctx, adm); err != nil || failed == nil {
		return err
	}
	return f.recover(ctx, client, failed)
}

func ended(ctx context.Context) bool { return ctx.Err() != nil }

// failure is the first error of a poll that is not the end of its wait.
func failure(fetches kgo.Fetches) error {
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) {
			return e.Err
		}
	}
	return nil
}

// look compares the log with what it was. Brokers that do not answer are no answer.
func (f *Follower) look(ctx context.Context, adm *kadm.Client) error {
	ctx, cancel := context.WithTimeout(ctx, followAsk)
	defer cancel()
	now, err := stateOf(ctx, adm, f.log.topic)
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		if f.gone.IsZero() {
			f.gone = time.Now()
		}
		if missing := time.Since(f.gone); missing > followGone {
			return fmt.Errorf("%w: there has been no such topic for %v", ErrRecreated, missing.Round(time.Second))
		}
		return nil
	}
	if err != nil {
		return nil // the next look will tell
	}
	f.gone = time.Time{}
	if now.id != f.id {
		return fmt.Errorf("%w: topic id %v, not %v", ErrRecreated, now.id, f.id)
	}
	return now.holds(f.next.Load())
}

// recover goes on after an error: a partition that the client has given up is taken up again where it was.
func (f *Follower) recover(ctx context.Context, client *kgo.Client, failed error) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(followPause):
	}
	if errors.Is(failed, kerr.OffsetOutOfRange) {
		topic := f.log.topic
		client.RemoveConsumePartitions(map[string][]int32{topic: {0}})
		client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(f.next.Load())}})
	}
	return nil
}
