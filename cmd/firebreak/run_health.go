package main

import (
	"context"
	"fmt"
	mrand "math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/health"
	"firebreak/policy"
)

// outlook is what is read of the fleets' shards from outside the log. Every instance reads for itself: whoever decides next has seen
// what the one before saw.
type outlook struct {
	of map[string]*health.Fleet // by name; those that have sources
}

// openOutlook makes the sources of all fleets. It connects to nothing; AWS's settings come from files. Each mistake is a usageError.
func openOutlook(cfg *config.Config, fleets []pipeline.LiveFleet, log *zap.Logger) (*outlook, error) {
	o := &outlook{of: map[string]*health.Fleet{}}
	for i := range cfg.Fleets {
		f := &cfg.Fleets[i]
		if !f.Health.On() {
			continue
		}
		from := func(region string) (aws.Config, error) { return awsConfig(context.Background(), region) }
		of, err := health.New(&f.Health, printable(f.Name), config.ClosedShards(fleets[i].Document), from, log)
		if err != nil {
			return nil, usageError{oneLine(fmt.Errorf("fleet %s: health: %w", printable(f.Name), err))}
		}
		o.of[f.Name] = of
	}
	return o, nil
}

// run reads until the context ends.
func (o *outlook) run(ctx context.Context, name string) { o.of[name].Run(ctx, mrand.Float64) }

// fill is a besideLog.
func (o *outlook) fill(fleet string, now time.Time, w *policy.World) {
	if f := o.of[fleet]; f != nil {
		w.Health, w.Unread = f.Readings(now)
	}
}

// measured are the sources for metrics.
func (o *outlook) measured(cfg *config.Config) []telemetry.HealthSource {
	var all []telemetry.HealthSource
	for i := range cfg.Fleets {
		f := &cfg.Fleets[i]
		for n := range f.Health.Sources {
			of := o.of[f.Name]
			all = append(all, telemetry.HealthSource{Fleet: f.Name, Name: f.Health.Sources[n].Name, Stats: func() telemetry.Health {
				now := time.Now()
				s := of.Stats(now)[n]
				out := telemetry.Health{Answered: s.Answered, Failed: s.Failed, Age: -1, Known: s.Known, Unread: s.Unread}
				if !s.Whole.IsZero() {
					out.Age = now.Sub(s.Whole)
				}
				return out
			}})
		}
	}
	return all
}
