package sketch

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSlidingCoarsens: panes merge in pairs, nothing is lost, bounds hold.
func TestSlidingCoarsens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := tiny(t)
		cfg.Panes, cfg.Ahead = 8, 4
		s, o := newSlidingRapid(t, cfg), newOracle(8, nothingComplete)
		for range rapid.IntRange(1, 150).Draw(t, "records") {
			e := drawKeyed(t, 4)
			s.Add(e)
			e.Pane >>= 1
			o.add(e)
		}
		s.Coarsen()
		e := drawKeyed(t, 4)
		e.Pane >>= 1
		s.Add(e)
		o.add(e)
		s.Slide(7)
		o.newest = 7
		o.check(t, s)
		if s.Refused() > 0 {
			t.Fatalf("%d events refused", s.Refused())
		}
	})
}

func TestSlidingCoarsensExactly(t *testing.T) {
	s, x := newSliding(t, roomy(60)), NewExact(60)
	for pane := range int64(8) {
		e := event(pane, "k", uint64(pane+1))
		e.VShard, e.Shard, e.Tenant = int32(pane%3), 0, []byte("t")
		s.Add(e)
		x.Add(e)
	}
	for _, c := range []interface{ Coarsen() }{s, x} {
		c.Coarsen()
	}
	s.Add(event(3, "k", 100))
	x.Add(event(3, "k", 100))
	s.Slide(3)
	x.Slide(3)
	if diff := sameWindow(x.Window(5), s.Window(5)); diff != "" {
		t.Errorf("(-exact +sliding):\n%s", diff)
	}
}
