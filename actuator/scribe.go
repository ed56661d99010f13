package actuator

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

const (
	// linger is how long a hold, plan or advice must be absent before it is told that it ended: what comes and goes from one
	// pane to the next is told once.
	linger = time.Minute
	// blindAfter is how long the input must not be judgeable before it is told: with policy's max_lag of a minute that is
	// within two minutes of an outage. A short gap, as at a failover, is not told.
	blindAfter = 20 * time.Second
	// sightedAfter is how long it must be judgeable before that is told: one pane.
	sightedAfter = 10 * time.Second
)

// Tick is what one evaluation of one fleet gave. A Scribe reads it only.
type Tick struct {
	Fleet    string
	Now      time.Time        // as given to Evaluate
	Pane     time.Time        // end of the newest complete pane of the snapshot; zero = there is none
	Table    *routing.Table   // of the snapshot: it names the shards of plans
	Decision *policy.Decision // what Evaluate returned ...
	State    *policy.State    // ... both of it
	Store    *profiles.Store  // its words for the steps of plans; nil = the fleet names no profile
}

// Scribe turns decisions into the entries that are news. The zero value redacts nothing. It holds no state.
type Scribe struct {
	Redact Redact
}

// Write gives the news of a tick, in the order in which it is to stand in the journal, and what was told by then. The same
// ticks from the same Told on give the same entries.
//
// News is: a verdict; a plan whose id is new; a hold whose hotspot and reason are new; an advice that is new or changed its
// level; that one of these ended (of a resolved hotspot the verdict says it); that the input cannot be judged, or can again.
func (s Scribe) Write(t *Tick, told Told) ([]Entry, Told, error) {
	w := &writer{Tick: t, redact: s.Redact, told: told.clone(), at: moment(t.Now)}
	if !w.told.Pane.Equal(t.Pane) {
		w.told.Pane, w.told.Again = t.Pane.UTC(), nil
	}
	newest := t.State.Detection.Newest.UTC()
	w.fresh = newest.After(w.told.Judged)
	w.whole = !t.Decision.Blind && newest.Equal(t.Pane)
	w.told.Judged = newest
	w.sight()
	for i := range t.Decision.Verdicts {
		v := &t.Decision.Verdicts[i]
		w.verdict(v)
		w.plans(func(hotspot string) bool { return hotspot == v.Hotspot })
		w.holds(func(hotspot string) bool { return hotspot == v.Hotspot })
	}
	all := func(string) bool { return true }
	w.plans(all)
	w.holds(all)
	w.advice()
	w.endPlans()
	w.endHolds()
	w.endAdvice()
	return w.entries, w.told, errors.Join(w.errs...)
}

// writer is one call of Write.
type writer struct {
	*Tick

	redact  Redact
	at      time.Time
	fresh   bool // a pane was judged for the first time
	whole   bool // the newest pane was judged, now or before: advice is complete
	told    Told
	entries []Entry
	errs    []error
}

// add appends one entry. said is what was told: the id hashes it with the place, the kind and the pane.
func (w *writer) add(k Kind, p Phase, hotspot string, pane time.Time, l any, said ...string) {
	parts := append([]string{w.Fleet, hotspot, k.String(), p.String(), strconv.FormatInt(pane.UnixMilli(), 10)}, said...)
	id := NewID(parts...)
	if w.told.Again == nil {
		w.told.Again = map[string]int{}
	}
	n := w.told.Again[id]
	if w.told.Again[id]++; n > 0 { // the pane stands still, as in an outage, and the same happened once more
		id = NewID(id, strconv.Itoa(n))
	}
	e, err := object(Entry{ID: id, Fleet: w.Fleet, At: w.at, Kind: k, Phase: p, Hotspot: hotspot}, l)
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	w.entries = append(w.entries, e)
}

func (w *writer) verdict(v *policy.Verdict) {
	l := line.NewVerdict(v)
	l.Time = line.Stamp(w.at)
	w.redact.verdict(l)
	phase, id := PhaseFired, line.Name(v.Hotspot)
	switch known := slices.Contains(w.told.Hotspots, id); {
	case v.Phase == policy.PhaseResolved:
		phase = PhaseResolved
		w.told.forget(id)
	case known:
		phase = PhaseRevised
	default:
		w.told.Hotspots = append(w.told.Hotspots, id)
	}
	w.add(KindVerdict, phase, v.Hotspot, w.Pane, l, v.Severity.String(), v.Cause.String(), v.Key, v.Tenant, v.Fix.String())
}

