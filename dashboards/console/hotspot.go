package console

import (
	"cmp"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/policy"
)

// Bounds of what is kept of hotspots, for each fleet.
const (
	maxOpen   = 1000 // that are open
	maxRecent = 200  // that are resolved
	maxEvents = 64   // of one; the first quarter of them and the newest are kept
	maxHolds  = 16   // of one
	maxListed = 8    // keys, and tenants, of a hot shard
	recentFor = 24 * time.Hour
	// silentFor is how long a hotspot that nothing was told of may be missing among those that fire before it is taken to be over:
	// its end was told in an entry that is not there.
	silentFor = 2 * time.Minute
)

// hotspot is what is known of one. Verdict, plan and holds are of the journal, or of the ticks of this instance where they are
// newer; names in them are hidden where they are to be.
type hotspot struct {
	id       string
	verdict  *line.Verdict // as last told while it fired
	found    time.Time     // when it was first told; zero = before what is known
	resolved time.Time     // zero = it is open
	guessed  bool          // nothing said that it is resolved: the journal may yet
	closing  line.Prose    // why it is resolved
	plan     *line.Plan    // nil = none
	planned  time.Time     // when it was first told
	holds    []*line.Hold  // that stand
	events   []event
	left     int            // events that are not kept
	picture  *picture       // nil = this instance did not see it fire
	bears    *bears         // what its key bears now; nil = it is none, or that is not known
	word     *actuator.Word // what a person said last, as it ended; nil = nothing, or it has not ended
	news     time.Time
}

func (h *hotspot) open() bool { return h.resolved.IsZero() }

// of finds a hotspot, or begins one.
func (f *fleet) of(id string) *hotspot {
	h := f.hot[id]
	if h == nil {
		h = &hotspot{id: id}
		f.hot[id] = h
		f.order = append(f.order, h)
	}
	return h
}

// judged takes in what a tick says of hotspots: verdicts as they are told, those that fire and are not known, and those that do not
// fire any more although nothing said that they ended.
func (f *fleet) judged(t *Tick, redact actuator.Redact, seen map[string]*picture) {
	now := keysNow(t, f.now.serving)
	for i := range t.Decision.Verdicts {
		v := line.NewVerdict(&t.Decision.Verdicts[i])
		redact.Verdict(v)
		h := f.of(string(v.Hotspot))
		h.tell(v, t.Now)
		if p := seen[string(v.Hotspot)]; p != nil {
			h.picture = p
		}
	}
	firing := map[string]bool{}
	for i := range t.Decision.Open {
		id := t.Decision.Open[i].Hotspot
		firing[id] = true
		if h := f.hot[id]; h != nil && h.verdict != nil {
			if h.guessed { // it was not over after all
				h.resolved, h.guessed = time.Time{}, false
			}
			continue
		}
		v := line.NewVerdict(&t.Decision.Open[i])
		redact.Verdict(v)
		h := f.of(id)
		h.verdict, h.news = v, t.Now
	}
	for _, h := range f.order {
		h.bears = now[h.id]
	}
	if t.Decision.Blind {
		return
	}
	for _, h := range f.order {
		if h.open() && !firing[h.id] && t.Now.Sub(h.news) > silentFor {
			h.resolved, h.guessed = t.Now, true
		}
	}
}

// tell takes in a verdict.
func (h *hotspot) tell(v *line.Verdict, at time.Time) {
	if at.After(h.news) {
		h.news = at
	}
	if v.Phase == policy.PhaseResolved.String() {
		if h.open() || h.guessed {
			h.resolved, h.closing, h.guessed = at, v.Reason, false
		}
		if h.verdict == nil {
			h.verdict = v
		}
		return
	}
	if h.found.IsZero() || at.Before(h.found) {
		h.found = at
	}
	if h.verdict == nil || !time.Time(v.Time).Before(time.Time(h.verdict.Time)) {
		h.verdict = v
	}
}

