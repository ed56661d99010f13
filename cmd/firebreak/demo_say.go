package main

import (
	"fmt"
	"strings"
	"time"

	"firebreak/dashboards/terminal"
	"firebreak/internal/simulate"
	"firebreak/policy"
)

// plainWidth is how wide the lines are where no terminal says so.
const plainWidth = 100

// plainState is how often, in time of the story, a plain output says how the fleet is.
const plainState = time.Minute

// show draws the fleet of now.
func (d *demo) show(now time.Time) error {
	v := d.view(now)
	if d.out.size != nil {
		return d.out.frame(v)
	}
	if err := d.announce(); err != nil || d.tick.Snapshot == nil || v.Now.Sub(d.spoken) < plainState {
		return err
	}
	d.spoken = v.Now
	return d.out.text(terminal.State(v) + "\n")
}

// announce says in a plain output what is planted in the log as far as it is written, and what is taken away. The fleet's clock may
// be past that.
func (d *demo) announce() error {
	at := d.now()
	for ; d.shown < len(d.acts) && !d.acts[d.shown].From.After(at); d.shown++ {
		a := &d.acts[d.shown]
		if err := d.plain("%s  PLANTED   %s; firebreak is not told\n", clockOf(a.From), plantedText(&a.Scene)); err != nil {
			return err
		}
	}
	for ; d.gone < d.shown && !d.acts[d.gone].To.After(at); d.gone++ {
		a := &d.acts[d.gone]
		if err := d.plain("%s  GONE      the %s is taken away\n", clockOf(a.To), causeWords(a.Cause)); err != nil {
			return err
		}
	}
	return nil
}

// plain prints a line where there is no terminal to draw on.
func (d *demo) plain(format string, args ...any) error {
	if d.out.size != nil {
		return nil
	}
	return d.out.text(fmt.Sprintf(format, args...))
}

// say tells a verdict in a plain output.
func (d *demo) say(v *policy.Verdict, a *demoAct) error {
	since := "nothing was planted there"
	if a != nil {
		since = terminal.Clock(v.Time.Sub(a.From)) + " after it was planted"
	}
	if v.Phase == policy.PhaseResolved {
		return d.plain("%s  RESOLVED  %s is cool: %s\n", clockOf(v.Time), shownName(v.Shard), since)
	}
	return d.plain("%s  FOUND     %s\n%s", clockOf(v.Time), since, terminal.Verdict(v, plainWidth))
}

func clockOf(t time.Time) string { return t.UTC().Format("15:04:05") }

// plantedText says what a scene plants.
func plantedText(s *simulate.Scene) string {
	on := fmt.Sprintf("on %s, %s beside its own load", s.Shard, perSecond(s.Rate))
	switch s.Cause {
	case policy.CauseHotKey:
		return fmt.Sprintf("a hot key, %q of tenant %s, %s", s.Key, s.Tenant, on)
	case policy.CauseWhaleTenant:
		return fmt.Sprintf("a whale tenant, %s, %s", s.Tenant, on)
	case policy.CauseVolume:
		if s.Fix == policy.FixScaleOut {
			return "every shard is warm, and all tenants of one are busier: " + on
		}
		return "all tenants of one shard are busier: " + on
	case policy.CauseUnknown:
	}
	return "nothing"
}

func causeWords(c policy.Cause) string { return strings.ReplaceAll(c.String(), "_", " ") }
