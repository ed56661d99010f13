package telemetry

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"firebreak/pipeline/record"
)

// TestSeriesAreFixedAtStart: what is updated later was there from the start; nothing is added.
func TestSeriesAreFixedAtStart(t *testing.T) {
	m, reg := newTest(t, testConfig())
	before := names(gather(t, reg))
	populate(m)
	after := names(gather(t, reg))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("series at the start (-) and later (+):\n%s", diff)
	}
	if len(before) < 200 {
		t.Errorf("%d series, want those of two fleets", len(before))
	}
}

// TestStart: counters are zero, what is not known is NaN, nothing looks healthy that was not seen to be.
func TestStart(t *testing.T) {
	_, reg := newTest(t, testConfig())
	all := gather(t, reg)
	for metric, series := range all {
		if ours(metric) && strings.HasSuffix(metric, "_total") && metric != "firebreak_deliveries_total" &&
			!strings.HasPrefix(metric, "firebreak_history_") && !strings.HasPrefix(metric, "firebreak_report_") && !strings.HasPrefix(metric, "firebreak_health_") { // those are asked, see populate_test.go
			for labels, v := range series {
				if v != 0 {
					t.Errorf("%s{%s} starts at %v", metric, labels, v)
				}
			}
		}
	}
	for _, metric := range []string{
		"coverage_ratio", "window_lag_seconds", "last_traffic_timestamp_seconds", "source_lag_records", "source_lag_seconds", "sketch_memory_bytes",
		"sketch_unlisted_key_ratio", "sketch_heaviest_key_error_ratio",
	} {
		for labels, v := range all["firebreak_"+metric] {
			if !math.IsNaN(v) {
				t.Errorf("%s{%s} starts at %v, want NaN", metric, labels, v)
			}
		}
	}
	if got := all["firebreak_blind"]["orders"]; got != 1 {
		t.Errorf("blind starts at %v, want 1", got)
	}
	if got := all["firebreak_window_warm"]["orders"]; got != 0 {
		t.Errorf("window_warm starts at %v, want 0", got)
	}
	if got := all["firebreak_thinning_keep_ratio"]["orders"]; got != 1 {
		t.Errorf("thinning_keep_ratio starts at %v, want 1", got)
	}
}

// TestNamesAreEscaped: names of any bytes are labels, reversibly and apart from others.
func TestNamesAreEscaped(t *testing.T) {
	_, reg := newTest(t, testConfig())
	all := gather(t, reg)
	if _, ok := all["firebreak_blind"][`caf\xff\\`]; !ok {
		t.Errorf("fleets: %v", all["firebreak_blind"])
	}
	if _, ok := all["firebreak_source_lag_records"][`,caf\xff\\,cache\xff`]; !ok {
		t.Errorf("topics: %v", all["firebreak_source_lag_records"])
	}
}

// TestCounted: each number arrives at a series of its own, and adds up.
func TestCounted(t *testing.T) {
	m, reg := newTest(t, testConfig())
	f := m.Fleet("orders")
	f.Counted(fullCounts())
	f.Counted(fullCounts())
	f.Counted(&Counts{})
	want := map[string]map[string]float64{
		"firebreak_records_counted_total":  {"orders": 2000},
		"firebreak_requests_counted_total": {"orders": 2001},
		"firebreak_records_thinned_total":  {"orders": 1000},
		"firebreak_lines_ignored_total":    {},
		"firebreak_records_refused_total":  {},
		"firebreak_records_lacking_total":  {"orders,time": 600, "orders,placement": 602, "orders,rate": 604},
	}
	for _, r := range record.Reasons() {
		metric := "firebreak_lines_ignored_total"
		if r.Refusal() {
			metric = "firebreak_records_refused_total"
		}
		want[metric]["orders,"+r.String()] = 2 * (100 + float64(r))
	}
	for i, r := range []string{"late", "future", "weight", "too_heavy", "too_many_shards", "crowded"} {
		want["firebreak_records_refused_total"]["orders,"+r] = 2 * (200 + float64(i))
	}
	all := gather(t, reg)
	for metric, series := range want {
		got := all[metric]
		for labels := range got {
			if !strings.HasPrefix(labels, "orders") {
				if got[labels] != 0 {
					t.Errorf("%s{%s} = %v: another fleet's", metric, labels, got[labels])
				}
				delete(got, labels)
			}
		}
		if diff := cmp.Diff(series, got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", metric, diff)
		}
	}
}

