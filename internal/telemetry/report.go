package telemetry

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Reports is what became of the reports of weeks: what the journal says, and what failed on this instance since it started.
type Reports struct {
	Success time.Time              // when the newest report was written; zero = none was, as far as the journal was read
	Failed  [reportFailures]uint64 // attempts, by ReportFailure
}

// ReportFailure is what of a report failed.
type ReportFailure uint8

// The failures.
const (
	ReportMake     ReportFailure = iota // the journal or the history cannot be read, or no page comes of them
	ReportDir                           // the page cannot be written to report.dir
	ReportCommand                       // report.command fails
	ReportJournal                       // the journal takes no record of it
	reportFailures                      // their number
)

// String returns the label of r.
func (r ReportFailure) String() string {
	return spell([]string{"make", "dir", "command", "journal"}, int(r))
}

// reported asks at each scrape what became of reports.
type reported struct {
	stats             func() Reports
	success, failures *prometheus.Desc
}

func newReported(stats func() Reports) *reported {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
	}
	return &reported{
		stats:    stats,
		success:  desc("report_last_success_timestamp_seconds", "When the newest report of a week was written, by whichever instance, as Unix time."),
		failures: desc("report_failures_total", "Attempts of this instance to write the report of a week that failed.", "reason"),
	}
}

// Describe is for prometheus.Collector.
func (r *reported) Describe(to chan<- *prometheus.Desc) {
	to <- r.success
	to <- r.failures
}

// Collect is for prometheus.Collector.
func (r *reported) Collect(to chan<- prometheus.Metric) {
	var n Reports
	if r.stats != nil {
		n = r.stats()
	}
	at := math.NaN()
	if !n.Success.IsZero() {
		at = float64(n.Success.UnixMilli()) / 1000
	}
	to <- prometheus.MustNewConstMetric(r.success, prometheus.GaugeValue, at)
	for i, failed := range n.Failed {
		to <- prometheus.MustNewConstMetric(r.failures, prometheus.CounterValue, float64(failed), ReportFailure(i).String())
	}
}
