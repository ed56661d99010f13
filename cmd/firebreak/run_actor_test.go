package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/actuator/steward"
	"firebreak/dashboards/console"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestActorHides: what the page is told of a fleet has the names that it is to have: all of them, or none where they are hidden; whatever
// says them, the document, an operation with its way back, or what it waits for.
func TestActorHides(t *testing.T) {
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "tenant,key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	whale := routing.TenantEntry("whale")
	if err := doc.Set(whale, "shard-1"); err != nil {
		t.Fatal(err)
	}
	state := control.First(doc)
	state.Document.Double(routing.Double{Entry: whale, Value: "shard-2", Both: true})
	state.Operated = 1
	state.Operations = []control.Operation{{
		Number: 1, Machine: operation.MachineMove, Phase: operation.Flip, Plan: "7c", Fix: "isolate", Shard: "shard-3", Version: 1, Do: []control.Edit{{Entry: whale, Value: "shard-1"}}, Was: []control.Edit{{Entry: whale}},
	}}
	hide, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	for _, redact := range []actuator.Redact{nil, hide} {
		a := &actor{[]*steward.Steward{steward.New(&steward.Config{Fleet: "orders", Epoch: func() int64 { return 0 }})}, redact}
		now := a.shown(&steward.View{
			Standing: steward.Standing{Fleet: "orders", State: state, Seen: time.Unix(1000, 0)}, Decides: true, Approvers: []string{"ann"},
			Waits: map[uint64][]operation.Wait{1: {{Condition: operation.Fits, Why: fmt.Sprintf("%s would go to shard-9, of %q", whale, "whale")}}},
			Holds: map[string]error{"7d": fmt.Errorf("no limit of %q", "whale")},
		})
		b, err := json.Marshal(now)
		if err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(string(b), "whale"); says != (redact == nil) {
			t.Errorf("hidden: %v: %s", redact != nil, b)
		}
		o := &now.Operations[0]
		if !now.Decides || now.Version != 1 || len(o.Stages) == 0 || len(o.Undo) == 0 || o.NoUndo != "" || len(o.Waits) != 1 || !strings.HasPrefix(o.Waits[0], "fits: tenant/") {
			t.Errorf("%+v", now)
		}
		if want := (console.Doubled{Name: redact.Entry(whale).String(), Value: "shard-2", Both: true}); !slices.Equal(now.Doubled, []console.Doubled{want}) {
			t.Errorf("written twice: %+v, want %+v", now.Doubled, want)
		}
		if _, err := a.Lines("orders", "7c"); err == nil || !strings.Contains(err.Error(), "not read yet") {
			t.Errorf("a plan of a fleet that was not read: %v", err)
		}
		if a.Acting("orders") != nil {
			t.Error("a fleet that was not read is shown")
		}
		if a.Acting("another") != nil {
			t.Error("another fleet is known")
		}
		if _, err := a.Say(t.Context(), "another", &control.Request{}); !errors.Is(err, errNotRouted) {
			t.Errorf("another fleet: %v", err)
		}
	}
}
