package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/internal/config"
	"firebreak/pipeline/kafka"
)

// ourLogs are the journal and the history of a group, read by a command that is no instance.
type ourLogs struct {
	group            string
	journal, history ownLog
	owned            []interface{ Close() }
}

// ourCluster are the options of the cluster that has our topics, for a command: brokers that were just started are found at once.
func ourCluster(cfg *config.Config) ([]kgo.Opt, error) {
	clusters := cfg.Kafka.All()
	if len(clusters) == 0 {
		return nil, usageError{errors.New("kafka.brokers: want one host:port or more, where our topics are")}
	}
	first := clusters[0]
	first.AWS = awsCredentials()
	opts, err := kafka.Options(first)
	if err != nil {
		return nil, usageError{oneLine(fmt.Errorf("cluster %s: %w", first.Name, err))}
	}
	return append(opts, kgo.MetadataMinAge(100*time.Millisecond)), nil
}

// openLogs reaches the logs of a configuration. Nothing is connected before it is used.
func openLogs(cfg *config.Config) (*ourLogs, error) {
	opts, err := ourCluster(cfg)
	if err != nil {
		return nil, err
	}
	out := &ourLogs{group: cfg.Group}
	for _, l := range []struct {
		topic string
		into  *ownLog
	}{{kafka.JournalTopic(cfg.Group), &out.journal}, {kafka.HistoryTopic(cfg.Group), &out.history}} {
		topic, err := kafka.OpenLog(opts, l.topic, 0)
		if err != nil {
			out.Close()
			return nil, err
		}
		*l.into = topicLog{topic}
		out.owned = append(out.owned, topic)
	}
	return out, nil
}

// Close ends the connections.
func (l *ourLogs) Close() {
	for _, c := range l.owned {
		c.Close()
	}
}

// readEvery is how often it is looked whether a log was read to its end.
const readEvery = 20 * time.Millisecond

// readLog hands what a log holds from a time on to fn, in its order, up to its end as it is now.
func readLog(ctx context.Context, log ownLog, from time.Time, fn func(*kafka.Entry)) error {
	end, err := log.End(ctx)
	if err != nil {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	follower := log.Follower(kafka.Since(from))
	done := make(chan error, 1)
	go func() {
		done <- follower.Run(reading, func(e kafka.Entry) error {
			if e.Offset < end && reading.Err() == nil {
				fn(&e)
			}
			return nil
		})
	}()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return <-done
		case <-time.After(readEvery):
		}
		if follower.Position() >= end {
			stop()
			if err := <-done; !errors.Is(err, context.Canceled) { // fn runs no more
				return err
			}
			return nil
		}
	}
}

// commandConfig reads the configuration of a command that needs our logs, and why, for who forgot it.
func commandConfig(path, why string) (*config.Config, error) {
	if path == "" {
		return nil, usageError{errors.New("--config: " + why)}
	}
	data, err := os.ReadFile(path) //nolint:gosec // G304: the file that was asked for
	if err != nil {
		return nil, usageError{err}
	}
	cfg, err := config.Parse(path, data)
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	cfg.Beside(filepath.Dir(path))
	return cfg, nil
}
