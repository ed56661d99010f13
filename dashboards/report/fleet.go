package report

import (
	"fmt"
	"strconv"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// limits are how much of a fleet the page shows. Render lowers them until the page fits.
type limits struct {
	fleets, details, rest, shards, notes, leaders, files int
}

func fullLimits() limits {
	return limits{fleets: 8, details: 12, rest: 200, shards: 64, notes: 40, leaders: 10, files: 20}
}

// lower halves what may be left out, down to the worst hotspot and nothing else.
func (l limits) lower() limits {
	half := func(n, least int) int { return max(least, n/2) }
	return limits{half(l.fleets, 1), half(l.details, 1), l.rest / 2, l.shards / 2, l.notes / 2, l.leaders / 2, l.files / 2}
}

// teller writes about one fleet.
type teller struct {
	f      *Fleet
	r      *Recorder
	limits limits
	id     string
	scale  draw.Scale
	ranked []*hotspot
}

func newTeller(f *Fleet, id string, l limits) *teller {
	t := &teller{f: f, r: f.Recorder, limits: l, id: id}
	if t.r == nil {
		t.r = &Recorder{}
	}
	lines := t.r.cfg.Lines
	if t.capacity() {
		t.scale = draw.OfCapacity(lines.Warning, lines.Critical)
	} else {
		t.scale = draw.OfMean(lines.Relative)
	}
	t.ranked = t.r.ranked()
	return t
}

// capacity says whether shards are held against a capacity, else against the mean.
func (t *teller) capacity() bool {
	c := t.r.cfg.Capacity
	if c.Total > 0 || c.Reads > 0 {
		return true
	}
	if w := t.f.Week; w != nil {
		return w.capacity
	}
	if !t.placed() {
		return false
	}
	for _, s := range t.r.last.Table.Document().Shards {
		if s.Capacity > 0 || s.ReadCapacity > 0 || s.WriteCapacity > 0 {
			return true
		}
	}
	return false
}

// placed says whether the fleet was judged at all.
func (t *teller) placed() bool {
	if w := t.f.Week; w != nil {
		return len(w.shards) > 0
	}
	return t.r.last != nil && t.r.last.Table != nil
}

// whole says that the log was judged once, as one window: no hotspot has a life in it.
func (t *teller) whole() bool { return t.r.last != nil && t.r.last.Whole }

// rate writes a load; in a log without time it is a number of requests.
func (t *teller) rate(load float64) string {
	if t.r.timeless {
		return draw.Number(load)
	}
	return draw.Rate(load)
}

// view is the whole fleet.
func (t *teller) view(many bool) fleetView {
	s := &t.f.Summary
	v := fleetView{ID: t.id, Name: draw.Name(s.Fleet, draw.MaxName), Many: many, Period: t.period()}
	v.State, v.Headline = t.headline()
	v.Facts = t.facts()
	v.Week = t.week()
	v.Picture = t.picture()
	for i, h := range t.ranked[:min(len(t.ranked), t.limits.details)] {
		if h.full {
			v.Hotspots = append(v.Hotspots, t.hotspot(i+1, h))
		}
	}
	v.Rest, v.RestMore = t.rest(len(v.Hotspots))
	v.Notes, v.NotesMore = t.notes()
	v.Leaders = t.leaders()
	v.Method = t.method()
	return v
}

// period is the time that the log covers.
func (t *teller) period() string {
	s := &t.f.Summary
	if s.From.IsZero() {
		return "a log without time"
	}
	return fmt.Sprintf("%s to %s, %s", draw.Clock(s.From), draw.Clock(s.To), draw.Span(s.To.Sub(s.From)))
}

// headline is the one sentence that a reader takes away, and the state of the fleet.
func (t *teller) headline() (state string, text phrase) {
	switch {
	case t.f.Week != nil && t.f.Week.now.seen() == 0 && len(t.ranked) == 0:
		return "blind", say("Nothing was recorded, so nothing can be said.")
	case t.f.Week != nil && len(t.ranked) == 0 && t.f.Week.now.judged() == 0:
		return "blind", say("No shard can be judged: the input was stale or partial all the time.")
	case t.f.Week != nil:
	case t.f.Summary.Counted == 0 || t.r.last == nil:
		return "blind", say("Nothing was counted, so nothing can be said.")
	case !t.placed():
		return "blind", say("No shard can be judged: the log names none, and no placement was given.")
	case len(t.ranked) == 0 && t.r.blind == t.r.ticks:
		return "blind", say("No shard can be judged: the input was stale or partial all the time.")
	}
	if len(t.ranked) == 0 {
		return "calm", say("No shard was hot.")
	}
	h := t.ranked[0]
	shards := map[string]bool{}
	for _, o := range t.ranked {
		shards[o.told.Shard] = true
	}
	verb := " was hot: "
	if h.resolved.IsZero() {
		verb = " is hot: "
	}
	if n := len(shards); n > 1 {
		return "hot", say(strconv.Itoa(n), " shards were hot. The worst, ", nameOf(h.told.Shard), ": ", because(&h.told), ".")
	}
	return "hot", say("Shard ", nameOf(h.told.Shard), verb, because(&h.told), ".")
}

// facts answer what, where, when, why, what to do and how sure.
func (t *teller) facts() []fact {
	switch {
	case len(t.ranked) > 0:
		return t.hotFacts(t.ranked[0])
	case !t.placed(), t.f.Week != nil && t.f.Week.now.judged() == 0:
		return t.blindFacts()
	}
	return t.calmFacts()
}

// hotFacts are the facts of the worst hotspot.
func (t *teller) hotFacts(h *hotspot) []fact {
	told := t.words(h)
	out := []fact{
		{Label: "What", Text: t.whatText(h)},
		{Label: "Where", Text: told.Where()},
	}
	if !t.r.timeless {
		out = append(out, fact{Label: "When", Text: t.whenText(h)})
	}
	return append(out,
		fact{Label: "Why", Text: told.Why()},
		fact{Label: "What to do", Text: t.doText(h), Name: "act"},
		fact{Label: "How sure", Text: told.Sure()},
	)
}

// calmFacts say what was looked at and what could have been seen.
func (t *teller) calmFacts() []fact {
	out := []fact{{Label: "What", Text: say("Nothing was over its line for long enough, by its lower bound.")}}
	best, at := -1, peak{}
	for i, p := range t.r.grid.peaks {
		if best < 0 || p.full > at.full {
			best, at = i, p
		}
	}
	if best >= 0 && at.full > 0 {
		text := say("The hottest was ", nameOf(t.shardName(best)), " with ", t.scale.Value(at.full))
		if !t.r.timeless {
			text = append(text, say(" at ", draw.Clock(at.at))...)
		}
		out = append(out, fact{Label: "Where", Text: append(text, say("; the line is "+t.scale.Value(1)+".")...)})
	}
	out = append(out, fact{Label: "What to do", Text: say("Nothing. Doing nothing is a result, too."), Name: "act"})
	if t.f.Week != nil {
		return append(out, fact{Label: "How sure", Text: say(t.watchedText())})
	}
	return append(out, fact{Label: "How sure", Text: say(t.detectable())})
}

// blindFacts say what is missing and what can be said all the same.
func (t *teller) blindFacts() []fact {
	if t.f.Week != nil {
		return []fact{
			{Label: "Watched", Text: say(t.watchedText())},
			{Label: "What to do", Text: say("See that an instance runs and can write its history: firebreak doctor, and the metrics of the instances."), Name: "act"},
		}
	}
	var out []fact
	for _, m := range t.f.Summary.Missing {
		out = append(out, fact{Label: "Missing", Text: say(capital(m) + ".")})
	}
	if t.f.Summary.Counted > 0 {
		out = append(out, fact{Label: "What to do", Text: say("Say how keys are placed (--shards and --place, or a configuration), or log the shard. Below are the heaviest keys and tenants."), Name: "act"})
	}
	return out
}

// detectable says what a log of this traffic can promise.
func (t *teller) detectable() string {
	d := t.f.Summary.Detectable
	if d == (Detectable{}) {
		return "What a log like this can detect is not known."
	}
	within := func(x float64) string {
		if x <= 0 {
			return "nothing"
		}
		return "a shard at " + draw.Times(x*d.Line) + " the mean (" + draw.Number(x) + "× the line)"
	}
	return fmt.Sprintf("A log of this rate finds, with 95 %%, %s within one minute of its onset and %s within five. What is less, or shorter, it cannot show.",
		within(d.OneMinute), within(d.FiveMinutes))
}

// shardCount is how many shards there were when a hotspot was told.
func (t *teller) shardCount(h *hotspot) int {
	switch {
	case h.table != nil:
		return h.table.Shards()
	case t.f.Week != nil:
		return len(t.f.Week.shards)
	case t.placed():
		return t.r.last.Table.Shards()
	}
	return 0
}

// shardName is the name of a shard of the table in force at the end.
func (t *teller) shardName(id int) string {
	if w := t.f.Week; w != nil {
		if id >= 0 && id < len(w.shards) {
			return w.shards[id].name
		}
		return "shard " + strconv.Itoa(id)
	}
	if t.placed() && id >= 0 && id < t.r.last.Table.Shards() {
		return t.r.last.Table.Document().Shards[id].Name
	}
	return "shard " + strconv.Itoa(id)
}

// clock writes a moment, or that the log has no time.
func clock(at time.Time) string {
	if at.IsZero() {
		return "–"
	}
	return draw.Clock(at)
}

// ending is what ends where a report does.
func (t *teller) ending() string {
	if t.f.Week != nil {
		return "period"
	}
	return "log"
}

// window is the window of a verdict in words.
func window(v *policy.Verdict) string {
	if v.From.IsZero() {
		return "the whole log"
	}
	return draw.Clock(v.From) + " to " + draw.Hour(v.To)
}
