package draw

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func labels(s Scale) []string {
	var out []string
	for _, step := range s.Steps() {
		label := step.Label
		if step.First {
			label = "over: " + label
		}
		out = append(out, label)
	}
	return out
}

// TestScaleSteps: the classes are fixed, in numbers that people know.
func TestScaleSteps(t *testing.T) {
	for _, tt := range []struct {
		scale Scale
		want  []string
	}{
		{OfCapacity(0.7, 0.8), []string{"under 25 %", "25 % to 50 %", "50 % to 70 %", "over: 70 % to 80 %", "80 % to 100 %", "over 100 %"}},
		{OfCapacity(0.9, 0.9), []string{"under 25 %", "25 % to 50 %", "50 % to 90 %", "over: 90 % to 100 %", "over 100 %"}},
		{OfCapacity(0.3, 1), []string{"under 10 %", "10 % to 20 %", "20 % to 30 %", "over: 30 % to 100 %", "over 100 %"}},
		{OfMean(1.5), []string{"under 0.5×", "0.5× to 1×", "1× to 1.5×", "over: 1.5× to 2×", "2× to 4×", "over 4×"}},
	} {
		if diff := cmp.Diff(tt.want, labels(tt.scale)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestScaleClass(t *testing.T) {
	s := OfCapacity(0.7, 0.8)
	for _, tt := range []struct {
		share float64
		want  int
	}{{0, 0}, {0.001, 1}, {0.24, 1}, {0.26, 2}, {0.6, 3}, {0.7, 3}, {0.701, 4}, {0.81, 5}, {1.2, 6}, {90, 6}} {
		if got := s.Class(tt.share / 0.7); got != tt.want {
			t.Errorf("%v of capacity is class %d, want %d", tt.share, got, tt.want)
		}
	}
	if got := s.Value(2); got != "140 % of capacity" {
		t.Error(got)
	}
	if got := OfMean(1.5).Value(2); got != "3× the mean" {
		t.Error(got)
	}
}

// TestScaleRises: more load is never a lower class, and the classes over the line are those of loads over the line.
func TestScaleRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		warning := rapid.Float64Range(0.05, 1).Draw(t, "warning")
		s := OfCapacity(warning, rapid.Float64Range(warning, 1).Draw(t, "critical"))
		if rapid.Bool().Draw(t, "mean") {
			s = OfMean(rapid.Float64Range(1.01, 50).Draw(t, "line"))
		}
		a, b := rapid.Float64Range(0, 4).Draw(t, "a"), rapid.Float64Range(0, 4).Draw(t, "b")
		if a > b {
			a, b = b, a
		}
		if s.Class(a) > s.Class(b) {
			t.Fatalf("class of %v is %d, of %v %d", a, s.Class(a), b, s.Class(b))
		}
		if (a > 1) != (s.Class(a) >= firstOver) {
			t.Fatalf("%v x the line is class %d", a, s.Class(a))
		}
	})
}
