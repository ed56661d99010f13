package operation_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
)

// TestWorldHolds: what policy is told of operations that did not help, or are over.
func TestWorldHolds(t *testing.T) {
	r := newRig(t)
	r.spent(3, operation.Grace)
	r.state.Operations[0].Outcome, r.state.Operations[1].Outcome = operation.Misrouted, operation.NoEffect
	w := operation.World(r.state, &r.roll, r.now)
	if !w.Operations[0].NoEffect || !w.Operations[1].NoEffect || w.Operations[2].NoEffect || w.Budget.LastHour != 3 || w.Budget.Open != 0 {
		t.Errorf("%+v, %+v", w.Operations, w.Budget)
	}
}

var operations = flag.Int("operations", 200, "how many operations TestManyOperations carries out")

// TestManyOperations: the state stays as small as what is open and what has a way back. 10,000 took 80 s and at most 17,050 bytes on
// 2026-11-30.
func TestManyOperations(t *testing.T) {
	n := *operations
	r := newRig(t)
	r.numbers.Config.PerHour = 1000
	most := 0
	for i := range n {
		step := policy.Step{Kind: policy.StepQuota, Tenant: fmt.Sprint("tenant ", i%50), Rate: float64(1 + i)}
		if i%2 == 1 {
			step = policy.Step{Kind: policy.StepMove, Moves: []routing.Move{{VShard: routing.VShard(i % 40), To: routing.ShardID((i%40 + i/40*2 + 2) % 4)}}}
		}
		p := r.plan(policy.FixQuota, step)
		r.numbers.Decision.Plans[0].ID = fmt.Sprint(p.ID, i)
		number := r.state.Operated + 1
		var out operation.Round
		for range 40 {
			r.numbers.Decision.Plans[0].Ready = r.state.Operated < number // the end of another one may come first
			out = r.round()
			if o := r.state.Operation(number); o != nil && o.Phase == operation.Grace {
				break
			}
			r.now = r.now.Add(8 * time.Minute)
		}
		if o := r.state.Operation(number); o == nil || o.Phase != operation.Grace {
			t.Fatalf("operation %d is not done, held %v: %+v", number, out.Holds, r.notes[max(0, len(r.notes)-2):])
		}
		r.notes = nil
		b, err := r.state.Encode()
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(b))
	}
	t.Logf("%d operations, at most %d bytes", n, most)
	if most > 40<<10 {
		t.Errorf("the state took %d bytes", most)
	}
}

// TestFullState: a plan for which the state has no room is held, and says when there is.
func TestFullState(t *testing.T) {
	r := newRig(t)
	r.spent(60, operation.Grace)
	for i := range r.state.Operations {
		r.state.Operations[i].Why = strings.Repeat("x", 4000)
	}
	r.plan(policy.FixSplit, split())
	if _, err := operation.Begin(r.state, &r.numbers.Decision.Plans[0], r.terms(), r.now); err == nil || !strings.Contains(err.Error(), "make room") {
		t.Errorf("begun: %v", err)
	}
}
