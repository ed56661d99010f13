package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/routing"
	"firebreak/routing/control"
)

// StateTopic is where the states of a group's fleets are: one partition, cleanup.policy delete, retention.ms and retention.bytes -1.
func StateTopic(group string) string { return group + ".state" }

// ClientsTopic is where clients of a group's fleets confirm what they hold: one partition, kept for an hour.
func ClientsTopic(group string) string { return group + ".clients" }

// ErrRecreated says that the topic is not the one that was read: it was deleted and made anew, or lost what it had. The state that was
// read before is the only one there is; it is not written into the new topic by itself.
var ErrRecreated = errors.New("the topic of states was made anew")

// ErrCut says that the first entries of the topic are gone and nothing that is left says what they were: something other than Trim
// deleted them.
var ErrCut = errors.New("nothing in it says what was before")

const (
	// refusedWait is how long a refused append waits before it is sent again: the client asks the cluster anew before.
	refusedWait = 500 * time.Millisecond
	// appendWait bounds one append.
	appendWait = 10 * time.Second
	// clientsBack is how far back confirmations are read at the start: longer than a client is waited for.
	clientsBack = 2 * control.NoLongerLive
)

// Log is the states of a group. Its methods may be called by several goroutines. Close ends its connections.
type Log struct {
	state, clients string
	producer       *kgo.Client
	reader         *kgo.Client // begins at the start of the state topic
	adm            *kadm.Client

	turn      chan struct{} // held by who reads, and so owns what follows; a channel, so that who waits can give up
	id        kadm.TopicID
	next      int64 // of the state topic, up to which it is read; -1 = not begun
	book      *book
	confirmed map[string]map[string]control.Confirmation // by fleet, by client
	heard     int64                                      // next of the clients topic; -1 = not begun
	watch     func(offset int64, fleet string, e *entry) // sees every entry before it is applied; nil = nobody
}

// Open makes a log of a group, with the options of its cluster. It connects when it is first used; the topics must exist.
func Open(opts []kgo.Opt, group string) (*Log, error) {
	l := &Log{state: StateTopic(group), clients: ClientsTopic(group), turn: make(chan struct{}, 1)}
	l.forget()
	var err error
	if l.producer, err = kgo.NewClient(append(slices.Clone(opts),
		kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0),
		kgo.ProducerBatchMaxBytes(maxEntry+4096), kgo.RecordDeliveryTimeout(appendWait), kgo.AllowIdempotentProduceCancellation(),
		kgo.MetadataMinAge(refusedWait))...); err != nil {
		return nil, fmt.Errorf("states of %s: %w", group, err)
	}
	if l.reader, err = kgo.NewClient(append(slices.Clone(opts),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.FetchMaxWait(100*time.Millisecond))...); err != nil {
		l.producer.Close()
		return nil, fmt.Errorf("states of %s: %w", group, err)
	}
	l.adm = kadm.NewClient(l.producer)
	return l, nil
}

// Close ends the connections.
func (l *Log) Close() {
	l.producer.Close()
	l.reader.Close()
}

func (l *Log) forget() {
	l.next, l.heard = -1, -1
	l.book, l.confirmed = newBook(0), map[string]map[string]control.Confirmation{}
}

// lock waits for the turn to read.
func (l *Log) lock(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Log) unlock() { <-l.turn }

// append appends one entry, and gives its offset.
func (l *Log) append(ctx context.Context, topic, key string, value []byte) (int64, error) {
	r := &kgo.Record{Topic: topic, Key: []byte(key), Value: value}
	if err := l.producer.ProduceSync(ctx, r).FirstErr(); err != nil {
		if errors.Is(err, kerr.UnknownTopicID) { // the client writes to the topic it knew until it is told otherwise
			l.producer.PurgeTopicsFromProducing(topic)
		}
		return 0, fmt.Errorf("append to %s: %w", topic, err)
	}
	return r.Offset, nil
}

