package main

import (
	"testing"
	"time"

	"firebreak/pipeline"
	"firebreak/policy"
)

// TestWorldOfAWatcher: each that knows something beside the log fills its own part, for the fleet and the moment that are asked for.
func TestWorldOfAWatcher(t *testing.T) {
	at := time.Unix(1700000000, 0)
	w := &watcher{beside: []besideLog{
		func(fleet string, now time.Time, w *policy.World) {
			w.Health = []policy.Reading{{Shard: fleet, Metric: policy.MetricRows, Value: float64(now.Unix())}}
		},
		func(fleet string, _ time.Time, w *policy.World) {
			w.Operator = policy.OperatorHold{Stop: true, Reason: fleet}
		},
	}}
	var sink pipeline.Sink = w
	o, ok := sink.(pipeline.Outsider)
	if !ok {
		t.Fatal("a watcher is not asked for what stands beside the log")
	}
	got := o.World("orders", at)
	if len(got.Health) != 1 || got.Health[0].Shard != "orders" || got.Health[0].Value != 1700000000 || got.Operator.Reason != "orders" {
		t.Errorf("%+v", got)
	}
	if none := (&watcher{}).World("orders", at); len(none.Health) != 0 || none.Operator.Stop {
		t.Errorf("nobody knows anything, and it says %+v", none)
	}
}
