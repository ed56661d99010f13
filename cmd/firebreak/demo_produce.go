package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/internal/admin"
	"firebreak/internal/simulate"
)

const (
	// produceWarm is how much of the story is written at once, as the log of the time before now: enough that a group that starts
	// there is warm before the first act, which then is ten seconds away.
	produceWarm = time.Minute
	// produceKeep is how long a topic that we create keeps the log.
	produceKeep = "1800000" // ms
	// produceStalls is after how long without a line the log is not written: it has some each second.
	produceStalls = 10 * time.Second
)

// producer writes the log of the generated fleet to a topic, second by second as time goes by, for whoever watches it there.
type producer struct {
	client *kgo.Client
	topic  string
	world  *simulate.World
	start  time.Time // of the story
	say    func(string, ...any) error
	wrote  atomic.Int64 // when last, Unix ns; 0 = never
}

// runProduce writes the story, over and over until ctx ends, or for as long as the flags say. That ctx ends is no error.
func runProduce(ctx context.Context, flags *demoFlags, out *demoOutput) error {
	start := time.Now().Add(-produceWarm).Truncate(time.Second)
	story := simulate.Default()
	story.Start = start
	world, _, err := demoWorldOf(story, flags.seed, flags.every)
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(flags.produce, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(flags.topic))
	if err != nil {
		return usageError{oneLine(fmt.Errorf("--produce: %w", err))}
	}
	defer client.Close()
	p := &producer{client: client, topic: flags.topic, world: world, start: start, say: func(format string, args ...any) error {
		return out.text(fmt.Sprintf(format, args...))
	}}
	if flags.admin != "" {
		served, err := admin.Open(ctx, admin.Config{Listen: flags.admin}, prometheus.NewRegistry(), zap.NewNop(), admin.Condition{Name: "log written", Check: p.writes})
		if err != nil {
			return oneLine(err)
		}
		defer served.Close(context.WithoutCancel(ctx)) //nolint:errcheck // its readers are gone
	}
	if flags.duration > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, flags.duration)
		defer stop()
	}
	if err = p.create(ctx); err == nil {
		err = p.write(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// create makes the topic if it is missing. It waits for brokers that cannot be reached, as run does.
func (p *producer) create(ctx context.Context) error {
	keep := produceKeep
	for begun := time.Now(); ; pause(ctx, askAgain) {
		_, err := kadm.NewClient(p.client).CreateTopic(ctx, demoPartitions, 1, map[string]*string{"retention.ms": &keep}, p.topic)
		if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
			return p.say("writing the log of a generated fleet to topic %s\n", p.topic)
		}
		if ctx.Err() != nil || !passing(err) || time.Since(begun) > patience {
			return oneLine(fmt.Errorf("topic %s: %w", p.topic, err))
		}
	}
}

// write appends what the shards have logged by now, and says what is planted.
func (p *producer) write(ctx context.Context) error {
	pace := time.NewTicker(time.Second)
	defer pace.Stop()
	for at := p.start; ; {
		now := time.Now().Truncate(time.Second)
		for ; at.Before(now); at = at.Add(time.Second) {
			if err := p.second(ctx, at); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pace.C:
		}
	}
}

// second appends the lines of one second.
func (p *producer) second(ctx context.Context, at time.Time) error {
	next := at.Add(time.Second)
	if s := p.world.Truth(at); s.Rate > 0 && s.From.Equal(at) {
		if err := p.say("%s  PLANTED   %s\n", clockOf(at), plantedText(&s)); err != nil {
			return err
		}
	}
	lines := p.world.Step(at, next)
	records := make([]*kgo.Record, len(lines))
	for i := range lines {
		records[i] = &kgo.Record{Partition: int32(lines[i].Partition), Value: lines[i].Value}
	}
	if err := p.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return oneLine(fmt.Errorf("topic %s: %w", p.topic, err))
	}
	p.wrote.Store(time.Now().UnixNano())
	return nil
}

// writes says why the log is not written, if it is not.
func (p *producer) writes() error {
	last := p.wrote.Load()
	if last == 0 {
		return errors.New("nothing was written yet")
	}
	if since := time.Since(time.Unix(0, last)); since > produceStalls {
		return fmt.Errorf("nothing was written for %s", since.Round(time.Second))
	}
	return nil
}
