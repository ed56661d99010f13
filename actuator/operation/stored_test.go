package operation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing/control"
)

// stored is what the store alone tells of the first operation.
func (r *rig) stored() operation.Stored {
	r.t.Helper()
	a := &operation.Around{Now: r.now, Roll: &r.roll, Can: r.mover.can, Numbers: operation.Numbers{Config: r.numbers.Config}}
	out, err := operation.WaitsStored(r.state, 1, a)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// TestWaitsStored: what the store alone tells of an operation that waits is what keeps it, and what it cannot tell of is named.
func TestWaitsStored(t *testing.T) {
	for _, w := range carryWaits() {
		t.Run(named(w.phase, w.c), func(t *testing.T) {
			r := w.stands(t, operation.Machines())
			r.compareStored()
		})
	}
	t.Run("settle", func(t *testing.T) {
		r := carried(t)
		r.load(3, 0)
		step := split()
		step.Moves = step.Moves[:1]
		r.plan(policy.FixSplit, step)
		r.carry(operation.Settle)
		r.compareStored()
		if got := r.stored(); len(got.Waits) != 1 || !strings.HasSuffix(got.Waits[0].Why, "more of watching") || !slices.Equal(got.Unseen, []operation.Condition{operation.Fresh}) {
			t.Errorf("%+v", got)
		}
		r.carry(operation.Grace)
		r.ask(control.DoHold, 1)
		r.compareStored()
		if got := r.stored(); len(got.Waits) != 1 || got.Waits[0].Why != "held by ann: because" {
			t.Errorf("%+v", got)
		}
	})
}

// TestWaitsStoredUnlisted: where the clients cannot be listed, nothing is said of what they must do.
func TestWaitsStoredUnlisted(t *testing.T) {
	for _, w := range carryWaits() {
		r := w.stands(t, operation.Machines())
		got, err := operation.WaitsStored(r.state, 1, &operation.Around{Now: r.now, Can: r.mover.can, Numbers: operation.Numbers{Config: r.numbers.Config}})
		if err != nil {
			t.Fatal(err)
		}
		clients := []operation.Condition{operation.Confirmed, operation.Guarded, operation.Acknowledged}
		if slices.Contains(clients, w.c) && !slices.Contains(got.Unseen, w.c) || slices.ContainsFunc(got.Waits, func(w operation.Wait) bool { return slices.Contains(clients, w.Condition) }) {
			t.Errorf("%s: %+v", named(w.phase, w.c), got)
		}
	}
}

// compareStored holds what the store tells against what who decides says, for as long as the first operation stands where it does.
func (r *rig) compareStored() {
	r.t.Helper()
	for range 5 {
		was := r.state
		out := r.round()
		if out.Write != nil {
			return
		}
		got := r.stored()
		for _, w := range out.Waits[1] {
			if !slices.Contains(got.Waits, w) && !slices.Contains(got.Unseen, w.Condition) {
				r.t.Errorf("in %s it waits for %s: %s; the store tells %+v", was.Operation(1).Phase, w.Condition, w.Why, got)
			}
		}
		for _, w := range got.Waits {
			if !slices.Contains(out.Waits[1], w) {
				r.t.Errorf("in %s the store tells %+v, and it waits for %+v", was.Operation(1).Phase, w, out.Waits[1])
			}
		}
		r.now = r.now.Add(time.Second)
	}
}
