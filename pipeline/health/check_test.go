package health

import (
	"strings"
	"testing"

	"firebreak/policy"
)

// TestCheck: what a query gives is right, or what is wrong is said with what mends it.
func TestCheck(t *testing.T) {
	s := &scripted{}
	reading := func(m policy.Metric, v float64) []policy.Reading {
		return []policy.Reading{{Shard: "a", Metric: m, Value: v}, {Shard: "a", Metric: m, Value: 0}, {Shard: "b", Metric: m, Value: 0.5}}
	}
	for _, tt := range []struct {
		result             Result
		shards             []string
		detail, err, mends string
	}{
		{Result{Metric: policy.MetricStorage, Readings: reading(policy.MetricStorage, 1)}, []string{"a", "b", "c"}, "2 of 3 shards, 0 to 1", "", ""},
		{Result{Metric: policy.MetricStorage, Readings: reading(policy.MetricStorage, 1), Strange: []string{"x", ""}}, nil, "2 shards, 0 to 1; no shard of the fleet: x, a series without the label", "", ""},
		{Result{Metric: policy.MetricStorage, Readings: reading(policy.MetricStorage, 85)}, nil, "", "0 to 85 is no share", "a factor of 0.01"},
		{Result{Metric: policy.MetricErrors, Readings: reading(policy.MetricErrors, -0.5)}, nil, "", "-0.5 to 0.5 is no share", "want 0 to 1"},
		{Result{Metric: policy.MetricRows, Readings: reading(policy.MetricRows, 1e6)}, nil, "2 shards, 0 to 1e+06", "", ""},
		{Result{Metric: policy.MetricLatency, Readings: reading(policy.MetricLatency, 30)}, nil, "2 shards, 0 to 30 s", "", ""},
		{Result{Metric: policy.MetricStorage}, nil, "", "it gives nothing", "look at the query"},
		{Result{Metric: policy.MetricStorage, Strange: []string{"x"}}, nil, "", "it names no shard of the fleet: x", "label, regex or shards"},
		{failed(policy.MetricStorage), nil, "", "refused", "mend the query"},
	} {
		s.say(tt.result)
		f := &Fleet{shards: tt.shards, sources: []*source{{name: "s", asker: s, timeout: defaultTimeout}}}
		c := f.Check(t.Context())[0]
		if c.Source != "s" || c.Metric != tt.result.Metric || c.Detail != tt.detail || (c.Err == nil) != (tt.err == "") || c.Err != nil && c.Err.Error() != tt.err || !strings.Contains(c.Mend, tt.mends) || c.Err == nil && c.Mend != "" {
			t.Errorf("%+v\nwant %+v", c, tt)
		}
	}
}
