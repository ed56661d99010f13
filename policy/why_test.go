package policy

import "testing"

// TestPercent: what is next to nothing is no number, and nothing is 0.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 1e-35: "0 %", 0.0004: "under 0.1 %", 0.001: "0.1 %", 0.075: "7.5 %", 0.5: "50 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("%g: got %q, want %q", share, got, want)
		}
	}
}
