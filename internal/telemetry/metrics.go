package telemetry

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"firebreak/routing"
)

// Metrics is every metric of one process. New makes one; nil takes every update and does nothing.
type Metrics struct {
	group  group
	fleets map[string]*Fleet
}

// Fleet is the metrics of one fleet. Metrics.Fleet gives it; nil takes every update and does nothing.
type Fleet struct {
	judging  judging
	counting counting
	trust    trust
	routed   routed
	topics   map[TopicName]*Topic
}

// New defines all metrics, with those of the process and of the Go runtime, makes every series and registers them. It
// fails on names that stand twice and on a registry that holds one of the metrics already; then nothing is registered.
func New(reg prometheus.Registerer, cfg Config) (*Metrics, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	var d definer
	m := &Metrics{group: defineGroup(&d), fleets: make(map[string]*Fleet, len(cfg.Fleets))}
	judged, counted, trusted, read := defineJudging(&d), defineCounting(&d), defineTrust(&d), defineTopics(&d)
	routes := defineRouted(&d)
	for _, f := range cfg.Fleets {
		label := routing.Escape(f.Name)
		fleet := &Fleet{judging: judged.of(label), counting: counted.of(label), trust: trusted.of(label), routed: routes.of(label), topics: map[TopicName]*Topic{}}
		for _, t := range f.Topics {
			fleet.topics[t] = read.of(label, t)
		}
		m.fleets[f.Name] = fleet
	}
	d.gauge("build_info", "What runs, as labels; always 1.", "version", "revision", "goversion").
		WithLabelValues(cmp.Or(cfg.Build.Version, "unknown"), cmp.Or(cfg.Build.Revision, "unknown"), runtime.Version()).Set(1)
	d.all = append(
		d.all, newDelivered(cfg.Receivers), newWritten(cfg.History), newReported(cfg.Reports), newOutside(cfg.Health),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if err := d.register(reg); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return m, nil
}

// Fleet gives the metrics of a fleet of the Config, nil for any other. Ask once, not at every tick.
func (m *Metrics) Fleet(name string) *Fleet {
	if m == nil {
		return nil
	}
	return m.fleets[name]
}

// Topic gives the metrics of a topic of the fleet's FleetConfig, nil for any other.
func (f *Fleet) Topic(name TopicName) *Topic {
	if f == nil {
		return nil
	}
	return f.topics[name]
}
