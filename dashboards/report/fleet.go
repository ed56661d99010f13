package report

import (
	"fmt"
	"strconv"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/policy"
	"firebreak/routing"
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
	if many {
		v.Of = " of fleet " + v.Name
	}
	if v.Week != nil {
		v.Week.Of = v.Of
	}
	if v.Picture != nil {
		v.Picture.Of = v.Of
	}
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

// serving is how many shards served when a hotspot was told, and whether its own was none of them; 0 = not known.
func (t *teller) serving(h *hotspot) (n int, aside bool) {
	count := func(name string, role routing.Role) {
		if role == routing.Serving {
			n++
		}
		aside = aside || name == h.told.Shard && role != routing.Serving
	}
	table := h.table
	switch {
	case table != nil:
	case t.f.Week != nil:
		for _, s := range t.f.Week.shards {
			count(s.name, s.role)
		}
		return n, aside
	case t.placed():
		table = t.r.last.Table
	default:
		return 0, false
	}
	for _, s := range table.Document().Shards {
		count(s.Name, s.Role)
	}
	return n, aside
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
