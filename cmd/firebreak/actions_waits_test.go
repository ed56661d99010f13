package main

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// carrying is a fleet with an operation that carries a virtual shard, and stands in a phase since 20 s; carts-1 holds the document of before.
func carrying(t *testing.T, phase string) (*control.State, *operation.Around) {
	t.Helper()
	d, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(2))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Epoch, d.Tenure, d.Version = 1, "t", 7
	s := control.First(d)
	s.Operated = 1
	e := routing.VShardEntry(0)
	s.Operations = []control.Operation{{
		Number: 1, Machine: operation.MachineCarry, Phase: phase, Plan: "p", Fix: "split", Shard: "shard-0", Began: now.Add(-time.Minute), Since: now.Add(-20 * time.Second), Version: 7,
		Do: []control.Edit{{Entry: e, Value: "shard-1"}}, Was: []control.Edit{{Entry: e}},
	}}
	roll, cfg := &control.Roll{}, policy.Default()
	roll.Observe(now, []control.Confirmation{{Client: "carts-1", Epoch: 1, Version: 6}})
	return s, &operation.Around{Now: now, Roll: roll, Can: func(operation.Ask) bool { return true }, Numbers: operation.Numbers{Config: &cfg}}
}

// TestWaitsOfOperations: the list and the page of one operation say what it waits for, what a person was called for, and of what the store
// does not tell.
func TestWaitsOfOperations(t *testing.T) {
	full := "it waits in phase copy for longer than 10 minutes: the disk of shard-1 is full"
	for name, c := range map[string]struct {
		phase string
		needs string
		want  []string
		not   string
	}{
		"a mover":   {operation.Copy, full, []string{"a person must act", full, "not seen from here", "asked (the page of the instance that decides says)"}, "waits for"},
		"a client":  {operation.Flip, "", []string{"waits for", "confirmed: waiting for carts-1"}, "not seen"},
		"numbers":   {operation.Verify, "", []string{"guarded: no guard of shard-0 is known", "asked, fresh, fits (the page"}, "person"},
		"watching":  {operation.Settle, "", []string{"settled: 14m40s more of watching"}, "person"},
		"grace":     {operation.Grace, "", []string{"graced: 24h0m0s more of grace"}, "not seen"},
		"a version": {"newer", "", []string{"carry/newer is no phase that this version knows"}, "person"},
	} {
		t.Run(name, func(t *testing.T) {
			s, beside := carrying(t, c.phase)
			o := &s.Operations[0]
			if o.Needs = c.needs; c.phase == operation.Grace {
				o.Settled, o.Outcome = beside.Now, operation.Effective
			}
			var list, one strings.Builder
			if err := showActions(&list, s, &shownPlans{}, beside); err != nil {
				t.Fatal(err)
			}
			if err := showOperation(&one, s, o, beside); err != nil {
				t.Fatal(err)
			}
			for where, said := range map[string]string{"list": list.String(), "show": one.String()} {
				for _, want := range c.want {
					if !strings.Contains(said, want) {
						t.Errorf("%s lacks %q:\n%s", where, want, said)
					}
				}
				if strings.Contains(said, c.not) {
					t.Errorf("%s says %q:\n%s", where, c.not, said)
				}
			}
		})
	}
}

// TestWaitsWithoutClients: who may not list the clients is told that they are not seen.
func TestWaitsWithoutClients(t *testing.T) {
	s, beside := carrying(t, operation.Flip)
	beside.Roll = nil
	var one strings.Builder
	if err := showOperation(&one, s, &s.Operations[0], beside); err != nil || !strings.Contains(one.String(), "not seen from here  confirmed (the page") {
		t.Errorf("%v:\n%s", err, one.String())
	}
}

// TestHeldIsSaidOnce: who holds an operation is said, and not again among what it waits for.
func TestHeldIsSaidOnce(t *testing.T) {
	s, beside := carrying(t, operation.Copy)
	s.Operations[0].Held = "ann: not on a Friday"
	if said := standsAndWaits(s, &s.Operations[0], beside); said != "held by ann: not on a Friday" {
		t.Error(said)
	}
}
