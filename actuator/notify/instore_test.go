package notify

import (
	"strings"
	"testing"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// TestInStore: a message about a hotspot has the words of its store where the fleet names a profile, and no command of it.
func TestInStore(t *testing.T) {
	e := fired("h")
	v := &line.Verdict{Head: line.NewHead("verdict", "orders", line.Stamp(e.At)), Hotspot: "h", Cause: "hot_key", Key: "k", Fix: "salt", Shard: "shard-1"}
	var err error
	if e.Line, err = line.Encode(v); err != nil {
		t.Fatal(err)
	}
	plan := &line.Plan{ID: "p", Projection: line.Projection{Fix: v.Fix}, Steps: []line.Step{{Kind: "salt", Key: v.Key}}}
	n := &Notice{Entry: e, Story: &Story{Verdict: v, Plan: plan}}
	said := func() string {
		for _, f := range (&Guide{}).Message(n).Facts {
			if f.Label == "In your store" {
				return f.Text.Quoted()
			}
		}
		return ""
	}
	if got := said(); got != "" {
		t.Errorf("of no profile: %s", got)
	}
	plan.Steps[0].InStore = &line.InStore{Store: "DynamoDB", Called: "write sharding", Possible: "advice", Reason: "the application does it", Commands: []line.Command{{Argv: []line.Name{"aws", "secret"}}}}
	if got, want := said(), "In DynamoDB: write sharding; by hand: the application does it."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	entry := *e
	entry.Kind, entry.Phase = actuator.KindPlan, actuator.PhaseBegun
	plan.Head = line.NewHead("plan", "orders", line.Stamp(e.At))
	if entry.Line, err = line.Encode(plan); err != nil {
		t.Fatal(err)
	}
	story := &Story{}
	story.apply(&entry)
	if in := story.Plan.Steps[0].InStore; len(in.Commands) != 0 || in.More != 1 || strings.Contains(string(in.Called), "secret") {
		t.Errorf("what is kept of a plan: %+v", in)
	}
}
