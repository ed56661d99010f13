package report

import (
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/internal/line"
	"firebreak/routing"
	"firebreak/routing/control"
)

// mitigateGoal is how long after its onset a hotspot that firebreak acts on may last.
const mitigateGoal = 30 * time.Minute

// acted is an operation as the journal tells it.
type acted struct {
	number             uint64
	plan, fix, machine string
	shard, by, hotspot string
	first, newest      time.Time // steps of it that were told
	began              time.Time // its first write; zero = not told
	effective          time.Time // when all clients went by it; zero = they do not
	step               string
	outcome            string
	judgedAs           string // its outcome before it was taken back; empty = it had none
	back               bool
	text, needs        string
	before, after      float64 // see actuator.Acted
}

// standing is a tenant's placement or a salt that stands.
type standing struct {
	entry     routing.Entry
	since     time.Time
	hotspot   string
	operation uint64
}

// act takes in what was told of an operation, and which placements and salts stand.
func (w *Week) act(e *actuator.Entry) {
	a, err := actuator.Read[actuator.Acted](e)
	if err != nil {
		return
	}
	if a.Word() {
		w.approve(&a)
		return
	}
	for _, c := range a.Changes {
		w.stand(c, e.At, e.Hotspot, a.Operation)
	}
	o := w.operation(a.Operation)
	if o == nil {
		return
	}
	switch a.Call {
	case actuator.CallNeeded:
		o.needs = string(a.Text)
		return
	case actuator.CallOver:
		o.needs = ""
		return
	}
	if o.first.IsZero() {
		o.first = e.At
	}
	o.newest, o.plan, o.fix, o.machine, o.shard, o.by, o.hotspot = e.At, a.Plan, a.Fix, a.Machine, string(a.Shard), string(a.By), e.Hotspot
	o.step, o.back, o.text = a.Step, a.Back, string(a.Text)
	switch {
	case a.Begins():
		o.began = e.At
	case a.Step == operation.Settle && o.effective.IsZero():
		o.effective = e.At
	}
	if a.Outcome != "" && a.Step != operation.Over {
		if o.outcome != "" && o.outcome != a.Outcome {
			o.judgedAs = o.outcome
		}
		o.outcome = a.Outcome
	}
	if a.Before > 0 || a.After > 0 {
		o.before, o.after = float64(a.Before), float64(a.After)
	}
}

// approve notes the plans that people said yes to.
func (w *Week) approve(a *actuator.Acted) {
	if a.Do != control.DoApprove.String() || a.Refused != "" || len(w.approved) >= maxListed {
		return
	}
	if w.approved == nil {
		w.approved = map[string]bool{}
	}
	w.approved[a.Plan] = true
}

// operation finds one by number, or begins to know it; nil = there are too many.
func (w *Week) operation(number uint64) *acted {
	if o := w.acted[number]; o != nil {
		return o
	}
	if number == 0 || len(w.acted) >= maxListed {
		return nil
	}
	if w.acted == nil {
		w.acted = map[uint64]*acted{}
	}
	o := &acted{number: number}
	w.acted[number] = o
	return o
}

// route takes in which placements and salts people set and took away.
func (w *Week) route(e *actuator.Entry) {
	r, err := actuator.Read[actuator.Routed](e)
	if err != nil || r.Refused != "" {
		return
	}
	for _, c := range r.Changes {
		w.stand(c, e.At, "", 0)
	}
}

// stand notes that an entry changed. Where none that stands is of a hotspot, nobody knows how long it is of use.
func (w *Week) stand(c actuator.Change, at time.Time, hotspot string, operation uint64) {
	e, err := routing.ParseEntry(c.Entry)
	if err != nil || e.Kind != routing.EntryTenant && e.Kind != routing.EntrySalt {
		return
	}
	was := slices.IndexFunc(w.stands, func(s standing) bool { return s.entry == e })
	if was >= 0 && (c.Is == "" || hotspot == "") {
		w.stands = slices.Delete(w.stands, was, was+1)
		return
	}
	if was < 0 && c.Is != "" && hotspot != "" && len(w.stands) < maxListed {
		w.stands = append(w.stands, standing{e, at, hotspot, operation})
	}
}

// promise keeps what a plan promises of the hot shard.
func (w *Week) promise(e *actuator.Entry) {
	if e.Phase == actuator.PhaseEnded {
		return
	}
	p, err := actuator.Read[line.Plan](e)
	if err != nil || p.ID == "" || len(w.plans) >= maxListed {
		return
	}
	if w.plans == nil {
		w.plans = map[string]float64{}
	}
	w.plans[string(p.ID)] = float64(p.Projection.Shard)
}

// operations are those that began, were judged or taken back in the period, by number. One that never began is none.
func (w *Week) operations() []*acted {
	var out []*acted
	for _, o := range w.acted {
		if !o.began.IsZero() && !o.newest.Before(w.from) && (o.step != operation.Over || !o.began.Before(w.from)) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *acted) int { return int(a.number) - int(b.number) })
	return out
}

// useless are the placements of tenants, or the salts, whose hotspots had been over for the undo delay at the end of the period: those that
// stand longest first.
func (w *Week) useless(kind routing.EntryKind) []standing {
	var out []standing
	for _, s := range w.stands {
		h := w.heard[s.hotspot]
		if s.entry.Kind == kind && h != nil && !h.resolved.IsZero() && w.to.Sub(h.resolved) >= w.r.cfg.UndoDelay {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b standing) int { return a.since.Compare(b.since) })
	return out
}

// undone says whether an operation was taken back, or is on its way.
func (o *acted) undone() bool { return o.back || o.outcome == operation.Reverted }

// revocable says whether it may have a way back.
func (o *acted) revocable() bool {
	return !o.back && o.step != operation.Over && o.step != operation.Undone
}

// mitigated is how long after its onset the hotspot of an operation was over; false = it has none, or lasts.
func (w *Week) mitigated(o *acted) (after time.Duration, over bool) {
	h := w.heard[o.hotspot]
	if h == nil || h.resolved.IsZero() {
		return 0, false
	}
	return h.resolved.Sub(h.told.Onset), true
}
