package main

import (
	"testing"

	"firebreak/policy"
)

// TestCostText: the hottest shard under an isolation is of those that serve, and what the shard of its own bears stands beside it.
func TestCostText(t *testing.T) {
	for _, tt := range []struct {
		p    policy.Projection
		want string
	}{
		{policy.Projection{Fix: policy.FixSplit, Hottest: 9000, Imbalance: 1.5, MovedShare: 0.1}, " (hottest shard then 9,000/s, " + times(1.5) + " the mean, 10 % of the load moves)"},
		{policy.Projection{Fix: policy.FixIsolate, Hottest: 9000, Imbalance: 1.5, Own: 12000}, " (hottest of the shards that serve then 9,000/s, " + times(1.5) + " the mean, its own shard 12,000/s)"},
	} {
		if got := costText(&tt.p); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