// read applies the log up to where it ends now. Who calls it has the turn.
func (l *Log) read(ctx context.Context) error {
	meta, err := l.adm.ListTopics(ctx, l.state)
	if err == nil {
		err = meta[l.state].Err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.state, err)
	}
	start, end, err := l.bounds(ctx, l.state)
	if err != nil {
		return err
	}
	switch {
	case l.next < 0:
		l.id = meta[l.state].ID
		l.begin(start)
	case meta[l.state].ID != l.id || end < l.next:
		return fmt.Errorf("%s: %w", l.state, ErrRecreated)
	case start > l.next: // it was cut behind snapshots that were not read
		l.begin(start)
	}
	if err := l.poll(ctx, l.state, end); err != nil {
		return err
	}
	if !l.book.begun {
		return fmt.Errorf("%s: it begins at offset %d, and: %w", l.state, start, ErrCut)
	}
	return nil
}

// begin begins to read at an offset, the first one that the topic has.
func (l *Log) begin(start int64) {
	l.book, l.next = newBook(start), start
	l.follow(l.state, start)
}

// hear applies the confirmations up to where they end now. Who calls it has the turn.
func (l *Log) hear(ctx context.Context) error {
	start, end, err := l.bounds(ctx, l.clients)
	if err != nil {
		return err
	}
	if l.heard < 0 || start > l.heard || end < l.heard {
		back, err := l.adm.ListOffsetsAfterMilli(ctx, time.Now().Add(-clientsBack).UnixMilli(), l.clients)
		if err != nil {
			return fmt.Errorf("%s: %w", l.clients, err)
		}
		from, _ := back.Lookup(l.clients, 0)
		if from.Err != nil {
			return fmt.Errorf("%s: %w", l.clients, from.Err)
		}
		l.heard = min(max(from.Offset, start), end)
		l.follow(l.clients, l.heard)
	}
	return l.poll(ctx, l.clients, end)
}

// bounds asks where the partition of a topic begins and ends.
func (l *Log) bounds(ctx context.Context, topic string) (start, end int64, err error) {
	starts, err := l.adm.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return 0, 0, fmt.Errorf("start of %s: %w", topic, err)
	}
	ends, err := l.adm.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return 0, 0, fmt.Errorf("end of %s: %w", topic, err)
	}
	first, _ := starts.Lookup(topic, 0)
	last, _ := ends.Lookup(topic, 0)
	return first.Offset, last.Offset, nil
}

// follow has the reader begin at a place.
func (l *Log) follow(topic string, from int64) {
	l.reader.RemoveConsumePartitions(map[string][]int32{topic: {0}})
	l.reader.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(from)}})
}

// position is up to where a topic is read.
func (l *Log) position(topic string) *int64 {
	if topic == l.state {
		return &l.next
	}
	return &l.heard
}

// poll reads until a topic is read up to end.
func (l *Log) poll(ctx context.Context, topic string, end int64) error {
	at := l.position(topic)
	for *at < end {
		fetches := l.reader.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", topic, err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			l.take(it.Next())
		}
		for _, failed := range fetches.Errors() {
			*l.position(failed.Topic) = -1 // whatever it was: begin anew, from the start
			return fmt.Errorf("read %s: %w", failed.Topic, failed.Err)
		}
	}
	return nil
}

// take applies one record.
func (l *Log) take(r *kgo.Record) {
	at := l.position(r.Topic)
	if r.Offset < *at {
		return // of a fetch from before the reader was told to begin elsewhere
	}
	*at = r.Offset + 1
	switch {
	case r.Attrs.IsControl():
	case r.Topic == l.state:
		e, err := parseEntry(r.Value)
		if err != nil {
			e = nil
		}
		if l.watch != nil {
			l.watch(r.Offset, string(r.Key), e)
		}
		l.book.apply(r.Offset, string(r.Key), e)
	default:
		l.confirm(string(r.Key), r.Value)
	}
}

// confirm applies one value of the clients topic.
func (l *Log) confirm(fleet string, value []byte) {
	of := l.confirmed[fleet]
	if of == nil {
		of = map[string]control.Confirmation{}
		l.confirmed[fleet] = of
	}
	if c, err := control.ParseConfirmation(value); err == nil {
		of[c.Client] = *c
		return
	}
	var f farewell
	if err := json.Unmarshal(value, &f); err != nil {
		return
	}
	if client, err := routing.Unescape(f.Client); err == nil && of[client].Beat == f.Beat {
		delete(of, client)
	}
}
