package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"firebreak/pipeline/record"
)

// Counts is what an instance has read of a fleet's log since it last said so. The zero value is nothing.
type Counts struct {
	Records  uint64           // counted in a pane
	Requests float64          // that these stand for
	Lines    []uint64         // by record.Reason: lines that gave no record; what is not there is 0, ReasonNone is ignored
	Refused  [refusals]uint64 // by Refusal: records that are not counted
	Lacking  [lacks]uint64    // by Lack: counted nevertheless
	Thinned  uint64           // left out by thinning; those kept stand for them
}

// countingVecs are the metrics about records. countingVecs.of gives one fleet's.
type countingVecs struct {
	records, requests, refused, ignored, lacking, thinned *prometheus.CounterVec
}

type counting struct {
	records, requests, thinned prometheus.Counter
	lines                      []prometheus.Counter // [reason]; nil for ReasonNone
	refused                    []prometheus.Counter // [refusal]
	lacking                    []prometheus.Counter // [lack]
}

func defineCounting(d *definer) countingVecs {
	return countingVecs{
		records:  d.counter("records_counted_total", "Records of the log that this instance counted.", "fleet"),
		requests: d.counter("requests_counted_total", "Requests that the counted records stand for: count / rate.", "fleet"),
		refused:  d.counter("records_refused_total", "Records that this instance read and could not count.", "fleet", "reason"),
		ignored:  d.counter("lines_ignored_total", "Lines that are none of the fleet's business: blank, or of another fleet.", "fleet", "reason"),
		lacking:  d.counter("records_lacking_total", "Counted records that lack something.", "fleet", "what"),
		thinned:  d.counter("records_thinned_total", "Records left out because their partition could not keep up; those kept stand for them.", "fleet"),
	}
}

func (v *countingVecs) of(fleet string) counting {
	c := counting{
		records: v.records.WithLabelValues(fleet), requests: v.requests.WithLabelValues(fleet), thinned: v.thinned.WithLabelValues(fleet),
		lines: make([]prometheus.Counter, len(record.Reasons())+1),
	}
	for _, r := range record.Reasons() {
		vec := v.refused
		if !r.Refusal() {
			vec = v.ignored
		}
		c.lines[r] = vec.WithLabelValues(fleet, r.String())
	}
	for r := range refusals {
		c.refused = append(c.refused, v.refused.WithLabelValues(fleet, r.String()))
	}
	for l := range lacks {
		c.lacking = append(c.lacking, v.lacking.WithLabelValues(fleet, l.String()))
	}
	return c
}

// Counted adds what was read since the last call.
func (f *Fleet) Counted(c *Counts) {
	if f == nil {
		return
	}
	to := &f.counting
	to.records.Add(float64(c.Records))
	to.requests.Add(max(0, c.Requests))
	to.thinned.Add(float64(c.Thinned))
	for r, n := range c.Lines {
		if r > 0 && n > 0 {
			to.lines[r].Add(float64(n))
		}
	}
	for r, n := range &c.Refused {
		to.refused[r].Add(float64(n))
	}
	for l, n := range &c.Lacking {
		to.lacking[l].Add(float64(n))
	}
}
