package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/dashboards/console"
	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/pipeline/record"
	"firebreak/policy"
	routingkafka "firebreak/routing/kafka"
)

// liveEngine watches the log as `run` does: two members of one group read it from a broker inside this process.
type liveEngine struct {
	broker   *kfake.Cluster
	producer *kgo.Client
	fleet    *config.Fleet
	speed    float64
	members  []*kafka.Member
	ended    []chan error
	stop     context.CancelFunc
	ticks    chan demoTick
	closing  chan struct{} // closed: nobody receives ticks any more

	mu      sync.Mutex // written, over, and the newest pane told: two members and the producer
	written []storyMark
	over    time.Time // when the last line was written; zero = more are to come
	newest  time.Time // end of the newest pane that was told
	failed  error     // why an entry of the page's timeline is missing
	lines   atomic.Int64
	page    demoPage
	states  *routingkafka.Log
	acting  *demoActing
}

const (
	demoMembers    = 2
	demoPartitions = 12
	demoTopic      = "requests"
	demoGroup      = "demo"
	// demoAhead is how far the log may be ahead of what is judged, in time of the story: more than a pane, the disorder it waits for
	// and a few ticks, less than what makes the input stale.
	demoAhead = 40 * time.Second
	// demoMarks is how many marks are kept; the members look back no further than to their newest deltas.
	demoMarks = 1000
)

// newLiveEngine makes the engines of a speed, with a live page on listen unless that is empty.
func newLiveEngine(speed float64, listen string) engineMaker {
	return func(ctx context.Context, fleet *config.Fleet, world *simulate.World, _ uint64) (engine, error) {
		e := &liveEngine{fleet: fleet, speed: speed, ticks: make(chan demoTick, 64), closing: make(chan struct{})}
		err := e.open(ctx, world)
		if err == nil && listen != "" {
			err = e.serve(ctx, listen)
		}
		if err != nil {
			e.release(ctx)
			return nil, fmt.Errorf("demo: %w", err)
		}
		return e, nil
	}
}

// open starts the broker and the members.
func (e *liveEngine) open(ctx context.Context, world *simulate.World) (err error) {
	// Old segments are deleted as the story goes on, or the log would grow in memory.
	e.broker, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(demoPartitions, demoTopic), kfake.BrokerConfigs(map[string]string{
		"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0", "log.retention.bytes": "33554432",
		"log.segment.bytes": "4194304", "log.cleaner.backoff.ms": "5000",
	}))
	if err != nil {
		return err
	}
	opts := []kgo.Opt{kgo.SeedBrokers(e.broker.ListenAddrs()...), kgo.MetadataMinAge(100 * time.Millisecond)}
	if e.producer, err = kgo.NewClient(append(slices.Clone(opts), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))...); err != nil {
		return err
	}
	ensure := &kafka.Ensure{Client: e.producer, Replicas: 1}
	if err := ensure.EnsureTopics(ctx, kafka.Topics(demoGroup, e.fleet.Window)); err != nil {
		return err
	}
	if e.states, err = routingkafka.Open(opts, demoGroup); err != nil {
		return err
	}
	e.acting = newDemoActing(e.fleet, world, e.states.Store(e.fleet.Name), e.states.Source(e.fleet.Name), judgesBy(func() *kafka.Member { return e.members[0] }), func(entry *actuator.Entry) { e.page.model.Entry(entry) })
	p := e.fleet.Pipeline()
	p.Document = world.Table().Document()
	e.page.model = console.New([]console.Fleet{{Name: e.fleet.Name, Judge: e.fleet.Judge()}}, nil)
	live := pipeline.LiveFleet{Config: p, Record: e.fleet.Record, Judge: e.fleet.Judge(), Topics: []string{"main/" + demoTopic}}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	for range demoMembers {
		m, err := kafka.NewMember(kafka.MemberConfig{
			Group: demoGroup, Clusters: []kafka.Connection{{Name: "main", Opts: opts, Topics: []string{demoTopic}}}, Fleets: []pipeline.LiveFleet{live},
			Start: map[string]time.Duration{"main/" + demoTopic: time.Hour}, Tick: max(50*time.Millisecond, time.Duration(float64(tickTime)/e.speed)),
			Session: 3 * time.Second, Clock: e.storyTime, Sink: demoSink{e}, Observe: quietObserver{}, Log: zap.NewNop(),
		})
		if err != nil {
			return err
		}
		ended := make(chan error, 1)
		e.members, e.ended = append(e.members, m), append(e.ended, ended)
		go func() { ended <- m.Run(running) }()
	}
	return nil
}

