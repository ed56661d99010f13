package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
)

// said is what was printed, so that what repeats every tick is printed once.
type said struct {
	ticks    int
	held     map[string]bool // by hotspot and reason
	planned  map[string]string
	advised  map[string]bool
	findings map[string]policy.Finding
	order    []string // of findings
	fired    map[string]time.Time
	delays   []time.Duration
	causes   map[string]policy.Cause // by hotspot, as it was told last
	holds    map[policy.HoldReason]int
	open     int

	advisedKeys []string // for which a cache or a salt was told
}

func newSaid() said {
	return said{
		held: map[string]bool{}, planned: map[string]string{}, advised: map[string]bool{}, findings: map[string]policy.Finding{},
		fired: map[string]time.Time{}, causes: map[string]policy.Cause{}, holds: map[policy.HoldReason]int{},
	}
}

// say prints what is new of a decision, each verdict with what belongs to it, and counts all of it.
func (r *replay) say(f *replayedFleet, d *policy.Decision, now line.Stamp) error {
	var errs []error
	told := map[string]bool{}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		with := telling{plan: planOf(d, v.Hotspot)}
		_, with.revised = f.said.fired[v.Hotspot]
		f.said.count(v)
		told[v.Hotspot] = true
		errs = append(errs, r.out.verdict(v, with))
		errs = append(errs, r.details(f, d, now, func(hotspot string) bool { return hotspot == v.Hotspot }, true)...)
	}
	errs = append(errs, r.details(f, d, now, func(hotspot string) bool { return !told[hotspot] }, false)...)
	for _, h := range d.Holds {
		f.said.holds[h.Reason]++
	}
	for _, a := range d.Advice {
		if id := fmt.Sprint(a.Shard, " ", a.Topic, a.Level); !f.said.advised[id] {
			f.said.advised[id] = true
			errs = append(errs, r.out.advice(f.cfg.Name, now, a))
		}
	}
	for _, n := range d.Findings {
		f.said.find(n)
	}
	f.said.open = len(d.Open)
	return errors.Join(errs...)
}

// planOf is the plan of a hotspot; nil if it has none.
func planOf(d *policy.Decision, hotspot string) *policy.Plan {
	for i := range d.Plans {
		if d.Plans[i].Hotspot == hotspot && !d.Plans[i].Undo {
			return &d.Plans[i]
		}
	}
	return nil
}

// details prints the plans and holds of some hotspots that were not printed before.
func (r *replay) details(f *replayedFleet, d *policy.Decision, now line.Stamp, of func(hotspot string) bool, follows bool) (errs []error) {
	s := &f.said
	for i := range d.Plans {
		if p := &d.Plans[i]; of(p.Hotspot) && s.planned[p.Hotspot] != p.ID {
			s.planned[p.Hotspot] = p.ID
			l := line.NewPlan(f.cfg.Name, now, p, f.window.Table)
			f.store.Tell(l, profiles.Where{Table: f.window.Table, Hot: d.HotShard(p.Hotspot)})
			errs = append(errs, r.out.plan(l, p, follows))
		}
	}
	for _, h := range d.Holds {
		if id := h.Hotspot + " " + h.Reason.String(); of(h.Hotspot) && !s.held[id] {
			s.held[id] = true
			errs = append(errs, r.out.hold(f.cfg.Name, now, h, follows))
		}
	}
	return errs
}

// find keeps a finding; those that differ in their numbers only are one, the last.
func (s *said) find(n policy.Finding) {
	id := n.Shard + " " + strings.Map(dropDigits, n.Reason)
	if _, known := s.findings[id]; !known {
		s.order = append(s.order, id)
	}
	s.findings[id] = n
}

// dropDigits makes one finding of those that differ in their numbers only.
func dropDigits(r rune) rune {
	if strings.ContainsRune("0123456789.,", r) {
		return -1
	}
	return r
}

// count counts a verdict: its cause, which may be revised, and its delay from the onset when it fires first.
func (s *said) count(v *policy.Verdict) {
	if v.Phase != policy.PhaseFiring {
		return
	}
	s.causes[v.Hotspot] = v.Cause
	s.advise(v)
	if _, again := s.fired[v.Hotspot]; again {
		return
	}
	s.fired[v.Hotspot] = v.Time
	s.delays = append(s.delays, v.Time.Sub(v.Onset))
}
