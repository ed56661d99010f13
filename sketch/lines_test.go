package sketch

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// churning draws records of few panes, so that names and senders come, go, come back and are too many, and remembers the
// callers of each pane.
type churning struct {
	s       *Sliding
	peer    *Summary
	callers map[int64]registers
	newest  int64
	step    int
}

func (c *churning) event(t *rapid.T) *Event {
	late := rapid.IntRange(0, 9).Draw(t, "late")
	pane := c.newest + int64(max(late-7, -2)) + 1
	key := rapid.IntRange(0, 60).Draw(t, "key")
	if late%2 == 0 {
		key += 5 * c.step
	}
	cost := rapid.SampledFrom([]uint64{0, 1, One, One, One, 3 * One, 1000 * One, 1 << 62, saturated}).Draw(t, "cost")
	caller := fmt.Appendf(nil, "caller-%d", rapid.IntRange(0, 9).Draw(t, "caller")*(1+c.step/4))
	e := event(pane, fmt.Sprint("key-", key), cost)
	e.Tenant, e.Caller = fmt.Appendf(nil, "tenant-%d", (key+late)%7), caller
	e.VShard, e.Shard = int32(key%16), int32(key%3)
	return e
}

// count counts an event, and remembers its caller if the window has room for its pane.
func (c *churning) count(e *Event, add func(*Event)) {
	if c.callers[e.Pane] == nil {
		c.callers[e.Pane] = make(registers, 1<<wholeBits)
	}
	c.callers[e.Pane].insert(c.s.hasher.name(e.Caller))
	add(e)
}

// distinct is the estimate of all callers in the window and ahead of it.
func (c *churning) distinct() int {
	all := make(registers, 1<<wholeBits)
	for pane, r := range c.callers {
		if !c.s.span.past(pane) {
			mergeRegisters(all, r)
		}
	}
	return int(all.estimate())
}

// TestWindowKeepsWhatItWasTold: an answer that goes on from the last one is what it would be from the start, whatever came,
// left, changed or saturated in between; so are the distinct names.
func TestWindowKeepsWhatItWasTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Default(rapid.IntRange(1, 6).Draw(t, "panes"), 3, 16, 7)
		cfg.Listed = rapid.SampledFrom([]int{2, 8, 64}).Draw(t, "listed")
		cfg.Slots, cfg.Width, cfg.TenantSlots, cfg.CallerSlots, cfg.PairSlots, cfg.TenantWidth = 32, 16, 16, 16, 16, 16
		s, err := NewSliding(cfg)
		if err != nil {
			t.Fatal(err)
		}
		c := &churning{s: s, peer: NewSummary(cfg), callers: map[int64]registers{}}
		for c.step = range rapid.IntRange(1, 25).Draw(t, "steps") {
			for range rapid.IntRange(0, 30).Draw(t, "records") {
				if e := c.event(t); !s.span.past(e.Pane) {
					c.count(e, s.Add)
				}
			}
			if rapid.Bool().Draw(t, "peer") {
				c.peerPart(t)
			}
			c.newest += int64(rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2, 8}).Draw(t, "slide"))
			s.Slide(c.newest)
			if rapid.IntRange(0, 3).Draw(t, "ask") > 0 {
				c.compare(t, rapid.SampledFrom([]int{1, 4, 20, 1000}).Draw(t, "n"))
			}
		}
	})
}

// peerPart takes in a Part that somebody else counted.
func (c *churning) peerPart(t *rapid.T) {
	pane := c.newest + int64(rapid.IntRange(-1, 1).Draw(t, "pane"))
	if c.s.span.past(pane) {
		return
	}
	for range rapid.IntRange(1, 20).Draw(t, "records of the peer") {
		e := c.event(t)
		e.Pane = pane
		c.count(e, c.peer.Add)
	}
	var part Part
	c.peer.Part(&part)
	if err := c.s.Accept(pane, &part); err != nil {
		t.Fatal(err)
	}
}

// compare holds an answer against one that starts from nothing.
func (c *churning) compare(t *rapid.T, n int) {
	copied := func(w Window) [kinds][]Listed {
		lists := [kinds][]Listed{slices.Clone(w.Keys), slices.Clone(w.Tenants), slices.Clone(w.Pairs)}
		for k := range lists {
			for i := range lists[k] {
				lists[k][i].Cells = slices.Clone(lists[k][i].Cells)
			}
		}
		return lists
	}
	w := c.s.Window(n)
	if want := c.distinct(); w.Distinct.Callers != want {
		t.Fatalf("%d callers, want %d", w.Distinct.Callers, want)
	}
	got := copied(w)
	for k := range kinds {
		c.s.answer.lines[k].forget()
		for _, p := range c.s.ring {
			p.lists[k].told = false
		}
	}
	want := copied(c.s.Window(n))
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Listed{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("Window(%d) (-from the start +kept):\n%s", n, diff)
	}
}

// TestForgottenSenderIsToldInOrder: five tenants are one too many for a line. Which one is forgotten is decided by the order of
// panes, also where one had left and made room before: b, the first in the window. It counts from its return only.
func TestForgottenSenderIsToldInOrder(t *testing.T) {
	s := newSliding(t, Default(10, 0, 0, 1))
	share := 0.0
	for _, sent := range []struct {
		pane   int64
		tenant string
		cost   uint64
	}{{1, "a", 1}, {6, "b", 1}, {7, "c", 1}, {8, "d", 1}, {11, "e", 1}, {12, "f", 2}, {13, "b", 2}} {
		e := event(sent.pane, "key", sent.cost*One)
		e.Tenant = []byte(sent.tenant)
		s.Add(e)
		s.Slide(sent.pane)
		l := s.Window(1).Keys[0]
		if share = l.TenantShare; sent.pane == 13 && l.Tenant != "b" {
			t.Errorf("%s sent most, want b", l.Tenant)
		}
	}
	if want := 2.0 / 8; share != want {
		t.Errorf("b sent at least %v, want %v", share, want)
	}
}

// TestTurnAllocatesNothing: a pane of known names, its close and the answer.
func TestTurnAllocatesNothing(t *testing.T) {
	s := newSliding(t, Default(8, 4, 64, 1))
	var events []*Event
	for i := range 100 {
		e := event(0, fmt.Sprint("key-", i), uint64(1+i)*One)
		e.Tenant, e.Caller, e.VShard, e.Shard = fmt.Appendf(nil, "tenant-%d", i%9), []byte("caller"), int32(i%64), int32(i%4)
		events = append(events, e)
	}
	pane := int64(0)
	turn := func() {
		for _, e := range events {
			e.Pane = pane
			s.Add(e)
		}
		s.Slide(pane)
		s.Window(50)
		pane++
	}
	for range 30 {
		turn()
	}
	if n := testing.AllocsPerRun(20, turn); n != 0 {
		t.Errorf("%v allocations a pane, want none", n)
	}
}
