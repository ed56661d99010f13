package actuator

import (
	"slices"
	"time"

	"firebreak/internal/line"
	"firebreak/policy"
)

// lasted notes since when something is absent, and reports whether it is over.
func (w *writer) lasted(absent *time.Time) bool {
	if absent.IsZero() {
		*absent = w.at
	}
	return w.at.Sub(*absent) >= linger
}

// end tells that something is over.
func (w *writer) end(k Kind, hotspot string, l *Ended, said ...string) {
	l.Head, l.What = line.NewHead("ended", w.Fleet, line.Stamp(w.at)), k.String()
	w.add(k, PhaseEnded, hotspot, w.Pane, l, said...)
}

// endPlans ends the plans that are not shown any more: of hotspots that have none, or that are cooling and not judged, and undos that are
// proposed no more. Nobody can approve such a plan, so it must not stand where people look.
func (w *writer) endPlans() {
	planned := map[line.Name]bool{} // hotspots that are open, and whether they have a plan
	for _, t := range w.State.Detection.Shards {
		if t.Hotspot != nil {
			planned[line.Name(t.Hotspot.ID)] = t.Hotspot.Plan != nil
		}
	}
	kept := w.told.Plans[:0]
	for _, p := range w.told.Plans {
		if w.proposed(p, planned) || !w.lasted(&p.Absent) {
			kept = append(kept, p)
			continue
		}
		w.end(KindPlan, string(p.Hotspot), &Ended{ID: p.ID}, string(p.ID))
	}
	w.told.Plans = kept
}

// proposed says whether a plan stands, or this tick does not tell: one at which no pane was judged for the first time.
func (w *writer) proposed(p ToldPlan, planned map[line.Name]bool) bool {
	if p.Hotspot != "" && !planned[p.Hotspot] {
		return false
	}
	return !w.fresh || slices.ContainsFunc(w.Decision.Plans, func(d policy.Plan) bool { return d.ID == string(p.ID) })
}

// endHolds ends the holds that are not given any more, where this tick would have given them: those of the input at every
// tick, others when a pane was judged. What is cooling has no plan that anything holds back.
func (w *writer) endHolds() {
	given := map[ToldHold]bool{}
	for _, h := range w.Decision.Holds {
		given[ToldHold{Hotspot: line.Name(h.Hotspot), Reason: h.Reason.String()}] = true
	}
	kept := w.told.Holds[:0]
	for _, h := range w.told.Holds {
		asked := w.fresh || h.Hotspot == "" && ofInput(h.Reason)
		if !asked || given[ToldHold{Hotspot: h.Hotspot, Reason: h.Reason}] || !w.lasted(&h.Absent) {
			kept = append(kept, h)
			continue
		}
		w.end(KindHold, string(h.Hotspot), &Ended{Reason: h.Reason}, h.Reason)
	}
	w.told.Holds = kept
}

// endAdvice ends what is not advised any more, where all advice was given: what could not be read may stand.
func (w *writer) endAdvice() {
	if !w.whole {
		return
	}
	kept := w.told.Advice[:0]
	for _, t := range w.told.Advice {
		given := slices.ContainsFunc(w.Decision.Advice, func(a policy.Advice) bool {
			return line.Name(a.Shard) == t.Shard && a.Topic.String() == t.Topic
		}) || w.unread(t)
		if given || !w.lasted(&t.Absent) {
			kept = append(kept, t)
			continue
		}
		w.end(KindAdvice, "", &Ended{Shard: t.Shard, Topic: t.Topic}, string(t.Shard), t.Topic)
	}
	w.told.Advice = kept
}

// unread says whether nobody knows what this advice would be now. Then it is not absent either: what is known again begins anew.
func (w *writer) unread(t ToldAdvice) bool {
	return slices.ContainsFunc(w.Decision.Unread, func(u policy.Unread) bool {
		return slices.ContainsFunc(policy.Topics(), func(about policy.Topic) bool { return about.String() == t.Topic && u.Hides(string(t.Shard), about) })
	})
}

// ofInput says whether a hold is about the input as a whole.
func ofInput(reason string) bool {
	return reason == policy.HoldWarmingUp.String() || obscures(reason)
}

// obscures says whether a hold means that a fleet that was watched no longer is.
func obscures(reason string) bool {
	switch reason {
	case policy.HoldStale.String(), policy.HoldPartial.String(), policy.HoldSamplingByKey.String():
		return true
	}
	return false
}

// sight tells that the input cannot be judged, or can again. Warming up is neither.
func (w *writer) sight() {
	reasons := []Reason{}
	for _, h := range w.Decision.Holds {
		if h.Hotspot == "" && obscures(h.Reason.String()) {
			detail := line.Prose(h.Detail)
			if w.redact != nil {
				w.redact.prose(&detail)
			}
			reasons = append(reasons, Reason{h.Reason.String(), detail})
		}
	}
	s := &w.told.Sight
	turned := !w.Decision.Blind
	after := sightedAfter
	if !s.Blind {
		turned, after = w.Decision.Blind && len(reasons) > 0, blindAfter
	}
	if !turned {
		s.Since = time.Time{}
		return
	}
	if s.Since.IsZero() {
		s.Since, s.Pane = w.at, w.Pane.UTC()
	}
	if w.at.Sub(s.Since) < after {
		return
	}
	kind := KindSighted
	if !s.Blind {
		kind = KindBlind
	}
	l := &Blind{Head: line.NewHead(kind.String(), w.Fleet, line.Stamp(w.at)), Since: line.Stamp(s.Since), Reasons: reasons}
	w.add(kind, PhaseNone, "", s.Pane, l)
	*s = Sight{Blind: !s.Blind}
}
