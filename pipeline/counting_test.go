package pipeline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/routing"
	"firebreak/sketch"
)

// TestShortPanes: panes far shorter than disorder are all open at once, and every record is counted; where they would be more
// than there can be the configuration is refused, not the records.
func TestShortPanes(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Pane, c.Window = 10*time.Millisecond, 80*time.Millisecond })
	const records = 1200
	counted := 0.0
	for n := range records {
		f.Observe(0, at(time.Duration(n)*10*time.Millisecond, "t", fmt.Sprint("k", n%7)))
		for f.Advance() {
			counted += newestLoad(t, f)
		}
	}
	f.Close()
	for f.Advance() {
		counted += newestLoad(t, f)
	}
	if s := f.Stats(); s.Counted != records || s.Crowded != 0 || counted != records {
		t.Errorf("%d of %d counted, %d crowded out, %v seen in panes", s.Counted, records, s.Crowded, counted)
	}
	c := DefaultConfig("orders")
	c.Pane, c.Window = time.Millisecond, 8*time.Millisecond
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "pane: 1ms: more than") {
		t.Errorf("panes of 1ms: %v", err)
	}
}

// newestLoad is what the newest complete pane holds.
func newestLoad(t *testing.T, f *Fleet) (load float64) {
	t.Helper()
	s, err := f.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Panes[len(s.Panes)-1].VShards {
		load += v.Load
	}
	return load
}

// TestCrowdedOut: what a counter has no memory for is said, and is not among the counted.
func TestCrowdedOut(t *testing.T) {
	c := DefaultConfig("orders")
	c.Document = adopt(t, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, 4)
	size, err := c.Counting(1)
	if err != nil {
		t.Fatal(err)
	}
	size.Panes, size.Ahead = 1, 1
	small, err := sketch.NewSliding(size)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFleet(c, small, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 { // three panes before the first is complete
		f.Observe(0, at(time.Duration(10*n)*time.Second, "t", "k"))
	}
	small.Window(1)
	if s := f.Stats(); s.Crowded != 1 || s.Counted != 2 {
		t.Errorf("%d crowded out, %d counted, want 1 and 2", s.Crowded, s.Counted)
	}
}

// TestAskExplicit: where the log names the shards, a key's answer is the sum over them, and the tenant is part of the question.
func TestAskExplicit(t *testing.T) {
	f := newTestFleet(t, func(c *Config) { c.Document, c.Discover = nil, true })
	for n := range 60 {
		f.Observe(0, onShard(at(time.Duration(n)*time.Second, fmt.Sprint("t", n%2), "k"), fmt.Sprint("s", n%3)))
	}
	finished(t, f)
	if a, err := f.Ask([]byte("t1"), []byte("k")); err != nil || a != (Answer{30, 30, 30}) {
		t.Errorf("t1's k: %v, %v; want 30 exactly", a, err)
	}
	if a, err := f.Ask([]byte("t0"), nil); err != nil || a != (Answer{30, 30, 30}) {
		t.Errorf("t0: %v, %v; want 30 exactly", a, err)
	}
	if _, err := f.Ask(nil, []byte("k")); !errors.Is(err, ErrTenantNeeded) {
		t.Errorf("k of nobody: %v", err)
	}
	exact, err := NewFleet(f.cfg, sketch.NewExact(30), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exact.Ask(nil, []byte("k")); !errors.Is(err, ErrNoAnswers) {
		t.Errorf("an exact counter: %v", err)
	}
}
