package history

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/actuator"
	"firebreak/pipeline"
)

// TestPeaksAreTheHighest: against a list of all minutes: whole hours within a day, whole days before that, and at most 0.8 %
// too high. Whoever took the memory over at any moment answers the same.
func TestPeaksAreTheHighest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := NewPeaks(nil, 1)
		said := map[string]map[int64]float64{}
		at := noon()
		for range rapid.IntRange(1, 60).Draw(t, "minutes") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{1, 1, 1, 2, 9, 60, 700, 3000}).Draw(t, "step")) * time.Minute)
			m := &Minute{Fleet: "f", Start: at}
			for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "\xff"}), rapid.ID).Draw(t, "tenants") {
				rate := rounded(rapid.Float64Range(1e-3, 1e9).Draw(t, "rate"))
				m.Peaks = append(m.Peaks, Peak{name, rate})
				if said[name] == nil {
					said[name] = map[int64]float64{}
				}
				said[name][minuteOf(at)] = rate
			}
			p.Fold(m)
			if rapid.Bool().Draw(t, "twice") {
				p.Fold(m)
			}
			if rapid.Bool().Draw(t, "failover") {
				p = passedOn(t, p)
			}
		}
		before := at.Add(-time.Duration(rapid.IntRange(-5, 1500).Draw(t, "ago")) * time.Minute)
		newest, end := minuteOf(at), minuteOf(before)
		for name, list := range said {
			var low, high float64 // what must be in, and what may be
			for m, rate := range list {
				slack := int64(60)
				if m < newest-peakHours*60+60 {
					slack = 24 * 60
				}
				if m < end-slack && m >= end-peakDays*24*60 {
					low = max(low, rate)
				}
				if m < end && m >= end-(peakDays+1)*24*60 {
					high = max(high, rate)
				}
			}
			if got := p.Peak("f", name, before); got < low || got > high*(1+1.0/128) {
				t.Fatalf("%q: %v, want %v to %v", name, got, low, high)
			}
		}
		if got := p.Peak("f", "none", before); got != 0 {
			t.Fatalf("a tenant that was never seen had %v", got)
		}
	})
}

// passedOn is the same knowledge in another instance.
func passedOn(t tester, p *Peaks) *Peaks {
	t.Helper()
	raw, err := marshal(&memory{Peaks: p.save()})
	if err != nil {
		t.Fatal(err)
	}
	var m memory
	other := NewPeaks(nil, 1)
	if err = unmarshal(raw, &m, true); err == nil {
		err = other.load(m.Peaks)
	}
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// TestPeaksLeaveTheSurgeOut: the history of a whale ends before its surge begins, be it hours or days ago.
func TestPeaksLeaveTheSurgeOut(t *testing.T) {
	p := NewPeaks(nil, 1)
	onset := noon().Add(50 * time.Hour)
	for i := range 5 * 24 * 60 {
		at, rate := noon().Add(time.Duration(i)*time.Minute), 16.0
		if at.After(onset.Add(-time.Minute)) {
			rate = 900
		}
		p.Fold(&Minute{Fleet: "f", Start: at, Peaks: []Peak{{"whale", rate}}})
		if i%600 == 0 && at.After(noon().Add(3*time.Hour)) {
			before := onset
			if at.Before(onset) {
				before = at
			}
			if got := p.Peak("f", "whale", before); got != 16 {
				t.Errorf("%v after the onset: %v, want 16", at.Sub(onset), got)
			}
		}
	}
	if got := p.Peak("f", "whale", noon().Add(5*24*time.Hour)); got != 900 {
		t.Errorf("without an onset: %v, want 900", got)
	}
	if got := p.Peak("g", "whale", onset); got != 0 {
		t.Errorf("another fleet: %v", got)
	}
}

// TestPeaksAreBounded: a week of ever new tenants takes the memory of as many as are remembered, those that were high stay, and
// what travels fits the room whatever the names: less than a third of the largest checkpoint.
func TestPeaksAreBounded(t *testing.T) {
	const most = 20
	p := NewPeaks(nil, 1)
	p.most = most
	for i := range 9 * 24 * 6 {
		m := &Minute{Fleet: "f", Start: noon().Add(time.Duration(i) * 10 * time.Minute), Peaks: []Peak{{"always", 500}}}
		for j := range 7 {
			m.Peaks = append(m.Peaks, Peak{fmt.Sprintf("new-%d", 7*i+j), float64(10 + j)})
		}
		if i == 1000 {
			m.Peaks = append(m.Peaks, Peak{"once", 300})
		}
		p.Fold(m)
	}
	f := p.fleets["f"]
	if len(f.tenants) != most || f.tenants["always"] == nil || f.tenants["once"] == nil {
		t.Errorf("%d tenants, want %d and the two heaviest among them", len(f.tenants), most)
	}
	if s := f.tenants["always"]; len(s.hours) > peakHours+1 || len(s.days) > peakDays+1 {
		t.Errorf("%d hours and %d days", len(s.hours), len(s.days))
	}
	for _, name := range []string{"%d", "tenant-of-thirty-bytes-%08d", "%d" + strings.Repeat("x", 1000)} {
		p := NewPeaks(nil, 2)
		for hour := range 9 * 24 {
			if hour%24 > 0 && hour < 7*24+23 {
				continue // of what is days by the end one hour each
			}
			for _, fleet := range []string{"f", "g"} {
				m := &Minute{Fleet: fleet, Start: noon().Add(time.Duration(hour) * time.Hour)}
				for i := range 1200 {
					m.Peaks = append(m.Peaks, Peak{fmt.Sprintf(name, i), float64(5000 + i)})
				}
				p.Fold(m)
			}
		}
		raw, err := marshal(&memory{Peaks: p.save()})
		if err != nil || len(raw) > min(peakRoom, pipeline.MaxDelta/3) || len(raw) < peakRoom/2 {
			t.Errorf("names like %.10q: %d tenants in %d bytes, %v, want up to %d", name, len(p.fleets["f"].tenants), len(raw), err, peakRoom)
		}
	}
}

// TestPeaksOfHiddenNames: minutes whose names are hidden answer for the names themselves.
func TestPeaksOfHiddenNames(t *testing.T) {
	redact, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	p := NewPeaks(redact, 1)
	p.Fold(&Minute{Fleet: "f", Start: noon(), Peaks: []Peak{{redact([]byte("whale")), 12}}})
	if got := p.Peak("f", "whale", noon().Add(2*time.Hour)); got != 12 {
		t.Errorf("%v, want 12", got)
	}
}

// TestRates: rounding is up, by little, and in order; what is no rate is none.
func TestRates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(1e-30, 1e30).Draw(t, "a"), rapid.Float64Range(1e-30, 1e30).Draw(t, "b")
		x, y := rateOf(a), rateOf(b)
		if v := x.value(); v < float64(float32(a)) || v > float64(float32(a))*(1+1.0/128) {
			t.Fatalf("%v becomes %v", a, v)
		}
		if a < b && x > y {
			t.Fatalf("%v is more than %v", a, b)
		}
	})
	for _, none := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if rateOf(none) != 0 {
			t.Errorf("%v is a rate", none)
		}
	}
	if v := rateOf(math.Inf(1)).value(); math.IsInf(v, 0) {
		t.Error("no end of a rate")
	}
}
