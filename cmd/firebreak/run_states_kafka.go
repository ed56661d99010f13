package main

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/routing/httpsource"
	routingkafka "firebreak/routing/kafka"
)

// trimAt is how long the log of states may be: readers read all of it at their start.
const trimAt = 5000

// logStates are states in a topic of ours.
type logStates struct {
	*routingkafka.Log

	say *zap.Logger
}

func openLogStates(opts []kgo.Opt, group string, log *zap.Logger) (stateKeeper, error) {
	l, err := routingkafka.Open(opts, group)
	if err != nil {
		return nil, err
	}
	return &logStates{l, log}, nil
}

func (s *logStates) store(fleet string) (stateStore, error) { return s.Store(fleet), nil }

func (s *logStates) source(fleet string) (httpsource.Origin, error) { return s.Source(fleet), nil }

func (s *logStates) tidy(ctx context.Context) {
	if _, err := s.Trim(ctx, trimAt); err != nil {
		s.say.Warn("the log of states cannot be cut; it needs the right Delete on its topic", zap.Error(err))
	}
}
