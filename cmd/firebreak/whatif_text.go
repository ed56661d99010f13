package main

import (
	"fmt"
	"strings"

	wording "firebreak/internal/words"
	"firebreak/policy"
)

// multiple is one of what-if, with the digits that its flags take and its tables have.
func multiple(x float64) string { return fixed(x, 2) + "x" }

// text is the report as an on-call note: the answer first, then what it rests on.
func (r whatifReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Answer.Why)
	if r.InStore != nil {
		fmt.Fprintf(&b, "%s\n", wording.InStore(r.InStore).Quoted())
	}
	if r.Answer.Floor > r.Answer.Target && r.Answer.Hottest > r.Answer.Target {
		fmt.Fprintf(&b, "More shards alone cannot: %s of the key stay on one shard at any shard count.\n", perSecond(r.Answer.Floor))
	}
	r.writeNow(&b)
	r.writeFleets(&b)
	r.writeSalts(&b)
	r.writeDoubled(&b)
	r.writeDetectable(&b)
	return b.String()
}

func (r whatifReport) writeNow(b *strings.Builder) {
	a := r.Answer
	fmt.Fprintf(b, "\nNOW: one key with %s of %s on %s, %s of it reads; the rest even\n",
		percent(r.Share), perSecond(r.Rate), shards(r.Shards), percent(r.Reads))
	var t table
	t.row("mean", perSecond(a.Mean), "a shard")
	target := multiple(r.question.multiple) + " the mean"
	if r.Capacity != nil {
		target = fmt.Sprintf("%s of the capacity of %s", percent(a.Target / *r.Capacity), perSecond(*r.Capacity))
	}
	t.row("target", perSecond(a.Target), target)
	t.row("hottest now", perSecond(a.Hottest), multiple(a.Hottest/a.Mean)+" the mean"+r.used(a.Hottest)+r.over(a.Hottest))
	t.row("floor", perSecond(a.Floor), "the key itself: stays on one shard at any shard count")
	t.write(b)
}

// used is a load as a share of the capacity, if there is one.
func (r whatifReport) used(load float64) string {
	if r.Capacity == nil {
		return ""
	}
	return ", " + percent(load / *r.Capacity) + " of capacity"
}

func (r whatifReport) over(load float64) string {
	if load <= r.Answer.Target*(1+1e-9) {
		return ", within the target"
	}
	return ", over the target"
}

func (r whatifReport) writeFleets(b *strings.Builder) {
	fmt.Fprintf(b, "\nMORE SHARDS, the key in one piece\n")
	var t table
	t.header("shards", "hottest", "x mean", "target", "salt needed there")
	for _, f := range r.Fleets {
		needed := "no salt is enough"
		if f.Salt != nil {
			needed = whole(*f.Salt) + " pieces"
			if *f.Salt == 1 {
				needed = "none"
			}
		}
		t.row(whole(f.Shards), perSecond(f.Hottest), fixed(f.Imbalance, 2), met(f.Feasible), needed)
	}
	t.write(b)
}

func (r whatifReport) writeSalts(b *strings.Builder) {
	if len(r.Salts) == 0 {
		fmt.Fprintf(b, "\nSALT: with one shard there is nothing to spread the key over\n")
		return
	}
	fmt.Fprintf(b, "\nSALT, on %s\n", shards(r.Shards))
	var t table
	t.header("", "pieces", "placed apart", "x mean", "target", "reads: key", "fleet *", "if hashed blindly **", "collide")
	marked := false
	for _, s := range r.Salts {
		blind, collide := "-", "-"
		if h := s.Hashed; h != nil {
			blind = fmt.Sprintf("%s/s (%s to %s)", grouped(h.Mean), grouped(h.P05), grouped(h.P95))
			collide = percent(h.Collides)
		}
		mark := ""
		if s.Smallest {
			mark, marked = ">", true
		}
		t.row(mark, whole(s.Pieces), perSecond(s.Hottest), fixed(s.Imbalance, 2), met(s.Feasible),
			"x"+fixed(s.KeyReadMultiplier, 0), "x"+fixed(s.ReadMultiplier, 2), blind, collide)
	}
	t.write(b)
	if marked {
		fmt.Fprintf(b, "  >  the smallest salt that meets the target\n")
	} else if !r.Salts[len(r.Salts)-1].Feasible {
		fmt.Fprintf(b, "  No salt meets the target here: every piece bears all %s of the key's reads, beside %s of the rest.\n",
			perSecond(r.Reads*r.Answer.Floor), perSecond(r.question.form.SaltFloor()-r.Reads*r.Answer.Floor))
	}
	fmt.Fprintf(b, "  *  all reads of the fleet, if the key has %s of them as it has of the load; x1.00 if it is never read\n", percent(r.Share))
	fmt.Fprintf(b, "  ** expected hottest shard (5 %% to 95 %%); collide: two pieces or more share a shard\n")
}

func (r whatifReport) writeDoubled(b *strings.Builder) {
	now, then := r.Answer, r.Doubled
	fmt.Fprintf(b, "\nIF THE RATE DOUBLES to %s\n", perSecond(then.Rate))
	var t table
	t.header("", "now", "doubled")
	t.row("hottest", perSecond(now.Hottest), perSecond(then.Hottest))
	t.row("floor", perSecond(now.Floor), perSecond(then.Floor))
	t.row("target", perSecond(now.Target), perSecond(then.Target))
	t.row("after the fix", perSecond(now.After), perSecond(then.After))
	t.write(b)
	if r.Capacity == nil {
		fmt.Fprintf(b, "  The target is a multiple of the mean, which doubles too: the same fix, twice the load on every shard.\n")
		return
	}
	fmt.Fprintf(b, "  %s\n", then.Why)
}

func (r whatifReport) writeDetectable(b *strings.Builder) {
	logged := "every request is logged"
	if r.question.every > 1 {
		logged = "one request of " + grouped(r.question.every) + " is logged"
	}
	fmt.Fprintf(b, "\nWHAT THE LOG CAN SHOW: %s, %s a minute of a shard at the line of %s\n", logged, grouped(r.Detects.Samples), perSecond(r.Detects.Line))
	var t table
	t.header("found at 95 %", "a shard of", "x line", "which is one key with", "this shard is found")
	for _, d := range []struct {
		within string
		detected
	}{{"within 1 minute", r.Detects.Fast}, {"within 5 minutes", r.Detects.Long}} {
		load, ratio, share := "none", "-", "-"
		if d.Ratio != nil {
			load, ratio = perSecond(*d.Load), fixed(*d.Ratio, 3)
		}
		if d.Share != nil {
			share = percent(*d.Share)
		}
		t.row(d.within, load, ratio, share, percent(d.Power))
	}
	t.write(b)
	fmt.Fprintf(b, "  By one full window of requests that come one by one; clumps of c count as one. The alert then waits until it has lasted for %s.\n",
		policy.Default().For)
}

func met(feasible bool) string {
	if feasible {
		return "met"
	}
	return "over"
}
