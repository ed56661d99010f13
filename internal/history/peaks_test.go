package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/policy"
)

// TestPeaksAreTheHighest: against a list of all minutes, to the minute within a day and to ten before that.
func TestPeaksAreTheHighest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPeaks(nil, 0)
		type one struct {
			at   int64
			rate float64
		}
		said := map[string][]one{}
		at := noon()
		for range rapid.IntRange(1, 60).Draw(t, "minutes") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{1, 1, 1, 2, 9, 60, 700, 3000}).Draw(t, "step")) * time.Minute)
			m := &Minute{Fleet: "f", Start: at}
			for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "\xff"}), rapid.ID).Draw(t, "tenants") {
				rate := float64(rapid.IntRange(1, 1000).Draw(t, "rate"))
				m.Peaks = append(m.Peaks, Peak{name, rate})
				said[name] = append(said[name], one{minuteOf(at), rate})
			}
			p.Fold(m)
			if rapid.Bool().Draw(t, "twice") {
				p.Fold(m)
			}
		}
		before := at.Add(-time.Duration(rapid.IntRange(-5, 20_000).Draw(t, "ago")) * time.Minute)
		got := map[string]float64{}
		for _, h := range p.Histories("f", before, []string{"a", "b", "\xff", "none"}) {
			got[h.Tenant] = h.Peak
		}
		newest, end := minuteOf(at), minuteOf(before)
		for name, list := range said {
			var low, high float64 // what must be in, and what may be
			for _, x := range list {
				slack := int64(0)
				if x.at < newest-peakFine+peakStep {
					slack = peakStep
				}
				if x.at < end-slack && x.at >= end-peakSpan+slack && x.at >= newest-peakSpan+slack {
					low = max(low, x.rate)
				}
				if x.at < end+slack && x.at >= end-peakSpan-slack {
					high = max(high, x.rate)
				}
			}
			if got[name] < low || got[name] > high {
				t.Fatalf("%q: %v, want %v to %v", name, got[name], low, high)
			}
		}
	})
}

// TestPeaksLeaveTheSurgeOut: the history of a whale ends where its surge begins.
func TestPeaksLeaveTheSurgeOut(t *testing.T) {
	p := NewPeaks(nil, 0)
	for i := range 60 {
		rate := 10.0
		if i >= 50 {
			rate = 900
		}
		p.Fold(&Minute{Fleet: "f", Start: noon().Add(time.Duration(i) * time.Minute), Peaks: []Peak{{"whale", rate}}})
	}
	onset := noon().Add(50 * time.Minute)
	if diff := cmp.Diff([]policy.TenantHistory{{Tenant: "whale", Peak: 10}}, p.Histories("f", onset, []string{"x", "whale"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.Histories("g", onset, []string{"whale"}); got != nil {
		t.Errorf("another fleet: %v", got)
	}
}

// TestPeaksAreBounded: a week of ever new tenants takes the memory of as many as are remembered, and the points of each are
// bounded too.
func TestPeaksAreBounded(t *testing.T) {
	const most = 20
	p := NewPeaks(nil, most)
	minutes := 9 * 24 * 60
	for i := range minutes {
		m := &Minute{Fleet: "f", Start: noon().Add(time.Duration(i) * time.Minute), Peaks: []Peak{{"always", 5}}}
		for j := range 7 {
			m.Peaks = append(m.Peaks, Peak{fmt.Sprintf("new-%d", 7*i+j), float64(10 + j)})
		}
		p.Fold(m)
	}
	f := p.fleets["f"]
	if len(f.tenants) != most {
		t.Errorf("%d tenants, want %d", len(f.tenants), most)
	}
	if n := len(f.tenants["always"].points); n > 1440+864+2*peakStep {
		t.Errorf("%d points in %d minutes", n, minutes)
	}
	// The newest minutes are remembered, and of the oldest of them the heavier ones.
	for _, tt := range []struct {
		name string
		want bool
	}{
		{fmt.Sprintf("new-%d", 7*minutes-1), true},
		{fmt.Sprintf("new-%d", 7*(minutes-3)+6), true},
		{fmt.Sprintf("new-%d", 7*(minutes-3)+1), false},
	} {
		if got := f.tenants[tt.name] != nil; got != tt.want {
			t.Errorf("%s: remembered %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestPeaksOfHiddenNames: minutes whose names are hidden answer for the names themselves.
func TestPeaksOfHiddenNames(t *testing.T) {
	redact, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	p := NewPeaks(redact, 0)
	p.Fold(&Minute{Fleet: "f", Start: noon(), Peaks: []Peak{{redact([]byte("whale")), 12}}})
	if diff := cmp.Diff([]policy.TenantHistory{{Tenant: "whale", Peak: 12}}, p.Histories("f", noon().Add(time.Hour), []string{"whale"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
