package report

import (
	"context"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
)

// chronicle is what a daemon leaves of a test fleet: its journal and its history, made by what makes them there.
type chronicle struct {
	*fleet

	journal []actuator.Entry
	values  [][]byte // of the history
	keeper  *history.Keeper
	scribe  actuator.Scribe
	told    actuator.Told
	away    func(pane int) bool // nobody watches then
	blind   func(pane int) bool // the input cannot be judged then
}

func newChronicle(t *testing.T, f *fleet) *chronicle {
	t.Helper()
	never := func(int) bool { return false }
	return &chronicle{fleet: f, keeper: history.NewKeeper(history.Options{Fleets: 1, Build: "test"}), away: never, blind: never}
}

// Append implements history.Appender.
func (c *chronicle) Append(_ context.Context, values ...[]byte) (int64, error) {
	c.values = append(c.values, values...)
	return 0, nil
}

// live ticks up to a pane.
func (c *chronicle) live(panes int) *chronicle {
	c.t.Helper()
	for c.panes < panes {
		c.panes++
		if c.away(c.panes) {
			c.state = policy.State{} // whoever comes back begins anew
			continue
		}
		s := c.snapshot()
		if c.blind(c.panes) {
			s.Inputs.Coverage = 0.5
		}
		now := s.Panes[len(s.Panes)-1].Start.Add(15 * time.Second)
		before := c.state
		d, after := policy.Evaluate(s, &c.cfg, before, now)
		c.state = after
		tick := history.Tick{Snapshot: s, Config: &c.cfg, Before: &before, Now: now, Decision: &d, After: &after, Keys: len(s.Keys), Tenants: len(s.Tenants)}
		if err := c.keeper.Judged(&tick); err != nil {
			c.t.Fatal(err)
		}
		entries, told, err := c.scribe.Write(&actuator.Tick{Fleet: c.name, Now: now, Pane: now.Add(-5 * time.Second), Table: s.Table, Decision: &d, State: &after}, c.told)
		if err != nil {
			c.t.Fatal(err)
		}
		c.told = told
		c.journal = append(c.journal, entries...)
	}
	if err := c.keeper.Flush(c.t.Context(), c); err != nil {
		c.t.Fatal(err)
	}
	return c
}

// minute is a moment of the fleet's life.
func (c *chronicle) minute(n int) time.Time { return c.start.Add(time.Duration(n) * time.Minute) }

// accept and dismiss are what a person says of the newest hotspot that was told by then.
func (c *chronicle) say(at time.Time, kind actuator.Kind, by, reason string) {
	c.t.Helper()
	hotspot := ""
	for i := range c.journal {
		if e := &c.journal[i]; e.Kind == actuator.KindVerdict && e.At.Before(at) {
			hotspot = e.Hotspot
		}
	}
	var e actuator.Entry
	var err error
	if kind == actuator.KindAccepted {
		e, err = actuator.NewAccepted(c.name, at, actuator.Accepted{Hotspot: line.Name(hotspot), By: line.Name(by), Reason: line.Prose(reason), Until: line.Stamp(at.Add(8 * time.Hour)), Load: 500})
	} else {
		e, err = actuator.NewDismissed(c.name, at, actuator.Dismissed{Hotspot: line.Name(hotspot), By: line.Name(by), Reason: line.Prose(reason)})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.journal = append(c.journal, e)
}

// week is the report of the minutes [from, to), through the bytes of both logs.
func (c *chronicle) week(from, to int) Fleet {
	c.t.Helper()
	return gathered(c.t, c.name, c.minute(from), c.minute(to), &c.cfg, c.journal, c.values)
}

func gathered(t *testing.T, name string, from, to time.Time, cfg *policy.Config, journal []actuator.Entry, values [][]byte) Fleet {
	t.Helper()
	w, err := NewWeek(name, from, to, cfg)
	if err != nil {
		t.Fatal(err)
	}
	reader := actuator.NewReader()
	for i := range journal {
		b, err := actuator.Encode(&journal[i])
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := reader.Read(b); ok {
			w.Entry(&e)
		}
	}
	entries, err := history.NewReader()
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	for _, v := range values {
		e, ok := entries.Read(v)
		switch {
		case !ok:
		case e.Kind == history.KindMinute:
			m, err := e.Minute()
			if err != nil {
				t.Fatal(err)
			}
			w.Minute(m)
		case w.Wants(&e.Head):
			w.Evidence(e)
		}
	}
	return w.Fleet("")
}

// busyWeek is a fleet of which the same key is hot before and in the period of the minutes 60 to 120, and other things happen.
func busyWeek(t *testing.T) *chronicle {
	t.Helper()
	f := newFleet(t, 8, "tenant,key")
	f.cfg.Capacity = policy.Capacity{Total: 400}
	minutes := func(from, to int, rate float64) func(int) float64 { return between(6*from, 6*to, rate) }
	both := func(a, b func(int) float64) func(int) float64 {
		return func(pane int) float64 { return a(pane) + b(pane) }
	}
	f.sources = append(f.sources,
		source{"shop-7", "cart:42", 0, both(minutes(15, 24, 350), minutes(66, 76, 350))},
		source{"shop-9", "cart:7", 0, minutes(82, 86, 260)},
		source{"mega", "feed", 0.9, minutes(108, 121, 500)},
	)
	c := newChronicle(t, f)
	c.away = func(pane int) bool { return pane >= 6*90 && pane < 6*98 }
	c.blind = func(pane int) bool { return pane >= 6*102 && pane < 6*105 }
	return c.live(6 * 122)
}
