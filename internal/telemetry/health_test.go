package telemetry

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestHealth: each number of a source stands in a series of its own, by fleet and source; of one that never answered the age is not
// known; without sources there is none.
func TestHealth(t *testing.T) {
	cfg := testConfig()
	cfg.Health = append(cfg.Health, HealthSource{Fleet: "orders", Name: "new\xff", Stats: func() Health { return Health{Age: -1} }})
	_, reg := newTest(t, cfg)
	all := gather(t, reg)
	for metric, series := range map[string]map[string]float64{
		"firebreak_health_reads_total": {"orders,answered,pg": 4, "orders,failed,pg": 3, `orders,answered,new\xff`: 0, `orders,failed,new\xff`: 0},
		"firebreak_health_age_seconds": {"orders,pg": 90, `orders,new\xff`: math.NaN()},
		"firebreak_health_readings":    {"orders,pg": 2, `orders,new\xff`: 0},
		"firebreak_health_unread":      {"orders,pg": 1, `orders,new\xff`: 0},
	} {
		if diff := cmp.Diff(series, all[metric], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", metric, diff)
		}
	}
	cfg.Health = nil
	_, reg = newTest(t, cfg)
	if got := gather(t, reg)["firebreak_health_readings"]; len(got) > 0 {
		t.Errorf("no source, and %v", got)
	}
	cfg.Health = append(testConfig().Health, testConfig().Health...)
	if err := cfg.Validate(); err == nil {
		t.Error("a source stands twice")
	}
}
