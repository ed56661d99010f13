package history

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/policy"
)

// TestMinuteHidesNames: no name is in the log where names are hidden, and the same name is the same text.
func TestMinuteHidesNames(t *testing.T) {
	redact, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	judged := story(t, 36, config(policy.Capacity{}), unchanged)
	s := NewSummary(redact)
	for i := range judged {
		for _, m := range s.Judged(&judged[i]) {
			raw, err := marshal(&m)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(raw, []byte("t-2")) {
				t.Fatal("a name is written")
			}
			if m.Top[0].Tenant != redact([]byte("t-29")) || m.TopKeys[0].Key != redact([]byte("k")) {
				t.Errorf("%+v", m.Top[0])
			}
			if m.Peaks != nil && m.Peaks[0].Tenant != redact([]byte("t-29")) {
				t.Errorf("%+v", m.Peaks[0])
			}
		}
	}
}

// TestMinuteFits: long names do not make a minute too large for the log, and what is left out is counted.
func TestMinuteFits(t *testing.T) {
	tick := fired(t, big(t, 512))
	noise := rand.NewChaCha8([32]byte{3})
	for i := range tick.Snapshot.Tenants {
		name := make([]byte, 1000)
		if _, err := noise.Read(name); err != nil {
			t.Fatal(err)
		}
		tick.Snapshot.Tenants[i].Tenant = string(name)
	}
	m, ok := minuteAt(&tick, noon())
	if !ok {
		t.Fatal("no minute")
	}
	m.peaks(&tick)
	if len(m.Peaks) != 258 || m.Unlisted != 2048-258 {
		t.Errorf("%d peaks, %d unlisted", len(m.Peaks), m.Unlisted)
	}
	values, err := m.encode()
	if err != nil || len(values) != 1 {
		t.Fatalf("%d values, %v", len(values), err)
	}
	e := whole(t, values)
	back, err := e.Minute()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, back); diff != "" {
		t.Errorf("comes back otherwise (-want +got):\n%s", diff)
	}
	if _, err := e.Evidence(); err == nil {
		t.Error("a minute is read as evidence")
	}
}
