package main

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/routing/control"
	"firebreak/routing/kafka"
)

const (
	// countEvery is how often control counts the clients that confirmed on Kafka.
	countEvery = 5 * time.Second
	// useWait bounds how long a topic that was made may be unknown; brokers take less than a second.
	useWait = 30 * time.Second
)

// onKafka is a keeper whose state outlives every process: the topics GROUP.state and GROUP.clients.
type onKafka struct {
	*kafka.Store
	*kafka.Source

	log *kafka.Log
}

// openKafka makes what is not there yet: the topics, as firebreak makes them, and the first state.
func openKafka(ctx context.Context, o *options, first *control.State) (*onKafka, error) {
	if err := makeTopics(ctx, o); err != nil {
		return nil, err
	}
	l, err := kafka.Open(o.cluster(), o.group)
	if err != nil {
		return nil, err
	}
	k := &onKafka{l.Store(fleetName), l.Source(fleetName), l}
	if err = k.load(ctx); errors.Is(err, control.ErrNone) {
		_, err = k.Write(ctx, control.At{}, first)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return k, nil
}

// load reads the state. A broker may know nothing for a moment of a topic that was just made.
func (k *onKafka) load(ctx context.Context) error {
	for end := time.Now().Add(useWait); ; {
		_, err := k.Load(ctx)
		if !errors.Is(err, kerr.UnknownTopicOrPartition) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// makeTopics makes the topics of the group. The state is kept for ever, a confirmation for an hour.
func makeTopics(ctx context.Context, o *options) error {
	c, err := kgo.NewClient(o.cluster()...)
	if err != nil {
		return err
	}
	defer c.Close()
	for topic, retention := range map[string]string{kafka.StateTopic(o.group): "-1", kafka.ClientsTopic(o.group): "3600000"} {
		unlimited := "-1"
		settings := map[string]*string{"retention.ms": &retention, "retention.bytes": &unlimited}
		if _, err := kadm.NewClient(c).CreateTopic(ctx, 1, -1, settings, topic); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			return err
		}
	}
	return nil
}

// run counts the clients until ctx ends, and closes the connections.
func (k *onKafka) run(ctx context.Context) {
	defer k.log.Close()
	var roll control.Roll
	said := -1
	for ctx.Err() == nil {
		if listed, err := k.Confirmations(ctx); err == nil {
			roll.Observe(time.Now(), listed)
			if live := roll.Live(time.Now()); live != said && k.Count(ctx, live) == nil {
				said = live
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(countEvery):
		}
	}
}
