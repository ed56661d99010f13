package ingest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestScale runs two instances and a follower on a log that grows.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("takes real seconds")
	}
	load := smallLoad()
	load.Rate = 2_000
	got, err := Scale(t.Context(), ScaleConfig{Load: load, Partitions: []int{4}, Instances: 2, Warm: time.Second, Length: 5 * time.Second, Launch: within})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Partitions != 4 || got[0].Rate <= 0 || got[0].Traffic <= 0 || got[0].Delta <= 0 {
		t.Errorf("%+v", got)
	}
	var out bytes.Buffer
	if err := got.Write(&out); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%v:\n%s", err, &out)
	}
}

// TestSum: what happened between two moments, by instance and by record.
func TestSum(t *testing.T) {
	before := []Status{
		{CPU: time.Second, Counted: 1000, Deltas: 1, Bytes: 100, Resident: 5, Rejected: 1},
		{CPU: 2 * time.Second, Counted: 0, Deltas: 0, Bytes: 0, Resident: 7},
		{CPU: 3 * time.Second, Followed: 50, Rejected: 1},
	}
	after := []Status{
		{CPU: 2 * time.Second, Counted: 4000, Deltas: 3, Bytes: 500, Resident: 9, Rejected: 3},
		{CPU: 4 * time.Second, Counted: 1000, Deltas: 2, Bytes: 600, Resident: 8},
		{CPU: 3*time.Second + 100*time.Millisecond, Followed: 1050, Rejected: 3},
	}
	got := sum(before, after, 10*time.Second)
	want := Scaled{Rate: 400, CPU: 0.15, Nanos: 750_000, Follow: 0.01, Traffic: 100, Delta: 250, Resident: 9, Rejected: 2}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
