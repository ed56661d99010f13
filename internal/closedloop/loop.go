package closedloop

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// Options are what happens to a fleet. The zero value is a fleet that nothing happens to.
type Options struct {
	Onset time.Duration // from when on it is hot; 0 = never
	Spike time.Duration // after the first flip: then another shard gets busier too; 0 = never
	Delay time.Duration // age of the newest pane that is judged, a multiple of a pane
	Lags  bool          // clients poll late, and one is cut off for minutes
	Fails float64       // share of writes with a fault
	Away  bool          // the store answers nothing for minutes, once after the onset
	Deaf  bool          // clients confirm what they read, and route by what they held first
	// Factor multiplies what is asked for at a moment since the start; nil = 1.
	Factor func(since time.Duration, stream int) float64
	// Blind says what the log lacks at a moment; nil = nothing.
	Blind func(since time.Duration, in *policy.Inputs)
	// Config changes the fleet's configuration; nil = it stays.
	Config func(c *policy.Config)
}

// Loop is a fleet that is looked after.
type Loop struct {
	Began   []control.Operation // operations as they stood after their first write
	Ended   []control.Operation // operations as they stood when their effect was judged
	Moved   []Moved             // virtual shards that changed hands
	Told    int                 // verdicts that fired
	Spiked  time.Duration       // when the spike came; 0 = it did not
	AtSpike *routing.Document   // as it stood then
	Holds   map[policy.HoldReason]int
	Undos   []Undo // each plan once
	fleet   *Fleet
	o       Options
	cfg     policy.Config
	now     time.Time
	counts  *counts
	store   *store
	stored  *placing
	clients []*client
	exec    operation.Executor
	roll    control.Roll
	state   *control.State // as the decider knows it; nil = it must read it
	epoch   uint64
	judged  routed
	policy  policy.State
	numbers operation.Numbers
	loads   []float64 // asked for, of every stream, requests/s
}

// Moved is a virtual shard that changed hands.
type Moved struct {
	At       time.Duration
	VShard   routing.VShard
	From, To routing.ShardID
	Back     bool // by an operation that is taken back
}

// Undo is a plan to take back what is no longer needed.
type Undo struct {
	At   time.Duration // when it was proposed first
	Plan policy.Plan
}

// routed is the document by which the log is judged.
type routed struct {
	table *routing.Table
	was   *placing // in force before since
	is    *placing
	since time.Time
}

func start() time.Time { return time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) }

// New is a loop that has not started.
func New(f *Fleet, o Options) (*Loop, error) {
	l := &Loop{fleet: f, o: o, now: start(), cfg: policy.Default(), Holds: map[policy.HoldReason]int{}}
	l.cfg.Mode, l.cfg.Capacity.Total = policy.ModeAuto, f.Capacity
	l.cfg.MaxLag += o.Delay
	l.cfg.KeySpaces = []policy.KeySpace{{Prefix: "feed", Merge: "counter"}, {Prefix: "page", Staleness: time.Second}}
	if o.Config != nil {
		o.Config(&l.cfg)
	}
	r := rand.New(rand.NewPCG(f.Seed, 2))
	l.counts = newCounts(rand.New(rand.NewPCG(f.Seed, 3)), f)
	from := o.Onset + time.Duration(r.IntN(900))*time.Second
	until := from + time.Duration(r.IntN(240))*time.Second
	l.store = &store{r: r, fails: o.Fails, away: func(now time.Time) bool {
		since := now.Sub(start())
		return o.Away && since >= from && since < until
	}}
	d := f.Table.Document().Clone()
	d.Epoch, d.Tenure, d.Version = 1, "t", 1
	if err := l.store.put(control.First(d)); err != nil {
		return nil, err
	}
	first, err := l.placingOf()
	if err != nil {
		return nil, err
	}
	l.judged = routed{table: first.table, is: first}
	l.drawClients(r, first)
	l.epoch = 1
	return l, nil
}

// Since is how long it runs.
func (l *Loop) Since() time.Duration { return After(l.now) }

// After is how long after the start of a loop a moment is.
func After(at time.Time) time.Duration { return at.Sub(start()) }

