package ingest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo" //nolint:depguard // the member is given its connection
	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/pipeline/record"
)

// What a member is run with, as `run` does.
const (
	tickTime = 2 * time.Second
	session  = 10 * time.Second
)

// group makes up a name, so that every reading begins anew.
func group(of string) string { return fmt.Sprintf("%s-%016x", of, rand.Uint64()) }

// watcher keeps count of what a member does. It implements pipeline.Sink and kafka.Observer.
type watcher struct {
	mu       sync.Mutex // the member's goroutines, and who asks
	counted  uint64
	weight   float64
	deltas   int
	bytes    int64
	entries  int
	followed int64 // bytes of entries
	rejected int
	refused  uint64
	judged   int
}

// Judged implements pipeline.Sink.
func (w *watcher) Judged(*pipeline.Judgement) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.judged++
}

// Save implements pipeline.Sink: there is nothing to keep.
func (*watcher) Save() ([]byte, error) { return nil, nil }

// Load implements pipeline.Sink.
func (*watcher) Load([]byte) error { return nil }

// Refused implements kafka.Observer.
func (w *watcher) Refused(string, record.Reason, *record.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused++
}

// Counted implements kafka.Observer.
func (w *watcher) Counted(_, _ string, s *pipeline.Stats, _ []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted, w.weight = s.Counted, math.Round(s.Requests)
}

// Published implements kafka.Observer.
func (w *watcher) Published(_ string, bytes int, _ time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deltas++
	w.bytes += int64(bytes)
}

// Entry implements kafka.Observer.
func (w *watcher) Entry(out *pipeline.Outcome, bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries++
	w.followed += int64(bytes)
	if out.Delta && !out.Accepted {
		w.rejected++
	}
}

// Skipped implements kafka.Observer.
func (*watcher) Skipped(string, pipeline.Skip, int64) {}

// options are those of every client of a member.
func options(addr string) ([]kgo.Opt, error) {
	opts, err := kafka.Options(kafka.Cluster{Brokers: kafka.Brokers{addr}})
	if err != nil {
		return nil, fmt.Errorf("bench ingest: %w", err)
	}
	return opts, nil
}

// newMember makes the topics of a group and a member of it. ahead is how far the request log's time is ahead of the
// broker's.
func newMember(ctx context.Context, addr, group string, load *Load, ahead time.Duration, w *watcher) (*kafka.Member, error) {
	opts, err := options(addr)
	if err != nil {
		return nil, err
	}
	live, err := load.Fleet()
	if err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("bench ingest: %w", err)
	}
	defer client.Close()
	ensure := &kafka.Ensure{Client: client, Replicas: 1}
	if err := ensure.EnsureTopics(ctx, kafka.Topics(group, live.Window)); err != nil {
		return nil, fmt.Errorf("bench ingest: %w", err)
	}
	const back = 24 * time.Hour // all that there is
	return kafka.NewMember(kafka.MemberConfig{
		Group: group, Clusters: []kafka.Connection{{Name: clusterName, Opts: opts, Topics: []string{topicName}}}, Fleets: []pipeline.LiveFleet{live},
		Start: map[string]time.Duration{clusterName + "/" + topicName: back}, Tick: tickTime, Session: session, Sink: w, Observe: w, Log: zap.NewNop(),
		Clock: func(broker time.Time) time.Time { return broker.Add(ahead) },
	})
}

// everything is the stage All: a member reads the log, and its deltas have come back for all of it.
func everything(ctx context.Context, addr string, load *Load, r *Reading) error {
	w := &watcher{}
	m, err := newMember(ctx, addr, group("bench"), load, time.Until(load.end()), w)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- m.Run(running) }()
	const again = 50 * time.Millisecond
	t := time.NewTicker(again)
	defer t.Stop()
	for upTo(m) < int64(load.Records) {
		select {
		case err := <-ended:
			return fmt.Errorf("the member ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rejected > 0 || w.refused > 0 {
		return fmt.Errorf("%d deltas were rejected and %d records refused", w.rejected, w.refused)
	}
	r.Records, r.Weight, r.Deltas, r.Bytes, r.Judged = int64(w.counted), w.weight, w.deltas, w.bytes, w.judged
	return nil
}

// upTo is how many offsets the group has counted.
func upTo(m *kafka.Member) (n int64) {
	v := m.View()
	if v == nil {
		return 0
	}
	for _, p := range v.Counted {
		n += p.To
	}
	return n
}
