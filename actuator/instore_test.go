package actuator_test

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

// TestInStore: the plan of the journal has the words and commands of the fleet's store; where names are hidden no command holds one, and
// of a plan that is too large they go before what it does.
func TestInStore(t *testing.T) {
	store, err := profiles.Open(profiles.Choice{Name: "citus", Set: map[string]string{"database": "shop", "table": "orders"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := routing.Adopt("f", routing.Placement{Bytes: "tenant", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	table, err := routing.NewTable(doc)
	if err != nil {
		t.Fatal(err)
	}
	plan := policy.Plan{ID: "p", Hotspot: "h", Fix: policy.FixIsolate, Steps: []policy.Step{{Kind: policy.StepPlaceTenant, Tenant: "acme-and-sons", Shards: []string{"shard-4"}}}}
	d := policy.Decision{Verdicts: []policy.Verdict{firing("h", policy.CauseWhaleTenant)}, Plans: []policy.Plan{plan}}
	st := policy.State{Detection: policy.Detection{Newest: start()}}
	written := func(mode string) (*line.Plan, actuator.Entry) {
		redact, err := actuator.ParseRedact(mode)
		if err != nil {
			t.Fatal(err)
		}
		tick := &actuator.Tick{Fleet: "f", Now: start().Add(time.Second), Pane: start(), Table: table, Decision: &d, State: &st, Store: store}
		entries, _, err := actuator.Scribe{Redact: redact}.Write(tick, actuator.Told{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if l, err := actuator.Read[line.Plan](&e); err == nil && e.Kind == actuator.KindPlan {
				return &l, e
			}
		}
		t.Fatal("no plan")
		return nil, actuator.Entry{}
	}
	l, e := written("off")
	in := l.Steps[0].InStore
	if in == nil || in.Store != "Citus" || len(in.Commands) != 2 || in.Commands[0].Argv[len(in.Commands[0].Argv)-1] != "tenant=acme-and-sons" {
		t.Fatalf("%+v", in)
	}
	_, hidden := written("hash")
	if strings.Contains(string(hidden.Line), "acme") || !strings.Contains(string(hidden.Line), "tenant=<tenant>") {
		t.Errorf("names are hidden: %s", hidden.Line)
	}
	e.Epoch, e.Instance = 1, "i"
	l.Steps[0].InStore.Commands[0].Stdin = strings.Repeat("s", actuator.MaxEntry)
	if e.Line, err = line.Encode(l); err != nil {
		t.Fatal(err)
	}
	e.Line = e.Line[:len(e.Line)-1]
	text := encode(t, &e)
	back, err := actuator.Decode(text)
	if err != nil || len(back.Cut) != 2 || back.Cut[1] != "commands" {
		t.Fatalf("cut %q, %v", back.Cut, err)
	}
	cut, err := actuator.Read[line.Plan](&back)
	if err != nil || cut.Steps[0].InStore.More != 2 || len(cut.Steps[0].InStore.Commands) != 0 || cut.Steps[0].InStore.Called != in.Called {
		t.Errorf("%+v, %v", cut.Steps[0].InStore, err)
	}
}
