package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"firebreak/dashboards/terminal"
	"firebreak/policy"
)

// summary says what was planted, as what it was found, and what the closed form makes of the hot key.
func (d *demo) summary() string {
	var b strings.Builder
	until := d.now()
	b.WriteString("\nWHAT WAS PLANTED, AND AS WHAT IT WAS FOUND\n")
	var t table
	t.header("planted", "on", "found as", "after", "resolved", "fix", "that is")
	planted := 0
	for i := range d.acts {
		a := &d.acts[i]
		if a.From.After(until) {
			break
		}
		planted++
		t.row(d.actCells(a)...)
	}
	if planted == 0 {
		b.WriteString("  Nothing yet.\n")
	} else {
		t.write(&b)
	}
	var others []string
	for i := range d.extra {
		if v := &d.extra[i]; v.Phase == policy.PhaseFiring {
			others = append(others, fmt.Sprintf("%s (%s)", shownName(v.Shard), v.Cause))
		}
	}
	switch {
	case len(others) > 0:
		fmt.Fprintf(&b, "  Found where nothing was planted: %s: wrong.\n", strings.Join(others, ", "))
	case planted > 0:
		b.WriteString("  Nothing else was found. Times are of the story, from planting to the verdict, and to its end.\n")
	}
	d.fixes(&b, until)
	for i := range d.acts {
		if a := &d.acts[i]; a.Fix == policy.FixSalt && a.verdict != nil && a.right() {
			d.arithmetic(&b, a.verdict)
			break
		}
	}
	return b.String()
}

// fixes says what was done about each act, and what its shard counted of itself.
func (d *demo) fixes(b *strings.Builder, until time.Time) {
	var t table
	t.header("fix", "for", "in force after", "asked before", "and with it", "of capacity", "judged", "taken back, since it was gone")
	var folded strings.Builder
	rows := 0
	for i := range d.acts {
		a := &d.acts[i]
		if a.From.After(until) || a.fixed.IsZero() {
			continue
		}
		rows++
		before, after, back := "-", "-", "not yet"
		if asked, _, ok := d.askedOf(a.Shard, a.fixed.Add(-3*demoSample), a.fixed); ok {
			before = perSecond(asked)
		}
		share := "-"
		if asked, served, _ := d.cool(a); asked > 0 {
			after, share = perSecond(asked), percent(asked/a.verdict.Capacity)
			if asked-served >= 0.5 {
				share += ", " + perSecond(asked-served) + " refused"
			}
		}
		if !a.undone.IsZero() {
			back = terminal.Clock(a.undone.Sub(a.To))
		}
		t.row(strings.ReplaceAll(a.Fix.String(), "_", " "), a.Shard, terminal.Clock(a.fixed.Sub(a.From)), before, after, share, a.outcome(), back)
		if a.Fix == policy.FixSalt && !a.undone.IsZero() {
			sum, acknowledged := d.world.Sum(a.Tenant, a.Key, d.world.Table())
			fmt.Fprintf(&folded, "  %s was folded: it reads %s, and of the requests that are logged as many writes were acknowledged as %s.\n",
				shownName(a.Key), grouped(float64(sum)), grouped(float64(acknowledged)))
		}
	}
	if rows == 0 {
		return
	}
	b.WriteString("\nWHAT WAS DONE, AND WHAT THE SHARDS COUNTED OF THEMSELVES\n")
	t.write(b)
	b.WriteString("  What a shard was asked for, by its own counters: before its fix, and in the last minute of what was planted. None of it is of the log.\n" + folded.String())
}

// actCells are an act as a row of the table.
func (d *demo) actCells(a *demoAct) []string {
	cells := []string{causeWords(a.Cause), a.Shard}
	if a.verdict == nil {
		state := "wrong"
		if d.now().Before(a.To) {
			state = "not judged in time"
		}
		return append(cells, "not found", "-", "-", "-", state)
	}
	v := a.verdict
	found := causeWords(v.Cause)
	switch v.Cause {
	case policy.CauseHotKey:
		found += " " + shownName(v.Key)
	case policy.CauseWhaleTenant:
		found += " " + shownName(v.Tenant)
	case policy.CauseVolume, policy.CauseUnknown:
	}
	resolved, state := "not yet", "right"
	if !a.resolved.IsZero() {
		resolved = terminal.Clock(a.resolved.Sub(a.From))
	}
	if !a.right() {
		state = "wrong"
	}
	return append(cells, found, terminal.Clock(a.found.Sub(a.From)), resolved, v.Fix.String(), state)
}

// arithmetic is what whatif computes of the hot key, on the loads of its verdict.
func (d *demo) arithmetic(b *strings.Builder, v *policy.Verdict) {
	if len(v.Contribute) == 0 || !(v.Mean > 0) || !(v.Capacity > 0) {
		return
	}
	serving := demoShards
	rate := v.Mean * float64(serving)
	// As the flags of whatif have them, so that the command printed gives the same.
	share := math.Round(v.Contribute[0].Load/rate*1000) / 1000
	reads := math.Round(v.ReadShare*100) / 100
	q := whatifQuestion{
		form: policy.Form{Share: share, Rate: math.Round(rate), Shards: serving, Reads: reads}, capacity: v.Capacity, every: 1,
	}
	r := newWhatifReport(q)
	fmt.Fprintf(b, "\nTHE HOT KEY ON ITS OWN LOADS: %s of %s, and a shard should bear at most %s\n", percent(share), perSecond(q.form.Rate), perSecond(r.Answer.Target))
	var t table
	t.header("", "hottest shard", "of capacity", "target")
	fleets := r.Fleets[:min(3, len(r.Fleets))]
	for _, f := range fleets {
		t.row(shards(f.Shards), perSecond(f.Hottest), percent(f.Hottest/v.Capacity), met(f.Feasible))
	}
	for _, s := range r.Salts {
		if s.Smallest {
			t.row(fmt.Sprintf("%s, salt of %d", shards(serving), s.Pieces), perSecond(s.Hottest), percent(s.Hottest/v.Capacity), met(s.Feasible))
		}
	}
	t.write(b)
	fmt.Fprintf(b, "  More shards cannot: the key’s %s stay on one shard at any number of them.\n", perSecond(r.Answer.Floor))
	for i := range v.Projected {
		if p := &v.Projected[i]; p.Fix == policy.FixSalt && p.Feasible {
			fmt.Fprintf(b, "  The verdict asked for %d pieces: on the real shards, uneven as they are, and on the upper bounds of what was measured.\n", p.Salt)
		}
	}
	fmt.Fprintf(b, "  All of it: firebreak whatif --share %s%% --rate %.0f --shards %d --capacity %.0f --reads %s%%\n",
		fixed(share*100, 1), q.form.Rate, serving, v.Capacity, fixed(reads*100, 0))
}
