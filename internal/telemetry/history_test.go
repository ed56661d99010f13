package telemetry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHistory: each number of the writer stands in a series of its own, and all are there where nothing is written.
func TestHistory(t *testing.T) {
	want := map[string]map[string]float64{
		"firebreak_history_entries_written_total": {"": 6},
		"firebreak_history_entries_dropped_total": {"no_room": 5, "refused": 4},
		"firebreak_history_write_failures_total":  {"": 3},
		"firebreak_history_entries_waiting":       {"": 2},
		"firebreak_history_waiting_bytes":         {"": 1},
	}
	_, reg := newTest(t, testConfig())
	all := gather(t, reg)
	for metric, series := range want {
		if diff := cmp.Diff(series, all[metric]); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", metric, diff)
		}
	}
	cfg := testConfig()
	cfg.History = nil
	_, reg = newTest(t, cfg)
	all = gather(t, reg)
	for metric, series := range want {
		for labels := range series {
			if got, there := all[metric][labels]; !there || got != 0 {
				t.Errorf("%s{%s} is %v, there %v, where nothing is written", metric, labels, got, there)
			}
		}
	}
}
