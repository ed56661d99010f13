package history

import (
	"bytes"
	"testing"

	"firebreak/policy"
)

// TestJudgingChangesNothing: what an evaluation was given stays as it was, through it and through all that follow from the
// state that it returned: evidence and checkpoints rest on it.
func TestJudgingChangesNothing(t *testing.T) {
	told := 0
	judged := story(t, 72, config(policy.Capacity{Total: 700}), unchanged)
	given := make([][]byte, len(judged))
	states := make([]policy.State, len(judged)+1)
	for i := range judged {
		j := &judged[i]
		j.Before = &states[i]
		given[i] = inputs(t, j)
		var d policy.Decision
		d, states[i+1] = policy.Evaluate(j.Snapshot, j.Config, states[i], j.Now)
		told += len(d.Verdicts)
	}
	if told == 0 || len(states[72].Detection.Shards) == 0 {
		t.Errorf("%d verdicts, state %+v: the test shows little", told, states[72])
	}
	for i := range judged {
		if !bytes.Equal(inputs(t, &judged[i]), given[i]) {
			t.Fatalf("the inputs of tick %d were changed", i)
		}
	}
}

// inputs are what an evaluation is given, in bytes.
func inputs(t *testing.T, tick *Tick) []byte {
	t.Helper()
	raw, err := marshal(&struct {
		Snapshot policy.Snapshot
		Config   policy.Config
		Before   policy.State
	}{*tick.Snapshot, *tick.Config, *tick.Before})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
