package console

import (
	"net/http"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"
	"firebreak/routing"
)

// hotspots answers with a list: those that are open first.
func (a *api) hotspots(r *http.Request) (any, error) {
	limit, err := number(r, "limit", maxHotspots, maxHotspots)
	if err != nil {
		return nil, err
	}
	state := r.URL.Query().Get("state")
	switch state {
	case "", "open", "resolved":
	default:
		return nil, wrong("state: want open or resolved, or nothing for both")
	}
	a.model.mu.RLock()
	defer a.model.mu.RUnlock()
	fleets := a.model.fleets
	if r.URL.Query().Has("fleet") {
		f, err := a.which(r)
		if err != nil {
			return nil, err
		}
		fleets = []*fleet{f}
	}
	out := hotspotsAnswer{Hotspots: []briefAnswer{}}
	for _, open := range []bool{true, false} {
		if state != "" && open != (state == "open") {
			continue
		}
		for _, f := range fleets {
			for _, h := range f.ranked(open) {
				if len(out.Hotspots) == limit {
					out.More++
					continue
				}
				out.Hotspots = append(out.Hotspots, f.brief(h))
			}
		}
	}
	return out, nil
}

// told is a hotspot as it is told everywhere.
func (f *fleet) told(h *hotspot) *words.Told {
	t := &words.Told{Verdict: h.verdict, Plan: h.plan, Cost: f.Cost, Calm: f.Judge.Resolve}
	for _, hold := range h.holds {
		t.Held = append(t.Held, *hold)
	}
	t.Owner = f.owner(h).Team
	if f.now != nil {
		t.Shards, t.Fast = f.now.serving, f.now.fast
		t.Aside = slices.ContainsFunc(f.now.shards, func(s shardNow) bool { return s.name == string(h.verdict.Shard) && s.role != routing.Serving })
	}
	return t
}

// owner is who answers for a hotspot.
func (f *fleet) owner(h *hotspot) words.Owner {
	if f.Owner == nil {
		return words.Owner{}
	}
	return f.Owner(string(h.verdict.Tenant), string(h.verdict.Key))
}

func (f *fleet) brief(h *hotspot) briefAnswer {
	v := h.verdict
	out := briefAnswer{
		Fleet: line.Name(f.Name), Hotspot: line.Name(h.id), State: "open", Severity: v.Severity, Shard: v.Shard, Cause: v.Cause, Key: v.Key, Tenant: v.Tenant, Share: v.Share,
		Load: v.Load, Line: v.Line, Onset: v.Onset, Found: stampOf(h.found), Resolved: stampOf(h.resolved), Fix: v.Fix,
		Says: f.sentence(h).Quoted(),
	}
	if !h.open() {
		out.State = "resolved"
	}
	out.speak(f.word(h))
	return out
}

// speak adds what a person said last.
func (b *briefAnswer) speak(w *actuator.Word) {
	switch {
	case w == nil:
	case w.Kind == actuator.KindDismissed:
		b.Dismissed = &dismissedAnswer{By: line.Name(w.By), Reason: line.Prose(w.Reason), At: stampOf(w.At)}
	default:
		b.Accepted = &acceptedAnswer{
			By: line.Name(w.By), Reason: line.Prose(w.Reason), At: stampOf(w.At), Until: stampOf(w.Until), Load: line.Number(w.Load),
			Again: stampOf(w.Again.At), Why: w.Again.Why,
		}
	}
}

// find looks for a hotspot in every fleet, or in the one that is named. The lock is held.
func (m *Model) find(id string) (*fleet, *hotspot) {
	for _, f := range m.fleets {
		if h := f.hot[id]; h != nil && h.verdict != nil {
			return f, h
		}
	}
	return nil, nil
}

// hotspot answers with all that is known of one.
func (a *api) hotspot(r *http.Request) (any, error) {
	a.model.mu.RLock()
	defer a.model.mu.RUnlock()
	id := r.PathValue("id")
	f, h := a.model.find(id)
	if h == nil {
		return nil, missing("there is no hotspot %s: those that are open and those of the last %s are known", routing.Escape(id), words.Lasting(recentFor))
	}
	out := hotspotAnswer{
		briefAnswer: f.brief(h), Verdict: h.verdict, Plan: h.plan, Holds: append([]*line.Hold{}, h.holds...), Left: h.left,
		Facts: []factAnswer{}, Others: []string{}, Shards: []line.Name{}, Loads: []lineNumbers{}, Keys: []heavyAnswer{}, Tenants: []heavyAnswer{}, Events: []eventAnswer{},
	}
	for _, fact := range f.facts(h) {
		out.Facts = append(out.Facts, factAnswer{fact.Label, fact.Text.Quoted()})
	}
	would, fail := f.told(h).Others()
	for _, o := range slices.Concat(would, fail) {
		out.Others = append(out.Others, o.Quoted())
	}
	events := f.heard(h)
	for i := range events {
		e := &events[i]
		out.Events = append(out.Events, eventAnswer{e.id, stampOf(e.at), e.kind.String(), e.phase.String(), e.says().Quoted()})
	}
	if p := h.picture; p != nil {
		f.behind(&out, p)
	}
	return out, nil
}

// behind adds what only an instance knows that saw the hotspot fire.
func (f *fleet) behind(out *hotspotAnswer, p *picture) {
	if f.now != nil {
		for _, s := range f.now.table.Document().Shards {
			out.Shards = append(out.Shards, line.Name(s.Name))
		}
	}
	out.Loads = append(out.Loads, lineNumbers{"", numbers(p.loads)})
	for i := range out.Verdict.Projections {
		fix := out.Verdict.Projections[i].Fix
		if loads := p.projected[fix]; loads != nil {
			out.Loads = append(out.Loads, lineNumbers{fix, numbers(loads)})
		}
	}
	list := func(heaviest []heavy) []heavyAnswer {
		all := []heavyAnswer{}
		for _, h := range heaviest {
			all = append(all, heavyAnswer{line.Name(h.key), line.Name(h.tenant), line.Number(h.load), shareOf(h.share), line.Number(h.reads)})
		}
		return all
	}
	out.Keys, out.Tenants = list(p.keys), list(p.tenants)
}

func numbers(loads []float64) []line.Number {
	out := make([]line.Number, len(loads))
	for i, v := range loads {
		out[i] = line.Number(v)
	}
	return out
}

func shareOf(b policy.Bounds) line.Share {
	return line.Share{Value: line.Number(b.Value), Low: line.Number(b.Low), High: line.Number(b.High)}
}

// timeOf is a stamp as a time.
func timeOf(s line.Stamp) time.Time { return time.Time(s) }
