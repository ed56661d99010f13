package quality

import (
	"time"

	"firebreak/policy"
	"firebreak/routing"
)

// Line is one verdict line, as far as it is scored.
type Line struct {
	At          time.Duration // close of the newest pane, since the start of the first
	Phase       policy.Phase
	Severity    policy.Severity
	Cause       policy.Cause
	Key, Tenant string
	Fix         policy.Fix
}

// Proposal is a plan and what it would do to the exact rates.
type Proposal struct {
	At  time.Duration
	Fix policy.Fix
	Applied
}

// Event is one scored shard of one fleet: what is true of it and what was said of it.
type Event struct {
	Truth
	Onset     time.Duration // 0 = hot from the start
	Promised  float64       // power of one full fast window
	Windows   int           // disjoint one-minute windows wholly after the onset ...
	Found     int           // ... in which the shard was found
	Lines     []Line
	Proposals []Proposal // every plan that was shown
	Baselines []Baseline // in the order of BaselineNames
}

// Result is one fleet with everything that was said of it. It does not hold on to the fleet's keys.
type Result struct {
	Header
	Events        []Event
	False         int // firing lines on shards that never came to 0.9 x their line
	FalseCritical int // of those, critical ones in a fleet without any shard at 0.9 x its line
	Loads         []Load
}

// Load is one shard of a fleet in requests/s.
type Load struct {
	Before, After float64 // exact, until and from the onset
	Counted       float64 // by the log, over the last minute
}

const (
	mostEvents = 6   // scored shards of one fleet: the planted one, then by rising id
	nearLine   = 0.9 // of the line: nothing below may fire
)

// runner feeds one fleet through the policy.
type runner struct {
	f      *Fleet
	cfg    policy.Config
	c      *counter
	r      *Result
	bornes map[routing.ShardID]*borne
	events map[routing.ShardID]int // index into r.Events
	peak   []float64               // highest exact load / line of each shard, over both phases
	before []float64               // the same before the onset
	near   bool                    // a shard comes to nearLine
	shards map[string]routing.ShardID
}

// Run draws the log of a fleet, judges every pane and scores what was said.
func Run(f *Fleet) *Result {
	u := &runner{
		f: f, cfg: f.Config(), c: newCounter(f, false), r: &Result{Header: f.Header},
		events: map[routing.ShardID]int{}, shards: map[string]routing.ShardID{},
	}
	u.choose()
	var st policy.State
	for range f.Panes {
		u.c.next()
		at := time.Duration(u.c.pane) * Pane
		var d policy.Decision
		d, st = policy.Evaluate(u.c.snapshot(), &u.cfg, st, start().Add(at))
		u.record(&d, at)
	}
	u.power()
	u.baselines()
	return u.r
}

// choose picks the shards that are scored and works out what is true of them.
func (u *runner) choose() {
	e := u.f.Exact()
	before := u.f.sum(func(k *Key) float64 { return k.Before })
	var ids []routing.ShardID
	if u.f.Planted != routing.NoShard {
		ids = append(ids, u.f.Planted)
	}
	for i := range e.Shards {
		id := routing.ShardID(i)
		u.r.Loads = append(u.r.Loads, Load{Before: before.Shards[i], After: e.Shards[i]})
		u.before = append(u.before, before.Ratio(id))
		u.peak = append(u.peak, max(e.Ratio(id), before.Ratio(id)))
		u.near = u.near || u.peak[i] >= nearLine
		if id != u.f.Planted && e.Ratio(id) >= 1 && len(ids) < mostEvents {
			ids = append(ids, id)
		}
	}
	u.bornes = u.f.bearing(ids)
	for _, id := range ids {
		event := Event{Truth: *u.f.truth(u.bornes[id])}
		if id == u.f.Planted {
			event.Onset = u.f.Onset
		}
		u.events[id] = len(u.r.Events)
		u.r.Events = append(u.r.Events, event)
	}
}

// record keeps what one tick said.
func (u *runner) record(d *policy.Decision, at time.Duration) {
	for i := range d.Open {
		u.shards[d.Open[i].Hotspot] = d.Open[i].ShardID
	}
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		u.shards[v.Hotspot] = v.ShardID
		peak := u.peak[v.ShardID]
		if at <= u.f.Onset {
			peak = u.before[v.ShardID]
		}
		if v.Phase == policy.PhaseFiring && peak < nearLine {
			u.r.False++
		}
		if v.Severity == policy.SeverityCritical && !u.near {
			u.r.FalseCritical++
		}
		if k, scored := u.events[v.ShardID]; scored && at > u.r.Events[k].Onset {
			u.r.Events[k].Lines = append(u.r.Events[k].Lines, Line{
				At: at, Phase: v.Phase, Severity: v.Severity, Cause: v.Cause, Key: v.Key, Tenant: v.Tenant, Fix: v.Fix,
			})
		}
	}
	for i := range d.Plans {
		p := &d.Plans[i]
		k, scored := u.events[u.shards[p.Hotspot]]
		if !scored || at <= u.r.Events[k].Onset {
			continue
		}
		event := &u.r.Events[k]
		event.Proposals = append(event.Proposals, Proposal{
			At: at, Fix: p.Fix, Applied: u.f.apply(u.bornes[event.Shard], event.Target, p.Steps),
		})
	}
}

// power compares what one full window promises with what it finds: the policy judges disjoint one-minute windows, each
// as a whole and without a memory.
func (u *runner) power() {
	e := u.f.Exact()
	mean := e.Total / float64(u.f.Shards)
	watch := policy.Watch{
		Samples: e.Total * u.f.Rate, Shards: u.f.Shards, Line: e.Line / mean,
		Absolute: u.f.Capacity > 0, DesignEffect: u.f.DesignEffect(),
	}
	for i := range u.r.Events {
		event := &u.r.Events[i]
		event.Promised = watch.Power(event.Ratio, time.Minute)
	}
	first := int((u.f.Onset + Pane - 1) / Pane)
	for to := len(u.c.panes); to-u.cfg.FastPanes >= first; to -= u.cfg.FastPanes {
		s := &policy.Snapshot{
			Fleet: "fleet", Table: u.f.Table, LogPoint: policy.LogPointClient, Pane: Pane, Whole: true,
			Panes: u.c.panes[to-u.cfg.FastPanes : to],
			// Disagree keeps the policy from planning: only the hot test is asked.
			Inputs: policy.Inputs{Coverage: 1, Sampling: u.f.sampling(), Disagree: 1},
		}
		d, _ := policy.Evaluate(s, &u.cfg, policy.State{}, start())
		found := map[routing.ShardID]bool{}
		for k := range d.Verdicts {
			found[d.Verdicts[k].ShardID] = true
		}
		for i := range u.r.Events {
			u.r.Events[i].Windows++
			if found[u.r.Events[i].Shard] {
				u.r.Events[i].Found++
			}
		}
	}
}
