package main

import (
	"strings"
	"testing"

	"firebreak/internal/line"
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

// TestPlanText: behind the steps of a plan stands the one that it leaves to a person.
func TestPlanText(t *testing.T) {
	var b strings.Builder
	plan := policy.Plan{Fix: policy.FixIsolate, Steps: []policy.Step{
		{Kind: policy.StepQuota, Tenant: "acme", Text: "limit tenant \"acme\" to 10/s"}, {Kind: policy.StepPlaceTenant, Tenant: "acme", Text: "place tenant \"acme\" on 1 new shard of its own"},
	}}
	if err := newTextPrinter(&b).plan(line.NewPlan("orders", line.Stamp{}, &plan, nil), &plan, true); err != nil {
		t.Fatal(err)
	}
	want := `3. lift the quota of tenant "acme" by hand, once its shard bears it: it refuses until then`
	if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, want) {
		t.Errorf("want %s in\n%s", want, got)
	}
}
