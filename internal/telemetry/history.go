package telemetry

import "github.com/prometheus/client_golang/prometheus"

// History is what became of the entries of the history since the process started, and what waits.
type History struct {
	Written uint64 // appended by this process
	Dropped uint64 // that nobody wrote, as far as this process knows: too many waited
	Refused uint64 // that no log could take
	Failed  uint64 // attempts to append that failed and are made again
	Waiting int    // entries
	Bytes   int64  // that they keep
}

// written reads the writer of the history at each scrape: it counts for itself.
type written struct {
	stats                                func() History
	entries, lost, failed, waiting, size *prometheus.Desc
}

func newWritten(stats func() History) *written {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
	}
	return &written{
		stats:   stats,
		entries: desc("history_entries_written_total", "Entries of the history that this instance appended."),
		lost:    desc("history_entries_dropped_total", "Entries of the history that this instance gave up: too many waited, or no log could take one.", "reason"),
		failed:  desc("history_write_failures_total", "Attempts to append to the history that failed; what waited waits on."),
		waiting: desc("history_entries_waiting", "Entries of the history that this instance has and did not see in the log yet."),
		size:    desc("history_waiting_bytes", "Memory that the waiting entries take, roughly."),
	}
}

// Describe is for prometheus.Collector.
func (w *written) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.entries, w.lost, w.failed, w.waiting, w.size} {
		to <- d
	}
}

// Collect is for prometheus.Collector.
func (w *written) Collect(to chan<- prometheus.Metric) {
	var n History
	if w.stats != nil {
		n = w.stats()
	}
	to <- prometheus.MustNewConstMetric(w.entries, prometheus.CounterValue, float64(n.Written))
	to <- prometheus.MustNewConstMetric(w.lost, prometheus.CounterValue, float64(n.Dropped), "no_room")
	to <- prometheus.MustNewConstMetric(w.lost, prometheus.CounterValue, float64(n.Refused), "refused")
	to <- prometheus.MustNewConstMetric(w.failed, prometheus.CounterValue, float64(n.Failed))
	to <- prometheus.MustNewConstMetric(w.waiting, prometheus.GaugeValue, float64(n.Waiting))
	to <- prometheus.MustNewConstMetric(w.size, prometheus.GaugeValue, float64(n.Bytes))
}
