package console

import (
	"fmt"
	"time"

	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"
	"firebreak/routing"
)

// present is a fleet as the newest tick has it. Nothing of it changes.
type present struct {
	at       time.Time // of the tick
	pane     time.Time // end of the newest complete pane
	table    *routing.Table
	shards   []shardNow
	filled   time.Duration // of the window
	window   time.Duration // when it is full
	fast     time.Duration // the window of the loads
	warm     time.Duration // that must be filled before anything fires
	coverage float64
	lag      time.Duration
	missing  []string
	blind    bool
	since    time.Time    // of the first tick in a row that is blind; zero = it is not
	sighted  time.Time    // of the newest tick that was not blind; zero = there was none
	traffic  time.Time    // end of the newest pane that has a record; zero = none is known
	holds    []*line.Hold // of the fleet
	advice   []*line.Advice
	unread   []line.Prose // readings that are asked for and not known
	load     float64      // of the fleet in the fast window, load/s
	whole    float64      // of the fleet in the whole window, a sum
	mean     float64      // over serving shards
	serving  int
	hottest  float64 // of them
	keys     int
	tenants  int
}

// shardNow is a shard in the fast window.
type shardNow struct {
	name string
	role routing.Role
	load float64 // load/s, in the dimension that is fuller
	full float64 // load / line

	pending
}

// maxNotes bounds the holds and the advice of a fleet that are shown.
const maxNotes = 50

// present reads a tick.
func (m *Model) present(t *Tick) *present {
	s := t.Snapshot
	p := &present{
		at: t.Now, table: s.Table, coverage: s.Inputs.Coverage, lag: s.Inputs.Lag, missing: s.Inputs.Missing, blind: t.Decision.Blind, keys: t.Keys, tenants: t.Tenants,
		filled: time.Duration(len(s.Panes)) * s.Pane, window: time.Duration(t.Config.LongPanes) * s.Pane,
		fast: time.Duration(t.Config.FastPanes) * s.Pane, warm: time.Duration(min(t.Config.WarmPanes, t.Config.LongPanes)) * s.Pane,
	}
	if p.traffic = s.Traffic(); p.traffic.IsZero() && t.State != nil {
		p.traffic = t.State.Detection.Newest // an empty window is not judged
	}
	if n := len(s.Panes); n > 0 {
		p.pane = s.Panes[n-1].Start.Add(s.Pane)
	}
	doc := s.Table.Document()
	gauges := policy.Gauges(s, t.Config, len(s.Panes)-t.Config.FastPanes, len(s.Panes))
	for i, g := range gauges {
		p.shards = append(p.shards, shardNow{doc.Shards[i].Name, doc.Shards[i].Role, g.Load, g.Full, pendingOf(t.State, doc.Shards[i].Name)})
		if doc.Shards[i].Role == routing.Serving {
			p.serving++
			p.mean += g.Load
			p.hottest = max(p.hottest, g.Load)
		}
	}
	p.mean /= float64(max(1, p.serving))
	fast := max(0, len(s.Panes)-t.Config.FastPanes)
	p.whole = loadOf(s.Panes)
	if d := time.Duration(len(s.Panes)-fast) * s.Pane; d > 0 {
		p.load = loadOf(s.Panes[fast:]) / d.Seconds()
	}
	for _, h := range t.Decision.Holds {
		if h.Hotspot == "" && len(p.holds) < maxNotes {
			l := line.NewHold(s.Fleet, line.Stamp(t.Now), h)
			m.redact.Hold(l)
			p.holds = append(p.holds, l)
		}
	}
	for _, a := range t.Decision.Advice {
		if len(p.advice) < maxNotes {
			l := line.NewAdvice(s.Fleet, line.Stamp(t.Now), a)
			m.redact.Advice(l)
			p.advice = append(p.advice, l)
		}
	}
	for _, u := range policy.UnreadFindings(t.Decision.Unread) {
		p.unread = append(p.unread, line.Prose(u.Reason))
	}
	return p
}

// follows says since when it is blind, and silent, by the tick before, which may be nil.
func (p *present) follows(before *present) {
	if before != nil && !before.traffic.IsZero() && p.whole == 0 {
		p.traffic = before.traffic
	}
	switch {
	case !p.blind:
		p.sighted = p.at
		return
	case before == nil:
		p.since = p.at
		return
	}
	p.since, p.sighted = before.since, before.sighted
	if !before.blind {
		p.since = p.at
	}
}

// unseen says why nothing can be judged, since when, and what to do.
func (p *present) unseen() phrase {
	text := words.Say("The input cannot be judged since ", words.Clock(p.since))
	if p.sighted.IsZero() {
		text = words.Say("The input could not be judged since this instance looks, ", words.Clock(p.since))
	}
	for i, h := range p.holds[:min(len(p.holds), 2)] {
		join := ": "
		if i > 0 {
			join = "; "
		}
		text = append(text, words.Say(join, words.Flat(string(h.Detail), words.MaxPhrase))...)
	}
	return append(text, words.Say(". ", p.remedy())...)
}

// unseeing says that what is hot now is not known: nothing can be judged, or there are no records.
func (p *present) unseeing() bool { return p != nil && (p.blind || p.silent() != "") }

// silent says since when the log has no record; empty = it has some, or it is not known to be read.
func (p *present) silent() string {
	if p == nil || p.blind || p.load > 0 || p.traffic.IsZero() || !p.pane.After(p.traffic) {
		return ""
	}
	return "No record since " + words.Clock(p.traffic) + " (" + words.Lasting(p.pane.Sub(p.traffic)) + "): the log is read to its end and has nothing new."
}

// remedy is what to do about an input that cannot be judged.
func (p *present) remedy() string {
	for _, h := range p.holds {
		switch h.Reason {
		case policy.HoldStale.String():
			return "See that the brokers answer and that records arrive: firebreak doctor, and the status page."
		case policy.HoldPartial.String():
			return "See that every partition of the log is written and read: firebreak doctor, and the status page."
		case policy.HoldSamplingByKey.String():
			return "Sample the log by request, not by key."
		}
	}
	return "It can be judged when the window is filled."
}

// loadOf is the load of some panes, a sum.
func loadOf(panes []policy.Pane) (load float64) {
	for i := range panes {
		for j := range panes[i].VShards {
			load += panes[i].VShards[j].Load
		}
	}
	return load
}

// warming says how far the window is filled while it is not; empty = it is.
func (p *present) warming() string {
	if p.filled >= p.window {
		return ""
	}
	text := "warming up " + clockOf(p.filled) + " of " + clockOf(p.window)
	if p.filled < p.warm {
		text += "; nothing fires before " + clockOf(p.warm)
	}
	return text
}

// clockOf writes a duration as minutes and seconds.
func clockOf(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%d:%02d", d/time.Minute, d%time.Minute/time.Second)
}
