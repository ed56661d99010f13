package policy

import (
	"testing"
	"time"
)

// TestGrown: a hotspot is told anew when it has borne a quarter more than was told for as long as an answer has to last, and not before.
func TestGrown(t *testing.T) {
	h := Hotspot{ToldLoad: 100}
	at := func(m int) time.Time { return time.Unix(1_790_000_000, 0).Add(time.Duration(m) * time.Minute) }
	for _, tc := range []struct {
		minute int
		load   float64
		want   bool
	}{{0, 130, false}, {4, 126, false}, {5, 125, true}, {6, 124, false}, {7, 200, false}, {11, 200, false}, {12, 200, true}} {
		if got := h.grown(tc.load, at(tc.minute), 5*time.Minute); got != tc.want {
			t.Errorf("minute %d, %v/s: %v", tc.minute, tc.load, got)
		}
	}
	if (&Hotspot{}).grown(1000, at(0), 0) {
		t.Error("one whose load was not told has grown")
	}
}

// TestGrownOnlyWithItsAnswer: a load that grew is not told with a fix that does not suffice any more: another answer has to last first.
func TestGrownOnlyWithItsAnswer(t *testing.T) {
	h := Hotspot{Told: Answer{Cause: CauseVolume, Fix: FixSplit}}
	none := &finding{}
	for _, tc := range []struct {
		a    Answer
		want bool
	}{{h.Told, true}, {Answer{Cause: CauseVolume, Fix: FixNone}, false}, {Answer{Cause: CauseUnknown, Fix: FixSplit}, false}, {Answer{Cause: CauseHotKey, Key: "k", Fix: FixSplit}, false}} {
		if got := h.says(tc.a, none); got != tc.want {
			t.Errorf("%+v: %v", tc.a, got)
		}
	}
}