// TestGroup: what being one of many says.
func TestGroup(t *testing.T) {
	m, reg := newTest(t, testConfig())
	populate(m)
	m.Decides(false, 8)
	all := gather(t, reg)
	want := map[string]map[string]float64{
		"firebreak_delta_published_bytes":      {"": 1},
		"firebreak_deltas_accepted_total":      {"": 1},
		"firebreak_delta_fleets_foreign_total": {"": 2},
		"firebreak_delta_panes_crowded_total":  {"": 5},
		"firebreak_deltas_rejected_total":      {"position": 1, "topic": 1, "seed": 1, "shards": 1, "malformed": 1},
		"firebreak_delta_followed_bytes_total": {"": 20_050},
		"firebreak_follower_lag_records":       {"": 3},
		"firebreak_decider":                    {"": 0},
		"firebreak_decider_epoch":              {"": 8},
		"firebreak_owned_partitions":           {"": 12},
		"firebreak_tick_duration_seconds":      {"": 1},
		"firebreak_deliveries_total":           {"delivered,hook": 5, "retried,hook": 4, "gave_up,hook": 3, "folded,hook": 2},
		"firebreak_delivery_queue_length":      {"hook": 1},
	}
	for metric, series := range want {
		if diff := cmp.Diff(series, all[metric]); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", metric, diff)
		}
	}
	for metric, labels := range map[string]map[string]float64{
		"source_lag_records": {"eu,orders,requests": 1000, "us,orders,requests": 1000}, "source_lag_seconds": {"eu,orders,requests": 4},
		"offsets_skipped_total": {"orders,retention": 9, "orders,data_loss": 9},
		"sketch_memory_bytes":   {"orders": 8 << 20}, "sketch_unlisted_key_ratio": {"orders": 0.001},
		"window_lag_seconds": {"orders": 3}, "missing_partitions": {"orders": 4}, // of now, not of the judgement before
		"thinned_partitions": {"orders": 2}, "thinning_keep_ratio": {"orders": 0.25},
	} {
		for label, v := range labels {
			if got, ok := all["firebreak_"+metric][label]; !ok || got != v {
				t.Errorf("%s{%s} = %v (there: %v), want %v", metric, label, got, ok, v)
			}
		}
	}
}

// TestNewRefuses: what would give two series the same labels, and a registry that is taken; then it leaves nothing.
func TestNewRefuses(t *testing.T) {
	topic := TopicName{Cluster: "c", Topic: "t"}
	for name, cfg := range map[string]Config{
		"a fleet twice":    {Fleets: []FleetConfig{{Name: "f"}, {Name: "f"}}},
		"a nameless fleet": {Fleets: []FleetConfig{{}}},
		"a topic twice":    {Fleets: []FleetConfig{{Name: "f", Topics: []TopicName{topic, topic}}}},
		"a nameless topic": {Fleets: []FleetConfig{{Name: "f", Topics: []TopicName{{Cluster: "c"}}}}},
		"a receiver twice": {Receivers: []Receiver{{Name: "r"}, {Name: "r"}}},
	} {
		if _, err := New(prometheus.NewRegistry(), cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	reg := prometheus.NewRegistry()
	taken := prometheus.NewGauge(prometheus.GaugeOpts{Name: "firebreak_blind", Help: "Another one."})
	reg.MustRegister(taken)
	if _, err := New(reg, testConfig()); err == nil {
		t.Fatal("a registry that holds firebreak_blind: no error")
	}
	if all := gather(t, reg); len(all) != 1 {
		t.Errorf("after the error the registry holds %d metrics, want the one that it had", len(all))
	}
}

// TestUnwatched: nil takes everything.
func TestUnwatched(t *testing.T) {
	var m *Metrics
	m.Published(1)
	m.Followed(1)
	m.Accepted(1, 1)
	m.Rejected(RejectionSeed)
	m.Following(1)
	m.Decides(true, 1)
	m.Owns(1)
	m.Ticked(1)
	if f := m.Fleet("f"); f != nil {
		t.Fatal("a fleet of nothing")
	}
	known, _ := newTest(t, testConfig())
	f := known.Fleet("not configured")
	f.Counted(fullCounts())
	f.Skipped(SkipDataLoss, 1)
	f.Sketched(1, 1)
	f.Thinning(1, 1)
	s, d, st := judgement()
	f.Judged(s, d, st)
	if f != nil || f.Topic(TopicName{}) != nil {
		t.Fatal("a topic of nothing")
	}
	f.Topic(TopicName{}).Lag(1, time.Second)
}

// TestUpdatesDoNotAllocate: they run at every tick beside the counting.
func TestUpdatesDoNotAllocate(t *testing.T) {
	m, _ := newTest(t, testConfig())
	f := m.Fleet("orders")
	topic, counts := f.Topic(TopicName{"eu", "requests"}), fullCounts()
	s, d, st := judgement()
	for name, update := range map[string]func(){
		"judged": func() { f.Judged(s, d, st) }, "counted": func() { f.Counted(counts) }, "lag": func() { topic.Lag(1, time.Second) },
		"published": func() { m.Published(1000) }, "followed": func() { m.Followed(1000) }, "accepted": func() { m.Accepted(1, 1) }, "rejected": func() { m.Rejected(RejectionTopic) },
	} {
		if n := testing.AllocsPerRun(100, update); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
