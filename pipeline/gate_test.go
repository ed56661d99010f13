package pipeline

import (
	"fmt"
	"testing"
	"time"
)

// TestStrayFuture (S09): one record stamped a day ahead, then 10,000 ordinary ones on the same and on other partitions:
// all of these are counted, the one is refused as future, and no pane closes before its time.
func TestStrayFuture(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before int // ordinary records before the stray one
		ahead  time.Duration
	}{
		{"the first record of the log", 0, 24 * time.Hour},
		{"the second", 1, 24 * time.Hour},
		{"in the middle", 500, 24 * time.Hour},
		{"a hundred years", 500, 876_000 * time.Hour},
		{"just beyond patience", 500, 61*time.Second + 100*time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newTestFleet(t, nil)
			n := 0
			ordinary := func() {
				f.Observe(n%3, at(time.Duration(n)*10*time.Millisecond, "t", fmt.Sprint("k", n%50)))
				n++
			}
			for range tt.before {
				ordinary()
			}
			now := time.Duration(n) * 10 * time.Millisecond
			f.Observe(1, at(now+tt.ahead, "t", "stray"))
			for range 10_000 - tt.before {
				ordinary()
				for f.Advance() {
					if done := time.Duration(n) * 10 * time.Millisecond; f.Now().Sub(t0()) > done {
						t.Fatalf("judging %v although the log is at %v", f.Now(), done)
					}
				}
			}
			f.Close()
			drainPanes(t, f)
			if s := f.Stats(); s.Counted != 10_000 || s.Future != 1 || s.Late != 0 {
				t.Errorf("counted %d, future %d, late %d; want 10,000, 1, 0", s.Counted, s.Future, s.Late)
			}
			if want := t0().Add(now + tt.ahead); !f.Stats().FirstFuture.Equal(want) {
				t.Errorf("the first future record is %v, want %v", f.Stats().FirstFuture, want)
			}
		})
	}
}

// TestManyStrays: a producer with a wrong clock, one record in a hundred on every partition, moves nothing.
func TestManyStrays(t *testing.T) {
	f := newTestFleet(t, nil)
	for n := range 20_000 {
		when := time.Duration(n) * 10 * time.Millisecond
		if n%100 == 99 {
			when += 48 * time.Hour
		}
		f.Observe(n%7, at(when, "t", "k"))
		drainPanes(t, f)
	}
	f.Close()
	drainPanes(t, f)
	if s := f.Stats(); s.Counted != 19_800 || s.Future != 200 || s.Late != 0 {
		t.Errorf("counted %d, future %d, late %d; want 19,800, 200, 0", s.Counted, s.Future, s.Late)
	}
}

// TestStrayPast: a record from long ago is late, also as the first of all; it neither moves nor stretches anything.
func TestStrayPast(t *testing.T) {
	for _, whole := range []bool{false, true} {
		for _, place := range []int{0, 1, 700} {
			f := newTestFleet(t, func(c *Config) { c.Whole = whole })
			for n := range 1000 {
				if n == place {
					f.Observe(0, at(-400*24*time.Hour, "t", "old"))
				}
				f.Observe(0, at(time.Duration(n)*100*time.Millisecond, "t", "k"))
			}
			f.Close()
			_, s := drainPanes(t, f)
			if got := f.Stats(); got.Counted != 1000 || got.Late != 1 {
				t.Errorf("whole %v, stray at %d: counted %d, late %d; want 1000, 1", whole, place, got.Counted, got.Late)
			}
			if len(s.Panes) != 10 {
				t.Errorf("whole %v, stray at %d: %d panes, want 10", whole, place, len(s.Panes))
			}
		}
	}
}

// TestGap: hours of silence pass, nothing is lost on either side, the panes in between are seen empty, and a gap of a
// year takes no longer than one of ten minutes.
func TestGap(t *testing.T) {
	for _, gap := range []time.Duration{40 * time.Second, 10 * time.Minute, 5 * time.Hour, 365 * 24 * time.Hour} {
		f := newTestFleet(t, nil)
		ticks, empty := 0, 0
		tick := func() {
			for f.Advance() {
				ticks++
				s, err := f.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if loadOf(s.Panes[max(0, len(s.Panes)-6):]) == 0 {
					empty++
				}
			}
		}
		for n := range 300 {
			f.Observe(0, at(time.Duration(n)*time.Second, "t", "k"))
			tick()
		}
		for n := range 300 {
			f.Observe(0, at(299*time.Second+gap+time.Duration(n)*time.Second, "t", "k"))
			tick()
		}
		f.Close()
		tick()
		if s := f.Stats(); s.Counted != 600 || s.Future+s.Late != 0 {
			t.Errorf("gap of %v: counted %d, future %d, late %d; want 600, 0, 0", gap, s.Counted, s.Future, s.Late)
		}
		if gap > 5*time.Minute && (empty < 24 || ticks > 60+32) {
			t.Errorf("gap of %v: %d ticks, %d of them on an empty fast window; want at most 92, at least 24", gap, ticks, empty)
		}
	}
}

// TestSparse: a log with a record every hour, or every few minutes in disorder after each gap, is counted in full.
func TestSparse(t *testing.T) {
	f := newTestFleet(t, nil)
	for n := range 50 {
		f.Observe(0, at(time.Duration(n)*time.Hour, "t", "k"))
		drainPanes(t, f)
	}
	f.Close()
	drainPanes(t, f)
	if s := f.Stats(); s.Counted != 50 {
		t.Errorf("a record an hour: %+v, want 50 counted", s)
	}
	f = newTestFleet(t, nil)
	for n := range 50 {
		for _, second := range []int{56, 3, 12, 44, 1, 59} {
			f.Observe(0, at(time.Duration(n)*time.Hour+time.Duration(second)*time.Second, "t", "k"))
			drainPanes(t, f)
		}
	}
	f.Close()
	drainPanes(t, f)
	if s := f.Stats(); s.Counted != 300 {
		t.Errorf("a minute in disorder every hour: %+v, want 300 counted", s)
	}
}

// TestLastRecord: what is still held at the end is counted if the log has had such gaps, and refused if it is a stray date.
func TestLastRecord(t *testing.T) {
	for _, tt := range []struct {
		ahead  time.Duration
		future uint64
	}{{45 * time.Second, 0}, {5 * time.Minute, 0}, {24 * time.Hour, 1}} {
		f := newTestFleet(t, nil)
		for n := range 100 {
			f.Observe(0, at(time.Duration(n)*time.Second, "t", "k"))
		}
		f.Observe(0, at(99*time.Second+tt.ahead, "t", "last"))
		f.Close()
		drainPanes(t, f)
		if s := f.Stats(); s.Future != tt.future || s.Counted+s.Future != 101 {
			t.Errorf("last record %v ahead: %+v, want %d future", tt.ahead, s, tt.future)
		}
	}
}

// TestHeldIsBounded: a partition whose clock is wrong for good fills no memory.
func TestHeldIsBounded(t *testing.T) {
	f := newTestFleet(t, nil)
	for n := range 5000 {
		f.Observe(0, at(time.Duration(n)*time.Millisecond, "t", "k"))
		f.Observe(1, at(time.Hour+time.Duration(n)*time.Millisecond, "t", "k"))
		if len(f.gate.held) > maxHeld {
			t.Fatalf("%d records are held", len(f.gate.held))
		}
	}
	f.Close()
	if s := f.Stats(); s.Counted < 5000 || s.Counted+s.Future != 10_000 {
		t.Errorf("%+v", s)
	}
}
