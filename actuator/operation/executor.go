package operation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// Executor takes the operations of one fleet forward while a process decides for it. It holds nothing that may be lost but since when it
// knows of each phase, and waits in it, so that who takes over waits a minute more, and calls somebody some minutes later. The zero value is ready; it belongs to one goroutine.
type Executor struct {
	known  map[uint64]known
	waits  map[uint64]stand
	tables []Machine // nil = Machines()
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
	// Can says what movers may be asked for; nil = that pieces are folded, where there is a Result.
	Can func(Ask) bool
	// Moving is how places change hands in the fleet.
	Moving Moving
	// Result is as View's.
	Result func(operation uint64, phase string) Result
}

// Round is what there is to do.
type Round struct {
	// Write is the next state; nil = nothing is to be written.
	Write *control.State
	// Tasks are to be done outside the document, again and again until their results are there.
	Tasks []Task
	// Soon says that nobody serves what an operation moves: who carries it out is to look again within half a second, and at the guards'
	// confirmations too.
	Soon bool
	// Waits say what the operations that stand wait for, by number.
	Waits map[uint64][]Wait
	// Holds are plans that are ready and cannot be begun, by id.
	Holds map[string]error
	// Faults are operations that this version cannot take on.
	Faults []error
}

// Observe keeps since when phases are known as written; it is to be called after every read or write of the state, once its head stands.
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
	maps.DeleteFunc(e.waits, func(number uint64, _ stand) bool { return s.Operation(number) == nil })
}

// Round looks for the one write that is due: of the oldest operation that can go on, else of the first plan that is ready.
func (e *Executor) Round(s *control.State, a *Around) Round {
	r := Round{Waits: map[uint64][]Wait{}, Holds: map[string]error{}}
	base := Forget(s, a.Now)
	tables := e.tables
	if tables == nil {
		tables = Machines()
	}
	full := len(base.Outbox) >= control.MaxOutbox-1 // a step may be news for who must act as well
	for _, o := range inOrder(tables, base) {
		waits := brief(tables, o)
		r.Soon = r.Soon || waits
		if full && !waits {
			r.Waits[o.Number] = []Wait{{Free, fmt.Sprintf("%d changes are not in the journal yet", len(base.Outbox))}}
			continue
		}
		v := e.view(base, o, a)
		step, err := next(tables, base, o.Number, v)
		if err == nil {
			step, err = e.called(base, o, step, v)
		}
		if err == nil && step.Write != nil {
			err = step.Write.Validate() // what cannot be written must not stand in the way of the others
		}
		if err != nil {
			r.Faults = append(r.Faults, err)
			continue
		}
		if step.Write != nil {
			r.Write = step.Write
			now := step.Write.Operation(o.Number)
			r.Soon = r.Soon || now != nil && brief(tables, now)
			return r
		}
		if step.Ask != nil {
			r.Tasks = append(r.Tasks, *step.Ask)
		}
		r.Waits[o.Number] = step.Waits
	}
	if !full {
		e.begin(base, a, &r)
	}
	return r
}

// inOrder are the operations that are not over, those first for which somebody waits.
func inOrder(tables []Machine, s *control.State) []*control.Operation {
	var out []*control.Operation
	for _, first := range [...]bool{true, false} {
		for i := range s.Operations {
			if o := &s.Operations[i]; o.Phase != Undone && brief(tables, o) == first {
				out = append(out, o)
			}
		}
	}
	return out
}

func (e *Executor) begin(s *control.State, a *Around, r *Round) {
	n := &a.Numbers
	if n.Decision == nil || n.blind(a.Now) != "" || s.Document.Stop {
		return
	}
	for i := range n.Decision.Plans {
		p := &n.Decision.Plans[i]
		if !p.Ready {
			continue
		}
		next, err := Begin(s, p, n.terms(p, a), a.Now)
		if err == nil {
			err = e.fits(next, len(s.Operations), a)
		}
		if err != nil {
			r.Holds[p.ID] = err
			continue
		}
		r.Write = next
		return
	}
}

// fits says whether the first of the operations that are planned from a place on could begin now: plans are projected anew when they are
// carried out.
func (e *Executor) fits(s *control.State, at int, a *Around) error {
	o := &s.Operations[at]
	v := e.view(s, o, a)
	if v.Busy != "" {
		return errors.New(v.Busy)
	}
	if why, ok := fits(s, o, v); !ok {
		return errors.New(why)
	}
	return nil
}