// entry takes in an entry of the journal about a hotspot.
func (f *fleet) entry(e *actuator.Entry) {
	switch e.Kind {
	case actuator.KindVerdict, actuator.KindPlan, actuator.KindHold, actuator.KindActed:
	case actuator.KindUnknown, actuator.KindAdvice, actuator.KindBlind, actuator.KindSighted, actuator.KindDelivered, actuator.KindDecider,
		actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened, actuator.KindReport, actuator.KindRouted:
		return
	}
	if h := f.hot[e.Hotspot]; h != nil && h.has(e.ID) {
		return
	}
	if e.Kind == actuator.KindActed {
		f.of(e.Hotspot).did(e)
		return
	}
	ev := event{id: e.ID, at: e.At, kind: e.Kind, phase: e.Phase}
	if l, err := line.Decode(e.Line); err == nil {
		ev.line = l
	}
	h := f.of(e.Hotspot)
	h.add(&ev)
	h.take(&ev, e)
}

// take changes what stands of a hotspot.
func (h *hotspot) take(ev *event, e *actuator.Entry) {
	if ev.at.After(h.news) {
		h.news = ev.at
	}
	switch l := ev.line.(type) {
	case *line.Verdict:
		h.tell(l, ev.at)
	case *line.Plan:
		if h.plan == nil || h.plan.ID != l.ID {
			h.planned = ev.at
		}
		h.plan = l
	case *line.Hold:
		h.holds = slices.DeleteFunc(h.holds, func(o *line.Hold) bool { return o.Reason == l.Reason })
		if h.holds = append(h.holds, l); len(h.holds) > maxHolds {
			h.holds = h.holds[1:]
		}
	case nil:
		h.end(e)
	}
}

// end takes in that a plan or a hold is over; a verdict that was cut says at least that.
func (h *hotspot) end(e *actuator.Entry) {
	switch {
	case e.Kind == actuator.KindVerdict && e.Phase == actuator.PhaseResolved:
		if h.open() || h.guessed {
			h.resolved, h.guessed = e.At, false
		}
	case e.Phase != actuator.PhaseEnded:
	case e.Kind == actuator.KindPlan:
		h.plan = nil
	default:
		if ended, err := actuator.Read[actuator.Ended](e); err == nil {
			h.holds = slices.DeleteFunc(h.holds, func(o *line.Hold) bool { return o.Reason == ended.Reason })
		}
	}
}

// forget drops hotspots that were over long ago, and the oldest where there are too many.
func (f *fleet) forget(now time.Time) {
	open, recent := 0, 0
	for _, h := range f.order {
		if h.open() {
			open++
		} else {
			recent++
		}
	}
	f.order = slices.DeleteFunc(f.order, func(h *hotspot) bool {
		drop := false
		switch {
		case h.open():
			if drop = open > maxOpen; drop {
				open--
				f.dropped++
			}
		default:
			if drop = recent > maxRecent || now.Sub(h.resolved) > recentFor; drop {
				recent--
			}
		}
		if drop {
			delete(f.hot, h.id)
		}
		return drop
	})
}

// ranked orders hotspots. Of those that are open the worst is first: critical ones before others, then by their load over their line; those
// of which a person has said enough come last. Of others the newest onset is first.
func (f *fleet) ranked(open bool) []*hotspot {
	var out []*hotspot
	place := map[*hotspot]int{}
	for _, h := range f.order {
		if h.verdict == nil || h.open() != open {
			continue
		}
		out = append(out, h)
		switch said := f.said(h); {
		case !open:
		case said != nil && said.Class == "said":
			place[h] = 2
		case h.verdict.Severity != policy.SeverityCritical.String():
			place[h] = 1
		}
	}
	over := func(h *hotspot) float64 {
		if !open {
			return 0
		}
		return float64(h.verdict.Load) / max(float64(h.verdict.Line), 1e-300)
	}
	slices.SortStableFunc(out, func(a, b *hotspot) int {
		return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(over(b), over(a)), time.Time(b.verdict.Onset).Compare(time.Time(a.verdict.Onset)))
	})
	return out
}
