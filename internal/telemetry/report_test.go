package telemetry

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReports: the newest report has a time, what failed has its reason; where nothing is known the time is NaN and counters stand at 0.
func TestReports(t *testing.T) {
	_, reg := newTest(t, testConfig())
	all := gather(t, reg)
	for metric, want := range map[string]map[string]float64{
		"firebreak_report_last_success_timestamp_seconds": {"": 1_772_434_800.25},
		"firebreak_report_failures_total":                 {"make": 1, "dir": 2, "command": 3, "journal": 4},
	} {
		if diff := cmp.Diff(want, all[metric]); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", metric, diff)
		}
	}
	cfg := testConfig()
	cfg.Reports = nil
	_, reg = newTest(t, cfg)
	all = gather(t, reg)
	if got, there := all["firebreak_report_last_success_timestamp_seconds"][""]; !there || !math.IsNaN(got) {
		t.Errorf("none was written: %v, there %v", got, there)
	}
	if diff := cmp.Diff(map[string]float64{"make": 0, "dir": 0, "command": 0, "journal": 0}, all["firebreak_report_failures_total"]); diff != "" {
		t.Errorf("none failed: want (-), got (+):\n%s", diff)
	}
}
