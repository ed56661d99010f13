package console

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// TestRanked: the hotspot that the page calls the worst is critical, or is the furthest over its line, whichever began last; what a person
// accepted comes after all others, and what is over by its onset.
func TestRanked(t *testing.T) {
	m := New([]Fleet{{Name: "orders"}}, nil)
	f := m.fleet("orders")
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i, of := range []struct {
		id, severity string
		load         float64
		over         bool
	}{
		{"far", "warning", 1600, false},
		{"known", "critical", 9000, false},
		{"near", "warning", 900, false},
		{"full", "critical", 500, false},
		{"first", "critical", 900, true},
		{"last", "warning", 500, true},
	} {
		h := f.of(of.id)
		h.verdict = &line.Verdict{Severity: of.severity, Load: line.Number(of.load), Line: 200, Onset: line.Stamp(begun.Add(time.Duration(i) * time.Minute))}
		if of.over {
			h.resolved = begun.Add(time.Hour)
		}
	}
	e, err := actuator.NewAccepted("orders", begun, actuator.Accepted{Hotspot: "known", By: "ann", Reason: "a load test", Until: line.Stamp(begun.Add(time.Hour)), Load: 9000})
	if err != nil {
		t.Fatal(err)
	}
	m.Entry(&e)
	for open, want := range map[bool][]string{true: {"full", "far", "near", "known"}, false: {"last", "first"}} {
		var got []string
		for _, h := range f.ranked(open) {
			got = append(got, h.id)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("open %v: %s", open, diff)
		}
	}
}
