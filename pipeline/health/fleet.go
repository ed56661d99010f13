package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"firebreak/policy"
)

const (
	// KeepFor is how long a reading counts after its source gave it. The log is judged by minutes: what is older says nothing of them.
	KeepFor = 3 * time.Minute
	// ahead is how far a reading may be ahead of the moment that is judged: the broker's clock is not ours. What is judged long
	// afterwards, when an old log is read, is judged without.
	ahead = time.Minute
)

// Fleet is the sources of one fleet. New makes it.
type Fleet struct {
	shards  []string // nil = the log names them
	metrics []policy.Metric
	sources []*source
}

// New makes the sources of a fleet; it connects to nothing, and reads the files of certificates. shards are those of the fleet, nil =
// the log names them. from may be nil where no source is CloudWatch.
func New(c *Config, fleet string, shards []string, from AWS, log *zap.Logger) (*Fleet, error) {
	if err := c.Validate(shards); err != nil {
		return nil, err
	}
	f := &Fleet{shards: shards}
	for i := range c.Sources {
		of := &c.Sources[i]
		n, err := newNames(of, shards)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", of.Name, err)
		}
		s := &source{name: of.Name, every: c.every(), timeout: c.timeout(), log: log.With(zap.String("fleet", fleet), zap.String("source", of.Name))}
		if of.Prometheus != nil {
			s.asker, err = newPrometheus(of.Prometheus, n)
			for _, q := range of.Prometheus.Queries {
				f.metrics = append(f.metrics, policy.Metric(q.Metric))
			}
		} else {
			s.asker, err = newCloudWatch(of.CloudWatch, n, from)
			for _, q := range of.CloudWatch.Queries {
				f.metrics = append(f.metrics, policy.Metric(q.Metric))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", of.Name, err)
		}
		f.sources = append(f.sources, s)
	}
	slices.Sort(f.metrics)
	f.metrics = slices.Compact(f.metrics)
	return f, nil
}

// Run asks all sources until the context ends. random gives numbers in [0, 1).
func (f *Fleet) Run(ctx context.Context, random func() float64) {
	var all sync.WaitGroup
	for _, s := range f.sources {
		all.Go(func() { s.run(ctx, random) })
	}
	all.Wait()
	f.hangUp()
}

// hangUp closes connections that wait for another request.
func (f *Fleet) hangUp() {
	for _, s := range f.sources {
		if p, ok := s.asker.(*prometheus); ok {
			p.client.CloseIdleConnections()
		}
	}
}

// about is what a reading is of.
type about struct {
	shard  string
	metric policy.Metric
}

func compare(a, b about) int {
	return cmp.Or(cmp.Compare(a.shard, b.shard), cmp.Compare(a.metric, b.metric))
}

// Readings gives what is known at a moment, and what is asked for and not known, each by shard and metric. Where the log names the
// shards only those that were read before can be missed, or a metric as a whole.
func (f *Fleet) Readings(now time.Time) ([]policy.Reading, []policy.Unread) {
	best := map[about]float64{}
	missed := map[about]bool{}
	for _, m := range f.metrics {
		for _, s := range f.shards {
			missed[about{s, m}] = true
		}
	}
	for _, s := range f.sources {
		for of, k := range s.kept() {
			if k.counts(now) {
				if v, ok := best[of]; !ok || k.value > v {
					best[of] = k.value
				}
			} else {
				missed[of] = true
			}
		}
	}
	var readings []policy.Reading
	known := map[policy.Metric]bool{}
	for of, v := range best {
		delete(missed, of)
		known[of.metric] = true
		readings = append(readings, policy.Reading{Shard: of.shard, Metric: of.metric, Value: v})
	}
	slices.SortFunc(readings, func(a, b policy.Reading) int { return compare(about{a.Shard, a.Metric}, about{b.Shard, b.Metric}) })
	return readings, f.unread(missed, known)
}

// unread lists what is missed; of a metric that no shard is known of it is one.
func (f *Fleet) unread(missed map[about]bool, known map[policy.Metric]bool) []policy.Unread {
	var out []policy.Unread
	for _, m := range f.metrics {
		if !known[m] {
			out = append(out, policy.Unread{Metric: m})
		}
	}
	for of := range missed {
		if known[of.metric] {
			out = append(out, policy.Unread{Shard: of.shard, Metric: of.metric})
		}
	}
	slices.SortFunc(out, func(a, b policy.Unread) int { return compare(about{a.Shard, a.Metric}, about{b.Shard, b.Metric}) })
	return out
}
