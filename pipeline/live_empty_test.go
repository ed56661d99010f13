package pipeline

import (
	"testing"

	"firebreak/policy"
)

// TestEmptyIsNotBlind: a log that is read to its end and has nothing new goes on being judged at every pane, is not blind, and the newest
// traffic stays what it was, in the window and, once that is empty, in what detection remembers.
func TestEmptyIsNotBlind(t *testing.T) {
	r, _, c, p := begun(t, 1)
	for s := 22; s <= 120; s += 2 {
		at := float64(s)
		r.to(at)
		c[0].sync()
		for k := range 20 {
			c[0].says(p[0], string(rune('A'+k)), at, 5)
		}
		accepted(t, c[0].send())
	}
	before := len(r.sink.decisions)
	for s := 122; s <= 1000; s += 2 {
		r.to(float64(s))
		c[0].sync()
		accepted(t, c[0].send())
	}
	after := r.sink.decisions[before:]
	if n := len(after); n < 80 || n > 90 {
		t.Errorf("judged %d times in 880 s with panes of 10 s", n)
	}
	want := second(130) // end of the pane of the last records
	for i := range after {
		if d := &after[i]; d.Blind || holds(d, policy.HoldStale) || holds(d, policy.HoldPartial) {
			t.Fatalf("decision %d in the silence: %+v", i, d)
		}
		if got := r.sink.snapshots[before+i].Traffic(); !got.IsZero() && got.After(want) {
			t.Fatalf("decision %d: traffic at %v, want %v at the latest", i, got, want)
		}
	}
	if got := r.sink.snapshots[len(r.sink.snapshots)-1].Traffic(); !got.IsZero() {
		t.Errorf("a window without a record has traffic at %v", got)
	}
	fast := r.fleet().live.Judge.FastPanes
	if got := r.live.states[0].Detection.Newest; got.Before(want) || got.After(second(130+10*float64(fast))) {
		t.Errorf("detection remembers %v, want %v and at most the fast window later", got, want)
	}
}
