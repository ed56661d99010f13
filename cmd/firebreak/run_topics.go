package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/pipeline/kafka"
)

const (
	// patience is how long brokers may be away when a process starts: they may be starting too. A wrong address shows in the
	// log at once, and ends the process after that.
	patience = 2 * time.Minute
	// askAgain is how often they are asked meanwhile.
	askAgain = 2 * time.Second
)

// ensureTopics creates and verifies topics of ours, of which opts reach the cluster.
func ensureTopics(ctx context.Context, cfg *config.Config, opts []kgo.Opt, topics []kafka.Topic) error {
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return err
	}
	defer client.Close()
	e := &kafka.Ensure{Client: client, Brokers: cfg.Kafka.All()[0].Brokers, Replicas: cfg.Kafka.Replicas}
	return e.EnsureTopics(ctx, topics)
}

// ensure makes sure of our topics. It waits for brokers that cannot be reached, for a while.
func (d *daemon) ensure(ctx context.Context) error {
	for begun := time.Now(); ; pause(ctx, askAgain) {
		err := ensureTopics(ctx, d.cfg, d.opts, d.topics)
		if err == nil {
			return nil
		}
		said := oneLine(fmt.Errorf("topics of ours (firebreak doctor says more): %w", err))
		if ctx.Err() != nil || !passing(err) || time.Since(begun) > patience {
			return said
		}
		d.log.Warn("waiting for the brokers", zap.Error(said))
	}
}

// passing tells an error that may be over soon: brokers that cannot be reached, or are not ready. Of several all must be.
func passing(err error) bool {
	if several, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		for _, one := range several.Unwrap() {
			if !passing(one) {
				return false
			}
		}
		return true
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded) || kerr.IsRetriable(err)
}