// plans tells the plans of some hotspots whose id is new.
func (w *writer) plans(of func(hotspot string) bool) {
	for i := range w.Decision.Plans {
		p := &w.Decision.Plans[i]
		if !of(p.Hotspot) {
			continue
		}
		at := slices.IndexFunc(w.told.Plans, func(t ToldPlan) bool { return sameTopic(t, p) })
		phase := PhaseChanged
		switch {
		case at < 0:
			phase = PhaseBegun
			w.told.Plans = append(w.told.Plans, ToldPlan{Hotspot: line.Name(p.Hotspot), ID: line.Name(p.ID)})
		case w.told.Plans[at].ID == line.Name(p.ID):
			w.told.Plans[at].Absent = time.Time{}
			continue
		default:
			w.told.Plans[at] = ToldPlan{Hotspot: line.Name(p.Hotspot), ID: line.Name(p.ID)}
		}
		l := line.NewPlan(w.Fleet, line.Stamp(w.at), p, w.Table)
		w.redact.plan(l)
		w.Store.Tell(l, profiles.Where{Table: w.Table, Hot: w.Decision.HotShard(p.Hotspot), Hidden: w.redact != nil})
		w.add(KindPlan, phase, p.Hotspot, w.Pane, l, p.ID)
	}
}

// sameTopic: a hotspot has one plan; each undo is a plan of its own.
func sameTopic(t ToldPlan, p *policy.Plan) bool {
	return t.Hotspot == line.Name(p.Hotspot) && (p.Hotspot != "" || t.ID == line.Name(p.ID))
}

// holds tells the holds of some hotspots whose reason is new.
func (w *writer) holds(of func(hotspot string) bool) {
	for _, h := range w.Decision.Holds {
		if !of(h.Hotspot) {
			continue
		}
		at := slices.IndexFunc(w.told.Holds, func(t ToldHold) bool { return t.Hotspot == line.Name(h.Hotspot) && t.Reason == h.Reason.String() })
		if at >= 0 {
			w.told.Holds[at].Absent = time.Time{}
			continue
		}
		w.told.Holds = append(w.told.Holds, ToldHold{Hotspot: line.Name(h.Hotspot), Reason: h.Reason.String()})
		l := line.NewHold(w.Fleet, line.Stamp(w.at), h)
		w.redact.hold(l)
		w.add(KindHold, PhaseBegun, h.Hotspot, w.Pane, l, h.Reason.String())
	}
}

// advice tells what is new or changed its level. Of several about one topic of a shard the gravest counts.
func (w *writer) advice() {
	gravest := slices.Clone(w.Decision.Advice)
	slices.SortStableFunc(gravest, func(a, b policy.Advice) int {
		return cmp.Or(cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Topic, b.Topic), cmp.Compare(b.Level, a.Level))
	})
	gravest = slices.CompactFunc(gravest, func(a, b policy.Advice) bool { return a.Shard == b.Shard && a.Topic == b.Topic })
	for _, a := range gravest {
		is := ToldAdvice{Shard: line.Name(a.Shard), Topic: a.Topic.String(), Level: a.Level.String()}
		at := slices.IndexFunc(w.told.Advice, func(t ToldAdvice) bool { return t.Shard == is.Shard && t.Topic == is.Topic })
		phase := PhaseChanged
		switch {
		case at < 0:
			phase = PhaseBegun
			w.told.Advice = append(w.told.Advice, is)
		case w.told.Advice[at].Level == is.Level:
			w.told.Advice[at].Absent = time.Time{}
			continue
		default:
			w.told.Advice[at] = is
		}
		l := line.NewAdvice(w.Fleet, line.Stamp(w.at), a)
		w.redact.advice(l)
		w.add(KindAdvice, phase, "", w.Pane, l, a.Shard, is.Topic, is.Level)
	}
}
