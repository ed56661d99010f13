package sketch

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// crowded fills a window with more names than it lists.
func crowded(t testing.TB, cfg Config, panes int64) *Sliding {
	t.Helper()
	s := newSliding(t, cfg)
	for pane := range panes {
		for i := range 3000 {
			e := event(pane, fmt.Sprint("key-", i, "-", pane%7), 77*One)
			e.Tenant, e.Caller, e.Shard, e.VShard = fmt.Appendf(nil, "t%d", i%500), fmt.Appendf(nil, "c%d", i%90), int32(i%16), int32(i%10240)
			s.Add(e)
		}
		s.Slide(pane)
	}
	return s
}

// TestSlidingDrains: after a window of silence everything is exactly 0 and no name is held.
func TestSlidingDrains(t *testing.T) {
	s := crowded(t, Default(30, 16, 10240, 1), 30)
	before := s.Bytes()
	s.Slide(59)
	w := s.Window(10)
	if len(w.Panes)+len(w.Keys)+len(w.Tenants)+len(w.Pairs) != 0 || w.Distinct != (Distinct{}) {
		t.Errorf("after a silent window: %+v", w)
	}
	if estimate, low, high := s.Ask([]byte("key-1-1")); estimate+low+high != 0 {
		t.Errorf("a key has %d in %d to %d", estimate, low, high)
	}
	for k := range s.names {
		if n := &s.names[k]; n.used != 0 || n.bytes != 0 {
			t.Errorf("kind %d holds %d names of %d bytes", k, n.used, n.bytes)
		}
	}
	if s.words.used != 0 || len(s.ring) != 0 {
		t.Errorf("%d words, %d panes are held", s.words.used, len(s.ring))
	}
	if after := s.Bytes(); after != before {
		t.Errorf("memory went from %d to %d bytes", before, after)
	}
}

// TestMemoryIsFixed: no stream of names makes the window larger: one-off keys, churn, long keys, many tenants and callers.
func TestMemoryIsFixed(t *testing.T) {
	cfg := Default(6, 16, 1024, 1)
	s := newSliding(t, cfg)
	var sizes []int
	for pane := range int64(12) {
		for i := range 20_000 {
			e := event(pane, fmt.Sprintf("key-%d-%0*d", i, i%300, pane), One)
			e.Tenant, e.Caller = fmt.Appendf(nil, "t-%d-%d", i, pane), fmt.Appendf(nil, "c-%d-%d", i, pane)
			e.VShard, e.Shard = int32(i%1024), int32(i%16)
			s.Add(e)
		}
		s.Slide(pane)
		s.Window(512)
		sizes = append(sizes, s.Bytes())
	}
	// The Part that local Summaries are shipped through takes its size in the first panes.
	for i := 3; i < len(sizes); i++ {
		if sizes[i] > sizes[2]+sizes[2]/50 {
			t.Fatalf("bytes after each pane: %d", sizes)
		}
	}
}

// TestSlidingTopList (S11): 10 of 12 keys, added, forgotten and added again, stand once each, in order, within bounds, and
// each above N/k is there.
func TestSlidingTopList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const k = 10
		cfg := roomy(3)
		cfg.Slots, cfg.Listed = rapid.SampledFrom([]int{8, 16}).Draw(t, "slots"), rapid.SampledFrom([]int{10, 16}).Draw(t, "listed")
		s, o := newSlidingRapid(t, cfg), newOracle(3, -1)
		pane := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "advance") {
				s.Slide(pane)
				o.newest = pane
				pane++
				continue
			}
			e := event(pane, fmt.Sprint("k", rapid.IntRange(0, 11).Draw(t, "key")), One)
			s.Add(e)
			o.add(e)
		}
		all, seen := uint64(0), map[string]bool{}
		for _, panes := range o.keys {
			all += o.window(panes)
		}
		listed := s.Window(k).Keys
		leaders, _ := s.Leaders(k)
		for i, l := range leaders {
			if l.Cost != listed[i].weight {
				t.Fatalf("leader %d is %+v, listed is %+v", i, l, listed[i])
			}
		}
		for i, l := range listed {
			truth := o.window(o.keys[l.Name])
			if seen[l.Name] || l.Low > truth || l.High < truth || i > 0 && listed[i-1].weight < l.weight {
				t.Fatalf("%s has %d: %+v", l.Name, truth, listed)
			}
			seen[l.Name] = true
		}
		if len(listed) > 2*k {
			t.Fatalf("%d are listed", len(listed))
		}
		for name, panes := range o.keys {
			if n := o.window(panes); n*k > all && !seen[name] {
				t.Fatalf("%s has %d of %d and is not listed", name, n, all)
			}
		}
	})
}

