package telemetry

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"firebreak/pipeline/record"
	"firebreak/policy"
)

// testConfig has two fleets, one of two clusters, and one receiver.
func testConfig() Config {
	return Config{
		Fleets: []FleetConfig{
			{Name: "orders", Topics: []TopicName{{"eu", "requests"}, {"us", "requests"}}},
			{Name: "caf\xff\\", Topics: []TopicName{{"", "cache\xff"}}},
		},
		Receivers: []Receiver{{Name: "hook", Stats: func() Deliveries {
			return Deliveries{Delivered: 5, Retried: 4, GaveUp: 3, Folded: 2, Queued: 1}
		}}},
		History: func() History {
			return History{Written: 6, Dropped: 5, Refused: 4, Failed: 3, Waiting: 2, Bytes: 1}
		},
		Reports: func() Reports {
			return Reports{Success: time.Date(2026, 3, 2, 7, 0, 0, 250_000_000, time.UTC), Failed: [reportFailures]uint64{1, 2, 3, 4}}
		},
		Health: []HealthSource{{Fleet: "orders", Name: "pg", Stats: func() Health { return Health{Answered: 4, Failed: 3, Age: 90 * time.Second, Known: 2, Unread: 1} }}},
		Build:  Build{Version: "v1.2.3", Revision: "abc"},
	}
}

// newTest makes the metrics of a Config in a registry of their own.
func newTest(t *testing.T, cfg Config) (*Metrics, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	m, err := New(reg, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m, reg
}

// populate updates every metric once.
func populate(m *Metrics) {
	m.Published(20_000)
	m.Accepted(2, 5)
	m.Followed(20_050)
	for r := range rejections {
		m.Rejected(r)
	}
	m.Following(3)
	m.Decides(true, 7)
	m.Owns(12)
	m.Ticked(30 * time.Millisecond)
	for _, f := range m.fleets {
		for s := range skips {
			f.Skipped(s, 9)
		}
		f.Counted(fullCounts())
		f.Sketched(8<<20, 0.001)
		f.Thinning(2, 0.25)
		for _, t := range f.topics {
			t.Lag(1000, 4*time.Second)
		}
		s, d, st := judgement()
		f.Judged(s, d, st)
		f.Behind(3*time.Second, 4)
	}
}

// fullCounts has a different number, at least 1, in each place.
func fullCounts() *Counts {
	c := &Counts{Records: 1000, Requests: 1000.5, Thinned: 500, Lines: make([]uint64, len(record.Reasons())+1)}
	for i := range c.Lines {
		c.Lines[i] = uint64(100 + i)
	}
	for i := range c.Refused {
		c.Refused[i] = uint64(200 + i)
	}
	for i := range c.Lacking {
		c.Lacking[i] = uint64(300 + i)
	}
	return c
}

// judgement is a tick at which s1 fired, s2 was revised, s3 resolved and s4 stayed as it was.
func judgement() (*policy.Snapshot, *policy.Decision, *policy.State) {
	end := time.Date(2026, 1, 1, 0, 10, 0, 0, time.UTC)
	hot := func(id string, fired time.Time, c policy.Cause, s policy.Severity) policy.Track {
		return policy.Track{Hotspot: &policy.Hotspot{ID: id, Fired: fired, Severity: s, Told: policy.Answer{Cause: c}}}
	}
	st := &policy.State{Detection: policy.Detection{Newest: end, Shards: map[string]policy.Track{
		"s1": hot("h1", end, policy.CauseHotKey, policy.SeverityCritical),
		"s2": hot("h2", end.Add(-6*time.Minute), policy.CauseVolume, policy.SeverityWarning),
		"s4": hot("h4", end.Add(-time.Minute), policy.CauseVolume, policy.SeverityWarning),
		"s5": {Since: end}, // pending
	}}}
	verdict := func(shard, id string, c policy.Cause, p policy.Phase) policy.Verdict {
		return policy.Verdict{
			Shard: shard, Hotspot: id, Cause: c, Phase: p, To: end, Time: end.Add(5 * time.Second), Onset: end.Add(-50 * time.Second),
		}
	}
	d := &policy.Decision{
		Verdicts: []policy.Verdict{
			verdict("s1", "h1", policy.CauseHotKey, policy.PhaseFiring), verdict("s2", "h2", policy.CauseVolume, policy.PhaseFiring),
			verdict("s3", "h3", policy.CauseWhaleTenant, policy.PhaseResolved),
		},
		Holds: []policy.Hold{
			{Hotspot: "h1", Reason: policy.HoldObserve},
			{Hotspot: "h2", Reason: policy.HoldObserve},
			{Hotspot: "h2", Reason: policy.HoldPinned, Detail: "the key"},
			{Hotspot: "h2", Reason: policy.HoldPinned, Detail: "the shard"},
		},
		Advice: []policy.Advice{{Topic: policy.TopicStorage}, {Topic: policy.TopicStorage}, {Topic: policy.TopicNotTraffic}},
	}
	s := &policy.Snapshot{
		Pane: 10 * time.Second, Panes: make([]policy.Pane, 30),
		Inputs: policy.Inputs{Coverage: 0.97, Missing: []string{"requests/3"}, Lag: 2 * time.Second},
		Keys: []policy.Contributor{
			{Key: "light", Panes: []policy.Sums{{Load: 10}}, Low: 1, High: 21},
			{Key: "heavy", Panes: []policy.Sums{{Load: 100}, {Load: 100}}, Low: 190, High: 240},
		},
	}
	return s, d, st
}

// gather lists what a registry has, by name of the metric and then by the labels' values, joined by commas in the order
// of their names; a histogram has the number of observations.
func gather(t *testing.T, reg prometheus.Gatherer) map[string]map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]float64{}
	for _, f := range families {
		series := map[string]float64{}
		for _, m := range f.GetMetric() {
			series[values(m)] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
		all[f.GetName()] = series
	}
	return all
}

func values(m *dto.Metric) string {
	text := ""
	for i, l := range m.GetLabel() {
		if i > 0 {
			text += ","
		}
		text += l.GetValue()
	}
	return text
}

// names lists the series of all, sorted, without those of the process and the runtime.
func names(all map[string]map[string]float64) []string {
	var list []string
	for metric, series := range all {
		if ours(metric) {
			for labels := range maps.Keys(series) {
				list = append(list, metric+"{"+labels+"}")
			}
		}
	}
	slices.Sort(list)
	return list
}

func ours(metric string) bool {
	return len(metric) > len(namespace) && metric[:len(namespace)+1] == namespace+"_"
}
