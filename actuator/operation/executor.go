package operation

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// Executor takes the operations of one fleet forward while a process decides for it. It holds nothing that may be lost but since when it
// knows of each phase, so that who takes over waits a minute more. The zero value is ready; it belongs to one goroutine.
type Executor struct {
	known map[uint64]known
}

type known struct {
	version uint64
	since   time.Time
}

// Numbers are the last judgement of a fleet. The zero value is none.
type Numbers struct {
	At       time.Time // when it was made, by the clock of Around.Now
	Snapshot *policy.Snapshot
	Config   *policy.Config
	Decision *policy.Decision
}

// Around is what else is known at a moment.
type Around struct {
	Now     time.Time
	Roll    *control.Roll
	Numbers Numbers
	// Result is as View's.
	Result func(operation uint64, phase string) Result
}

// Round is what there is to do.
type Round struct {
	// Write is the next state; nil = nothing is to be written.
	Write *control.State
	// Tasks are to be done outside the document, again and again until their results are there.
	Tasks []Task
	// Waits say what the operations that stand wait for, by number.
	Waits map[uint64][]Wait
	// Holds are plans that are ready and cannot be begun, by id.
	Holds map[string]error
	// Faults are operations that this version cannot take on.
	Faults []error
}

// Observe keeps since when phases are known as written; it is to be called after every read or write of the state.
func (e *Executor) Observe(s *control.State, now time.Time) {
	next := make(map[uint64]known, len(s.Operations))
	for i := range s.Operations {
		o := &s.Operations[i]
		k, ok := e.known[o.Number]
		if !ok || k.version != o.Version {
			k = known{o.Version, now}
		}
		next[o.Number] = k
	}
	e.known = next
}

// Round looks for the one write that is due: of the oldest operation that can go on, else of the first plan that is ready.
func (e *Executor) Round(s *control.State, a *Around) Round {
	r := Round{Waits: map[uint64][]Wait{}, Holds: map[string]error{}}
	base := Forget(s, a.Now)
	for i := range base.Operations {
		o := &base.Operations[i]
		if o.Phase == Undone {
			continue
		}
		step, err := Next(base, o.Number, e.view(base, o, a))
		if err != nil {
			r.Faults = append(r.Faults, err)
			continue
		}
		if step.Write != nil {
			r.Write = step.Write
			return r
		}
		if step.Ask != nil {
			r.Tasks = append(r.Tasks, *step.Ask)
		}
		r.Waits[o.Number] = step.Waits
	}
	e.begin(base, a, &r)
	return r
}

func (e *Executor) begin(s *control.State, a *Around, r *Round) {
	n := &a.Numbers
	if n.blind(a.Now) != "" || s.Document.Stop {
		return
	}
	for i := range n.Decision.Plans {
		p := &n.Decision.Plans[i]
		if !p.Ready {
			continue
		}
		if !n.allowed(s, p, a.Now) {
			continue // its approval was used up since it was judged
		}
		next, err := Begin(s, p, n.terms(p), a.Now)
		if err != nil {
			r.Holds[p.ID] = err
			continue
		}
		r.Write = next
		return
	}
}

// allowed looks for the approval where it is used up: that a plan was ready when it was judged is not enough.
func (n *Numbers) allowed(s *control.State, p *policy.Plan, now time.Time) bool {
	switch n.Config.ModeOf(p.Fix) {
	case policy.ModeAuto:
		return !slices.ContainsFunc(s.Approvals, func(w control.Approval) bool { return w.Plan == p.ID && w.No })
	case policy.ModeApprove:
		return slices.ContainsFunc(s.Approvals, func(w control.Approval) bool {
			return w.Plan == p.ID && !w.No && slices.Contains(n.Config.Approvers, w.By) && now.Sub(w.At) <= n.Config.Expiry
		})
	case policy.ModeObserve:
	}
	return false
}

func (n *Numbers) terms(p *policy.Plan) *Terms {
	t := &Terms{
		Cut: func(moves []routing.Move) [][]routing.Move {
			return policy.CutMoves(n.Snapshot, moves, cutShare*n.Config.MovedAtMost)
		},
		Staleness: n.Config.StalenessOf,
	}
	if v := n.firing(p.Hotspot); v != nil {
		t.Shard = v.Shard
	}
	return t
}

// firing finds a hotspot among those that fire, the ones that began to at this judgement too; nil = it is none of them.
func (n *Numbers) firing(hotspot string) *policy.Verdict {
	for _, list := range [][]policy.Verdict{n.Decision.Open, n.Decision.Verdicts} {
		for i := range list {
			if v := &list[i]; v.Hotspot == hotspot && v.Phase != policy.PhaseResolved {
				return v
			}
		}
	}
	return nil
}

// cutShare leaves room for loads that change between the cut and the write.
const cutShare = 0.9