// Publish implements engine: it waits for the instances where they cannot follow.
func (e *liveEngine) Publish(ctx context.Context, lines []simulate.Line) error {
	if len(lines) == 0 {
		return nil
	}
	until := lines[len(lines)-1].Time
	if err := e.awaitRoom(ctx, until); err != nil {
		return err
	}
	records := make([]*kgo.Record, len(lines))
	for i := range lines {
		records[i] = &kgo.Record{Topic: demoTopic, Partition: int32(lines[i].Partition), Value: lines[i].Value}
	}
	if err := e.producer.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	e.lines.Add(int64(len(lines)))
	e.mark(until)
	return e.acting.follow(ctx, until)
}

// mark notes that the story stands in the log up to a time.
func (e *liveEngine) mark(until time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.written) == demoMarks {
		e.written = append(e.written[:0], e.written[demoMarks/2:]...)
	}
	e.written = append(e.written, storyMark{time.Now(), until})
}

// Ticks implements engine.
func (e *liveEngine) Ticks() <-chan demoTick { return e.ticks }

// Close implements engine: it waits until the members have judged all panes of the log.
func (e *liveEngine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.over = time.Now()
	e.mu.Unlock()
	for ctx.Err() == nil && !e.judgedAll() {
		pause(ctx, 50*time.Millisecond)
	}
	close(e.closing)
	e.stop()
	var errs []error
	for _, ended := range e.ended {
		errs = append(errs, <-ended)
	}
	e.release(ctx)
	close(e.ticks)
	return errors.Join(append(errs, e.failed, ctx.Err())...)
}

// judgedAll tells whether the pane of the newest line is judged.
func (e *liveEngine) judgedAll() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.newest.After(e.last()) || len(e.written) == 0
}

func (e *liveEngine) release(ctx context.Context) {
	e.closePage(ctx)
	if e.stop != nil {
		e.stop()
	}
	if e.states != nil {
		e.states.Close()
	}
	if e.producer != nil {
		e.producer.Close()
	}
	if e.broker != nil {
		e.broker.Close()
	}
}

// demoSink hands on each decision once, whichever member came to it first: all come to the same.
type demoSink struct{ *liveEngine }

// Judged implements pipeline.Sink.
func (s demoSink) Judged(j *pipeline.Judgement) {
	snapshot := j.Snapshot
	end := snapshot.Panes[len(snapshot.Panes)-1].Start.Add(snapshot.Pane)
	s.mu.Lock()
	known := !end.After(s.newest)
	if !known {
		s.newest = end
		s.acting.judged(j)
		if err := s.page.judged(j); err != nil && s.failed == nil {
			s.failed = err
		}
	}
	s.mu.Unlock()
	if known {
		return
	}
	t := demoTick{
		Now: j.Now, Snapshot: snapshot, Decision: *j.Decision, Policy: j.Config, Records: uint64(s.lines.Load()), Instances: demoMembers, Coverage: snapshot.Inputs.Coverage,
	}
	s.acting.fill(&t)
	select {
	case s.ticks <- t:
	case <-s.closing:
	}
}

// World implements pipeline.Outsider.
func (s demoSink) World(fleet string, now time.Time) policy.World { return s.acting.World(fleet, now) }

// Save implements pipeline.Sink: there is nothing to keep.
func (demoSink) Save() ([]byte, error) { return nil, nil }

// Load implements pipeline.Sink.
func (demoSink) Load([]byte) error { return nil }

// quietObserver is told and says nothing.
type quietObserver struct{}

func (quietObserver) Refused(string, record.Reason, *record.Message)    {}
func (quietObserver) Counted(string, string, *pipeline.Stats, []uint64) {}
func (quietObserver) Published(string, int, time.Duration)              {}
func (quietObserver) Entry(*pipeline.Outcome, int)                      {}
func (quietObserver) Skipped(string, pipeline.Skip, int64)              {}
