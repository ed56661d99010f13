package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/internal/config"
	"firebreak/pipeline"
	"firebreak/pipeline/kafka"
	"firebreak/profiles"
	"firebreak/routing"
)

// tickTime is how often deltas are published.
const tickTime = 2 * time.Second

// liveFleets makes the fleets of a configuration as they are counted live. dir is where the file stands.
func liveFleets(cfg *config.Config, dir string) ([]pipeline.LiveFleet, error) {
	var all []pipeline.LiveFleet
	for i := range cfg.Fleets {
		f := &cfg.Fleets[i]
		if f.DetectsFormat() {
			return nil, usageError{fmt.Errorf("fleet %s: record: want a preset, or fields: a live log's form is not guessed; firebreak init proposes them", routing.Escape(f.Name))}
		}
		if err := f.Record.ForMessages(); err != nil {
			return nil, usageError{oneLine(fmt.Errorf("fleet %s: record.%w", routing.Escape(f.Name), err))}
		}
		live := pipeline.LiveFleet{Config: f.Pipeline(), Record: f.Record, Judge: f.Judge()}
		var err error
		if live.Document, _, err = documentOf(f, dir); err != nil {
			return nil, usageError{oneLine(fmt.Errorf("fleet %s: %w", routing.Escape(f.Name), err))}
		}
		live.Discover = live.Document == nil
		for _, t := range f.Topics {
			live.Topics = append(live.Topics, t.Cluster+"/"+t.Name)
		}
		all = append(all, live)
	}
	return all, nil
}

// storesOf opens the profiles of the fleets that name one, by fleet. dir is where the configuration stands.
func storesOf(cfg *config.Config, dir string) (map[string]*profiles.Store, error) {
	all := map[string]*profiles.Store{}
	for i := range cfg.Fleets {
		f := &cfg.Fleets[i]
		store, err := profiles.Open(f.Profile, dir)
		if err != nil {
			return nil, usageError{oneLine(fmt.Errorf("fleet %s: %w", routing.Escape(f.Name), err))}
		}
		all[f.Name] = store
	}
	return all, nil
}

// memberConfig says how this process takes part.
func memberConfig(cfg *config.Config, fleets []pipeline.LiveFleet, standalone bool, log *zap.Logger) (kafka.MemberConfig, error) {
	m := kafka.MemberConfig{
		Group: cfg.Group, Fleets: fleets, Tick: tickTime, Session: cfg.Kafka.Session, NextGen: cfg.Kafka.Protocol == config.Consumer,
		Alone: standalone, Log: log, Start: map[string]time.Duration{},
	}
	sources := cfg.Sources()
	for _, c := range cfg.Kafka.All() {
		c.AWS = awsCredentials()
		opts, err := kafka.Options(c)
		if err != nil {
			return m, usageError{oneLine(fmt.Errorf("cluster %s: %w", c.Name, err))}
		}
		opts = append(opts, kgo.WithLogger(kafka.NewLogger(log.Named("kgo").WithOptions(zap.IncreaseLevel(zap.WarnLevel)))))
		topics := slices.Clone(sources[c.Name])
		if len(topics) == 0 && len(m.Clusters) > 0 {
			continue // nothing is read from it, and our topics are on the first
		}
		for _, t := range topics {
			m.Start[c.Name+"/"+t] = cfg.Kafka.Start.Back
		}
		conn := kafka.Connection{Name: c.Name, Opts: opts, Topics: topics}
		if c.Registry.On() {
			if conn.Schemas, err = c.Registry.Asker(log.With(zap.String("cluster", c.Name))); err != nil {
				return m, usageError{oneLine(fmt.Errorf("cluster %s: registry: %w", c.Name, err))}
			}
		}
		m.Clusters = append(m.Clusters, conn)
	}
	if len(m.Clusters) == 0 {
		return m, usageError{errors.New("kafka: no cluster")}
	}
	return m, nil
}