func (e *Executor) view(s *control.State, o *control.Operation, a *Around) *View {
	v := &View{Now: a.Now, Known: e.known[o.Number].since, Result: a.Result, Needed: true}
	if e.known[o.Number].version != o.Version {
		v.Known = a.Now
	}
	for _, c := range a.Roll.Behind(a.Now, o.Version) {
		v.Behind = append(v.Behind, c.Client)
	}
	v.Routed = a.Roll.Live(a.Now) > 0
	n := &a.Numbers
	if v.Blind = n.blind(a.Now); n.Decision == nil {
		return v
	}
	v.Busy = busy(s, n.Config, a.Now)
	v.Needed = o.Hotspot == "" || n.firing(o.Hotspot) != nil || v.Blind != ""
	most := n.Config.MovedAtMost
	if o.By != "" {
		most = 1 // a person saw what it moves
	}
	v.Fits = func(was, is *routing.Document) error { return n.fits(was, is, most) }
	v.Effect = func(was, is *routing.Document) Effect { return n.effect(o, was, is, v.Needed) }
	return v
}

// blind is why the numbers cannot be judged now; empty = they can.
func (n *Numbers) blind(now time.Time) string {
	switch {
	case n.Decision == nil:
		return "nothing was judged yet"
	case n.Decision.Blind:
		return "the log cannot be judged"
	case now.Sub(n.At) > n.Config.MaxLag:
		return fmt.Sprintf("the last judgement is %s old", now.Sub(n.At).Round(time.Second))
	}
	return ""
}

// busy is why no operation may begin.
func busy(s *control.State, cfg *policy.Config, now time.Time) string {
	hour, open := Spent(s, now)
	switch {
	case open >= cfg.AtOnce:
		return fmt.Sprintf("%d operations are open, at most %d", open, cfg.AtOnce)
	case hour >= cfg.PerHour:
		return fmt.Sprintf("%d operations in the last hour, at most %d", hour, cfg.PerHour)
	case !cfg.InWindow(now):
		return "operations start in the maintenance windows only"
	}
	return ""
}

// Spent is what operations take of the caps: those that began in the last hour, and those that have begun and do not settle yet.
func Spent(s *control.State, now time.Time) (hour, open int) {
	for i := range s.Operations {
		o := &s.Operations[i]
		if !o.Began.IsZero() && now.Sub(o.Began) < time.Hour {
			hour++
		}
		if o.Phase != Planned && moving(o) {
			open++
		}
	}
	return hour, open
}

// Forget takes out what is over: operations that ended an hour ago, so that the hourly budget knows of them, and words of people that are
// too old to count.
func Forget(s *control.State, now time.Time) *control.State {
	n := s.Copy()
	n.Operations = slices.DeleteFunc(n.Operations, func(o control.Operation) bool {
		return o.Phase == Undone && (o.Began.IsZero() || now.Sub(o.Settled) >= time.Hour)
	})
	n.Approvals = slices.DeleteFunc(n.Approvals, func(a control.Approval) bool { return now.Sub(a.At) >= wordLasts })
	n.Holds = slices.DeleteFunc(n.Holds, func(h control.Held) bool { return now.Sub(h.At) >= wordLasts })
	return n
}

// wordLasts is how long a rejection or a hold is kept. Approvals count for less, see policy.Config.Expiry.
const wordLasts = 24 * time.Hour

// World is what policy is to know of a state: operations, approvals, budgets, clients and what people hold.
func World(s *control.State, roll *control.Roll, now time.Time) policy.World {
	var w policy.World
	for i := range s.Operations {
		o := &s.Operations[i]
		op := policy.Operation{
			ID: strconv.FormatUint(o.Number, 10), Hotspot: o.Hotspot, Shard: routing.NoShard, Footprint: o.Entries(), Settled: o.Settled,
			NoEffect: o.Outcome == NoEffect, Unproved: o.Outcome == Unverified,
		}
		_ = op.Fix.UnmarshalText([]byte(o.Fix)) // of a newer version: none
		if at := slices.IndexFunc(s.Document.Shards, func(d routing.Shard) bool { return d.Name == o.Shard }); at >= 0 {
			op.Shard = routing.ShardID(at)
		}
		if o.Phase == Undone && o.Began.IsZero() {
			continue // it did nothing
		}
		w.Operations = append(w.Operations, op)
	}
	for _, a := range s.Approvals {
		w.Approvals = append(w.Approvals, policy.Approval{Plan: a.Plan, By: a.By, At: a.At, Rejected: a.No, Reason: a.Reason})
	}
	for _, h := range s.Holds {
		w.Operator.Hotspots = append(w.Operator.Hotspots, policy.HeldHotspot{Hotspot: h.Hotspot, Reason: h.By + ": " + h.Reason})
	}
	if s.Document.Stop {
		w.Operator.Stop, w.Operator.Reason = true, "acting is stopped"
	}
	w.Clients.Routed = roll.Live(now) > 0
	for _, c := range roll.Behind(now, s.Document.Version) {
		w.Clients.Behind = append(w.Clients.Behind, c.Client)
	}
	w.Budget.LastHour, w.Budget.Open = Spent(s, now)
	return w
}
