package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"firebreak/routing"
)

// Deliveries is what became of a receiver's notices since the process started, and what waits.
type Deliveries struct {
	Delivered uint64 // taken by the receiver
	Retried   uint64 // attempts that failed and are tried again
	GaveUp    uint64 // notices that failed for good
	Folded    uint64 // notices that a full queue folded into a summary
	Queued    int    // that wait now
}

// delivered reads the delivery queues at each scrape: they count for themselves.
type delivered struct {
	receivers        []Receiver
	outcomes, queued *prometheus.Desc
}

func newDelivered(receivers []Receiver) *delivered {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
	}
	return &delivered{
		receivers: receivers,
		outcomes:  desc("deliveries_total", "What became of notices: attempts that were delivered or are retried, notices given up or folded into a summary.", "receiver", "outcome"),
		queued:    desc("delivery_queue_length", "Notices that wait to be delivered.", "receiver"),
	}
}

// Describe is for prometheus.Collector.
func (d *delivered) Describe(to chan<- *prometheus.Desc) {
	to <- d.outcomes
	to <- d.queued
}

// Collect is for prometheus.Collector.
func (d *delivered) Collect(to chan<- prometheus.Metric) {
	for _, r := range d.receivers {
		var n Deliveries
		if r.Stats != nil {
			n = r.Stats()
		}
		name := routing.Escape(r.Name)
		for _, o := range []struct {
			outcome string
			n       uint64
		}{{"delivered", n.Delivered}, {"retried", n.Retried}, {"gave_up", n.GaveUp}, {"folded", n.Folded}} {
			to <- prometheus.MustNewConstMetric(d.outcomes, prometheus.CounterValue, float64(o.n), name, o.outcome)
		}
		to <- prometheus.MustNewConstMetric(d.queued, prometheus.GaugeValue, float64(n.Queued), name)
	}
}
