package telemetry

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"firebreak/routing"
)

// HealthSource is one place from which a fleet's shards are read from outside the log.
type HealthSource struct {
	Fleet, Name string        // unique together
	Stats       func() Health // so far; asked at every scrape, from any goroutine
}

// Health is how a source did since the process started.
type Health struct {
	Answered uint64        // readings in which every query was answered
	Failed   uint64        // others
	Age      time.Duration // since the last that was answered; below 0 = none was
	Known    int           // readings that count now
	Unread   int           // that it gave before and that count no more
}

// outside asks the sources at each scrape: they count for themselves.
type outside struct {
	sources                  []HealthSource
	polls, age, known, stale *prometheus.Desc
}

func newOutside(sources []HealthSource) *outside {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, append([]string{"fleet", "source"}, labels...), nil)
	}
	return &outside{
		sources: sources,
		polls:   desc("health_reads_total", "Times that a source of shard health was read: every query was answered, or one failed.", "outcome"),
		age:     desc("health_age_seconds", "Time since every query of a source of shard health was answered."),
		known:   desc("health_readings", "Readings of a source of shard health that count now: those of the last three minutes."),
		stale:   desc("health_unread", "Readings that a source of shard health gave before and that are too old to count."),
	}
}

// Describe is for prometheus.Collector.
func (o *outside) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{o.polls, o.age, o.known, o.stale} {
		to <- d
	}
}

// Collect is for prometheus.Collector.
func (o *outside) Collect(to chan<- prometheus.Metric) {
	for _, s := range o.sources {
		n := s.Stats()
		fleet, name := routing.Escape(s.Fleet), routing.Escape(s.Name)
		age := math.NaN()
		if n.Age >= 0 {
			age = n.Age.Seconds()
		}
		to <- prometheus.MustNewConstMetric(o.polls, prometheus.CounterValue, float64(n.Answered), fleet, name, "answered")
		to <- prometheus.MustNewConstMetric(o.polls, prometheus.CounterValue, float64(n.Failed), fleet, name, "failed")
		to <- prometheus.MustNewConstMetric(o.age, prometheus.GaugeValue, age, fleet, name)
		to <- prometheus.MustNewConstMetric(o.known, prometheus.GaugeValue, float64(n.Known), fleet, name)
		to <- prometheus.MustNewConstMetric(o.stale, prometheus.GaugeValue, float64(n.Unread), fleet, name)
	}
}
