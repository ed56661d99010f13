package report

import (
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// curveMargin is how much of the time around a hotspot its curve shows.
const curveMargin = 30 * time.Minute

// heard is a hotspot as the journal tells it.
type heard struct {
	id       string
	told     policy.Verdict // as last told while it fired
	found    time.Time      // when it was first told
	resolved time.Time
	changes  []change
	changed  int
	plan     *line.Plan // the first after it was told
	newest   line.Name  // id of the last plan
	retold   bool       // and no plan since
	redrawn  int
	holds    []line.Hold // by reason
	word     *actuator.Word

	trace  series
	peak   float64
	peakAt time.Time
}

// Entry takes an entry of the journal, in its order. What happened at the end of the period or later is not of it, but for what
// people said of its hotspots.
func (w *Week) Entry(e *actuator.Entry) {
	if e.Kind == actuator.KindDecider && !e.At.Before(w.from) && e.At.Before(w.to) {
		w.deciders++
	}
	if e.Fleet != w.fleet {
		return
	}
	if e.Kind.Spoken() {
		w.say(e)
		return
	}
	if !e.At.Before(w.to) {
		return
	}
	switch e.Kind {
	case actuator.KindVerdict:
		w.verdict(e)
	case actuator.KindPlan:
		w.promise(e)
		w.plan(e)
	case actuator.KindActed:
		w.act(e)
	case actuator.KindRouted:
		w.route(e)
	case actuator.KindHold:
		w.hold(e)
	case actuator.KindAdvice:
		w.advise(e)
	case actuator.KindBlind, actuator.KindSighted:
		w.sight(e)
	case actuator.KindUnknown, actuator.KindDelivered, actuator.KindDecider, actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened, actuator.KindReport:
	}
}

func (w *Week) say(e *actuator.Entry) {
	var s actuator.Spoken
	s.Apply(e)
	word, ok := s.Of(e.Fleet, e.Hotspot)
	if !ok {
		return
	}
	if h := w.heard[e.Hotspot]; h != nil {
		h.word = &word
	}
}

func (w *Week) verdict(e *actuator.Entry) {
	v, err := actuator.Read[line.Verdict](e)
	if err != nil || e.Hotspot == "" {
		return
	}
	h := w.heard[e.Hotspot]
	if e.Phase == actuator.PhaseResolved {
		if h != nil {
			h.resolved = e.At
		}
		return
	}
	told, anew := toldOf(&v), false // with another answer
	if h == nil {
		if len(w.order) >= maxListed {
			w.r.dropped++
			return
		}
		h = &heard{id: e.Hotspot, found: e.At}
		w.heard[h.id] = h
		w.order = append(w.order, h)
		anew = true
	} else if was := &h.told; was.Cause != told.Cause || was.Fix != told.Fix || was.Key != told.Key || was.Tenant != told.Tenant {
		anew = true
		h.changed++
		if len(h.changes) < maxRevisions {
			h.changes = append(h.changes, change{was.Time, was.Cause, was.Fix})
		}
	}
	severity := max(h.told.Severity, told.Severity)
	h.told, h.told.Severity = told, severity
	if anew {
		h.plan, h.newest, h.holds = nil, "", nil
	}
	h.retold, h.redrawn = true, 0 // what stands of the plan and the holds of the same answer is not told again
	h.resolved = time.Time{}
	if told.Load > h.peak {
		h.peak, h.peakAt = told.Load, told.From
	}
}

func (w *Week) plan(e *actuator.Entry) {
	h := w.heard[e.Hotspot]
	if h == nil || e.Phase == actuator.PhaseEnded {
		return
	}
	p, err := actuator.Read[line.Plan](e)
	if err != nil {
		return
	}
	p.Footprint = nil
	if h.retold {
		h.plan, h.newest, h.retold = &p, p.ID, false
	}
	if p.ID != h.newest {
		h.redrawn, h.newest = h.redrawn+1, p.ID
	}
}

func (w *Week) hold(e *actuator.Entry) {
	if e.Phase == actuator.PhaseEnded {
		return // what held a fix back in the week is told, also if it is over
	}
	l, err := actuator.Read[line.Hold](e)
	switch h := w.heard[e.Hotspot]; {
	case err != nil:
	case h != nil:
		h.holds = slices.DeleteFunc(h.holds, func(o line.Hold) bool { return o.Reason == l.Reason })
		h.holds = append(h.holds, l)
	case e.Hotspot == "" && !e.At.Before(w.from):
		w.r.holds.add(l.Reason, note{What: l.Reason, Text: string(l.Detail)})
	}
}

func (w *Week) advise(e *actuator.Entry) {
	if e.Phase == actuator.PhaseEnded || e.At.Before(w.from) {
		return
	}
	if l, err := actuator.Read[line.Advice](e); err == nil {
		w.r.advice.add(string(l.Shard)+" "+l.Topic+" "+l.Level, note{Shard: string(l.Shard), What: l.Topic, Level: l.Level, Text: string(l.Reason)})
	}
}

// sight notes since when, and until when, the input could not be judged, and why.
func (w *Week) sight(e *actuator.Entry) {
	b, err := actuator.Read[actuator.Blind](e)
	if err != nil {
		return
	}
	last := len(w.blinds) - 1
	if e.Kind == actuator.KindSighted {
		if last >= 0 && w.blinds[last].to.IsZero() {
			w.blinds[last].to = time.Time(b.Since)
		}
		return
	}
	var why []string
	for _, r := range b.Reasons {
		why = append(why, string(r.Detail))
	}
	w.blinds = append(w.blinds, span{from: time.Time(b.Since), why: strings.Join(why, "; ")})
}

// bear adds a minute to the curve of a hotspot, and to its peak while it fires.
func (h *heard) bear(m *history.Minute) {
	at := m.Start
	if at.Before(h.told.Onset.Add(-curveMargin)) || !h.resolved.IsZero() && at.After(h.resolved.Add(curveMargin)) {
		return
	}
	i := slices.IndexFunc(m.Shards, func(s history.Shard) bool { return s.Name == h.told.Shard })
	if i < 0 {
		return
	}
	load := m.Shards[i].Load
	switch h.told.Dimension {
	case policy.DimensionReads:
		load = m.Shards[i].Reads
	case policy.DimensionWrites:
		load = m.Shards[i].Writes
	case policy.DimensionTotal:
	}
	h.trace.add(at, time.Minute, load)
	if load > h.peak && (h.resolved.IsZero() || at.Before(h.resolved)) {
		h.peak, h.peakAt = load, at
	}
}

// hotspot is it as a report shows it.
func (h *heard) hotspot(w *Week) *hotspot {
	out := &hotspot{
		told: h.told, found: h.found, resolved: h.resolved, peak: h.peak, peakAt: h.peakAt, changes: h.changes, changed: h.changed,
		full: true, plan: h.plan, redrawn: h.redrawn, holds: h.holds, trace: h.trace, word: h.word,
	}
	out.told.ShardID = routing.ShardID(len(w.shards)) // of no row, unless it is known
	if i := slices.IndexFunc(w.shards, func(s weekShard) bool { return s.name == h.told.Shard }); i >= 0 {
		out.told.ShardID = routing.ShardID(i)
	}
	return out
}

// delaysOf are the times from onset to verdict of what was found in a period.
func (w *Week) delaysOf(p *measured) Delay {
	var all []float64
	for _, h := range w.foundIn(p) {
		all = append(all, h.found.Sub(h.told.Onset).Seconds())
	}
	if len(all) == 0 {
		return Delay{}
	}
	slices.Sort(all)
	at := func(part float64) float64 { return all[min(len(all)-1, int(part*float64(len(all))))] }
	return Delay{P50: at(0.5), P95: at(0.95), Max: all[len(all)-1]}
}

// foundIn are the hotspots whose first verdict is of a period.
func (w *Week) foundIn(p *measured) []*heard {
	return slices.DeleteFunc(w.within(p.from, p.to), func(h *heard) bool { return h.found.Before(p.from) })
}

// dismissed says whether a person called it a false alarm.
func (h *heard) dismissed() bool { return h.word != nil && h.word.Kind == actuator.KindDismissed }