func (n *Numbers) terms(p *policy.Plan, a *Around) *Terms {
	movers := View{Result: a.Result, Can: a.Can}
	t := &Terms{
		Cut: func(moves []routing.Move) [][]routing.Move {
			return policy.CutMoves(n.Snapshot, n.Config, moves, cutShare*n.Config.MovedAtMost)
		},
		Staleness: n.Config.StalenessOf,
		Moving:    a.Moving, Provisions: movers.can(AskProvision),
		Merges: func(tenant, key string) bool { return n.Config.MergeOf(tenant, key) != "" },
		Mode:   n.Config.ModeOf(p.Fix), Approvers: n.Config.Approvers, Expiry: n.Config.Expiry,
	}
	if v := n.open(p.Hotspot); v != nil {
		t.Shard = v.Shard
	}
	return t
}

// open is what was judged of a hotspot that is open: one that was open before, or that fires now. Nil = it is not, or there is none of
// that id.
func (n *Numbers) open(hotspot string) *policy.Verdict {
	for i := range n.Decision.Open {
		if v := &n.Decision.Open[i]; v.Hotspot == hotspot {
			return v
		}
	}
	for i := range n.Decision.Verdicts {
		if v := &n.Decision.Verdicts[i]; v.Hotspot == hotspot && v.Phase == policy.PhaseFiring {
			return v
		}
	}
	return nil
}

// blind is why the numbers cannot be judged at a moment: they were not judged, or they are old.
func (n *Numbers) blind(now time.Time) string {
	switch {
	case n.Decision == nil:
		return "nothing was judged yet"
	case n.Decision.Blind:
		return "the log cannot be judged"
	case len(n.Snapshot.Panes) == 0:
		return "there are no loads of now"
	}
	// Clocks of the log decide nothing here: the pane was so late when it was judged, and that was so long ago.
	if old := n.Snapshot.Inputs.Lag + now.Sub(n.At); old > n.Config.MaxLag+n.Snapshot.Pane { // a pane is as long on its way as it lasts
		return fmt.Sprintf("the newest numbers are %s old", old.Round(time.Second))
	}
	return ""
}

// cutShare leaves room for loads that change between the cut and the write.
const cutShare = 0.95

func (e *Executor) view(s *control.State, o *control.Operation, a *Around) *View {
	v := &View{Now: a.Now, Known: e.known[o.Number].since, Result: a.Result, Can: a.Can, Needed: true}
	v.Guards = func(shard string) []control.Guarding { return a.Roll.Guards(a.Now, shard) }
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
	if v.Busy = busy(s, n.Config, a.Now); v.Busy == "" && n.astray() {
		v.Busy = "the traffic does not follow the table"
	}
	v.Lasts, v.Grace = n.Config.Expiry, max(grace, n.Config.Grace)
	v.Needed = o.Hotspot == "" || n.open(o.Hotspot) != nil || v.Blind != ""
	most := n.most(o)
	v.Fits = func(was, is *routing.Document) error { return n.fits(was, is, most) }
	v.Effect = func(was, is *routing.Document) Effect { return n.effect(o, was, is, v.Needed) }
	return v
}

// astray says that the log names other shards than the table does: what was begun last may be why, and nothing more is begun on that.
func (n *Numbers) astray() bool {
	return n.Snapshot != nil && n.Snapshot.Inputs.Shards && n.Snapshot.Inputs.Disagree > n.Config.Disagree
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

// Spent is what operations take of the caps: those that began in the last hour, and those that have begun and do not settle yet. One that
// has stood on its way back for longer than others settle holds up no other: it may wait for somebody to fold, for days.
func Spent(s *control.State, now time.Time) (hour, open int) {
	for i := range s.Operations {
		o := &s.Operations[i]
		if !o.Began.IsZero() && now.Sub(o.Began) < time.Hour {
			hour++
		}
		if o.Phase != Planned && moving(o) && (!o.Back || now.Sub(o.Since) < settle) {
			open++
		}
	}
	return hour, open
}

// Forget takes out what is over: operations that ended an hour ago, so that the hourly budget knows of them, and never began at all,
// unless others of their plan are planned still and have to know; and words of people that are too old to count.
func Forget(s *control.State, now time.Time) *control.State {
	n := s.Copy()
	n.Operations = slices.DeleteFunc(n.Operations, func(o control.Operation) bool {
		return o.Phase == Undone && (o.Began.IsZero() || now.Sub(o.Settled) >= time.Hour) && !slices.ContainsFunc(s.Operations, func(other control.Operation) bool {
			return other.Plan == o.Plan && other.Phase == Planned
		})
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
			NoEffect: o.Outcome == NoEffect || o.Outcome == Misrouted, Unproved: o.Outcome == Unverified,
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