// Step is one pane.
func (l *Loop) Step() error {
	for range 2 {
		if err := l.poll(); err != nil {
			return err
		}
		if err := l.decide(); err != nil {
			return err
		}
		l.now = l.now.Add(Pane / 2)
	}
	l.demand()
	l.counts.add(l.fleet, l.now.Add(-Pane), l.logged(), l.judged.table, l.disagree())
	return l.judge()
}

// judge lets policy see the panes that are there.
func (l *Loop) judge() error {
	s := l.counts.snapshot(l.fleet, l.judged.table, int(l.o.Delay/Pane), l.o.Delay)
	if s == nil {
		return nil
	}
	s.Routed = l.judged.since
	if l.state != nil {
		s.World = operation.World(l.state, &l.roll, l.now)
	}
	s.World.Demand = l.refused()
	if l.o.Blind != nil {
		l.o.Blind(l.Since(), &s.Inputs)
	}
	var d policy.Decision
	d, l.policy = policy.Evaluate(s, &l.cfg, l.policy, l.now)
	for i := range d.Verdicts {
		if d.Verdicts[i].Phase == policy.PhaseFiring {
			l.Told++
		}
	}
	for i := range d.Holds {
		l.Holds[d.Holds[i].Reason]++
	}
	for _, p := range d.Plans {
		if p.Undo && !slices.ContainsFunc(l.Undos, func(u Undo) bool { return u.Plan.ID == p.ID }) {
			l.Undos = append(l.Undos, Undo{l.Since(), p})
		}
	}
	l.numbers = operation.Numbers{At: l.now, Snapshot: s, Config: &l.cfg, Decision: &d}
	return nil
}

// decide takes operations forward, as a steward does: it reads the state where it cannot know it, claims it where somebody else has, and
// writes until nothing is due.
func (l *Loop) decide() error {
	if !l.store.away(l.now) {
		l.roll.Observe(l.now, l.confirmations())
	}
	for range 8 {
		if l.state == nil {
			s, err := l.store.load(l.now)
			if err != nil {
				return nil //nolint:nilerr // it tries again
			}
			if err := l.take(s); err != nil {
				return err
			}
			if s.Document.Epoch != l.epoch {
				if done, err := l.claim(); err != nil || !done {
					return err
				}
			}
		}
		l.exec.Observe(l.state, l.now)
		round := l.exec.Round(l.pruned(), &operation.Around{Now: l.now, Roll: &l.roll, Numbers: l.numbers, Moving: operation.MovingRouting})
		if len(round.Faults) > 0 {
			return errors.Join(round.Faults...)
		}
		if round.Write == nil {
			return nil
		}
		if done, err := l.write(round.Write); err != nil || !done {
			return err
		}
	}
	return nil
}

// claim takes the fleet, as a process does that does not know what the one before it knew.
func (l *Loop) claim() (bool, error) {
	next, err := l.state.Claim(0, fmt.Sprintf("c%d", l.state.Document.Version))
	if err != nil {
		return false, err
	}
	l.exec = operation.Executor{}
	return l.write(next)
}

// write says whether it is done; what is not known is read again.
func (l *Loop) write(next *control.State) (bool, error) {
	var conflict *control.Conflict
	switch err := l.store.write(l.now, l.state.At(), next); {
	case err == nil:
		return true, l.take(next)
	case errors.Is(err, errAway):
		return false, nil
	case errors.Is(err, control.ErrUnknown), errors.As(err, &conflict):
		l.state = nil
		return false, nil
	default:
		return false, err
	}
}

// pruned is the state without what the journal has.
func (l *Loop) pruned() *control.State {
	all := func(string) bool { return true }
	return l.state.Pruned(all, all)
}

// take takes over a state that stands in the store.
func (l *Loop) take(s *control.State) error {
	was := l.judged.table.Document()
	l.record(was, s)
	l.state, l.epoch = s, max(l.epoch, s.Document.Epoch)
	if s.Document.Version == was.Version {
		return nil
	}
	is, err := l.placingOf()
	if err != nil {
		return err
	}
	if len(routing.Diff(was, s.Document)) == 0 {
		l.judged.table, l.judged.is = is.table, is
		return nil
	}
	l.judged = routed{table: is.table, was: l.judged.is, is: is, since: l.now}
	return nil
}