// TestDrift: keys that cooled leave within the window and a pane; a new key at 1 % of the traffic is a candidate within 150
// accesses, also in a pane that is full already.
func TestDrift(t *testing.T) {
	cfg := Default(6, 0, 0, 9)
	s := newSliding(t, cfg)
	n := 0
	background := func(pane int64) {
		n++
		s.Add(event(pane, fmt.Sprint("cold-", n%200_000), One))
	}
	for pane := range int64(6) {
		for i := range 50_000 {
			background(pane)
			if i%20 == 0 {
				s.Add(event(pane, "old", One))
			}
		}
		s.Slide(pane)
	}
	if keys := s.Window(1).Keys; keys[0].Name != "old" {
		t.Fatalf("the heaviest is %q, want old", keys[0].Name)
	}
	for range 50_000 {
		background(6)
	}
	taken := -1
	for i := range 15_000 {
		background(6)
		if i%100 == 0 {
			s.Add(event(6, "new", One))
			if taken < 0 && s.last.keys.find(hashed([]byte("new"), cfg.Seed)) >= 0 {
				taken = i/100 + 1
			}
		}
	}
	if taken < 0 || taken > 150 {
		t.Errorf("the new key is a candidate after %d accesses, want at most 150", taken)
	}
	for pane := int64(6); pane <= 12; pane++ {
		s.Slide(pane)
	}
	for _, l := range s.Window(1000).Keys {
		if l.Name == "old" {
			t.Errorf("the cooled key is still listed: %+v", l)
		}
	}
}

// TestLateRecordChangesThePane: a record of a complete pane is in the next answer, and the pane has another version; one of
// a pane that has left is not counted.
func TestLateRecordChangesThePane(t *testing.T) {
	s := newSliding(t, roomy(3))
	e := event(1, "k", One)
	e.VShard = 7
	s.Add(e)
	s.Slide(2)
	before := s.Window(1)
	version := before.Panes[0].Version
	e.VShard = 3
	s.Add(e)
	after := s.Window(1)
	if got := after.Panes[0]; got.Version == version || len(got.VShards) != 2 || after.Keys[0].weight != 2*One {
		t.Errorf("after a late record: %+v, keys %+v", got, after.Keys)
	}
	s.Slide(4)
	s.Add(e)
	if w := s.Window(1); len(w.Panes)+len(w.Keys) != 0 {
		t.Errorf("a record of a pane that left was counted: %+v", w)
	}
}

// TestAheadIsBounded: events far ahead are counted while there is room for their panes, then refused and counted.
func TestAheadIsBounded(t *testing.T) {
	cfg := roomy(3)
	cfg.Ahead = 4
	s := newSliding(t, cfg)
	s.Slide(0)
	for i := range int64(10) {
		s.Add(event(1000*i+1, "k", One))
	}
	s.Window(1)
	if s.Refused() != 3 {
		t.Errorf("%d refused, want 3 of 10: there is room for 7 panes", s.Refused())
	}
	if err := s.Accept(90_000, emptyPart(cfg)); err == nil {
		t.Error("a Part for yet another pane was accepted")
	}
	s.Slide(2001)
	if w := s.Window(1); w.Keys[0].weight != One || len(w.Keys[0].Cells) != 1 {
		t.Errorf("after the gap: %+v", w.Keys)
	}
}

func emptyPart(cfg Config) *Part {
	var p Part
	NewSummary(cfg).Part(&p)
	return &p
}

// TestManyPanesAtOnce: events that jump between more panes than there are open Summaries give the same window.
func TestManyPanesAtOnce(t *testing.T) {
	cfg := roomy(8)
	few := newSliding(t, cfg)
	cfg.Open = 8
	many := newSliding(t, cfg)
	for i := range 4000 {
		e := event(int64(i*7%8), fmt.Sprint("k", i%40), uint64(i%9+1)*One)
		e.Tenant, e.VShard, e.Shard = fmt.Appendf(nil, "t%d", i%40%5), int32(i%40%8), int32(i%40%4)
		few.Add(e)
		many.Add(e)
	}
	few.Slide(7)
	many.Slide(7)
	if diff := cmp.Diff(many.Window(50), few.Window(50), cmp.AllowUnexported(Listed{}), ignoreOrder()); diff != "" {
		t.Errorf("window (-8 open +2 open):\n%s", diff)
	}
}
