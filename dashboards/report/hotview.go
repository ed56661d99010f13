package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/policy"
)

// hotspot is one hotspot in full.
func (t *teller) hotspot(number int, h *hotspot) hotspotView {
	v := &h.told
	view := hotspotView{
		ID: t.id + "-" + strconv.Itoa(number), Number: number, Shard: draw.Name(v.Shard, draw.MaxName), Severity: v.Severity.String(), Ended: t.ended(h),
		Title: say(capital(draw.Cause(v.Cause))), Sentence: t.sentence(h),
	}
	if o := object(v); o != nil {
		view.Title = append(view.Title, append(say(" "), o...)...)
	}
	view.Times = t.times(h)
	t.curve(&view, h)
	view.Boards = t.boards(h)
	view.Fixes, view.FixNote = t.fixes(view.ID, h)
	view.Steps, view.Next = t.steps(h)
	view.Evidence = t.evidence(h)
	return view
}

// ended says how a hotspot ended; one window does not tell.
func (t *teller) ended(h *hotspot) string {
	switch {
	case t.r.timeless || t.whole():
		return ""
	case h.resolved.IsZero():
		return "not resolved"
	}
	return "resolved"
}

// times is the life of the hotspot, in order.
func (t *teller) times(h *hotspot) []timeView {
	v := &h.told
	if t.r.timeless || t.whole() {
		return nil
	}
	out := []timeView{{"onset", "Onset", draw.Clock(v.Onset)}}
	out = append(out, timeView{"told", "Verdict", fmt.Sprintf("%s, %s later", draw.Hour(h.found), draw.Span(h.found.Sub(v.Onset)))})
	for i, c := range h.changes {
		next := v.Time
		if i+1 < len(h.changes) {
			next = h.changes[i+1].At
		}
		out = append(out, timeView{"", "Revised", fmt.Sprintf("%s, before: %s, %s", draw.Hour(next), draw.Cause(c.Cause), fixName(c.Fix))})
	}
	if more := h.changed - len(h.changes); more > 0 {
		out = append(out, timeView{"", "Revised", draw.Count(more, "more time")})
	}
	if h.resolved.IsZero() {
		return append(out, timeView{"", "Not resolved", "before the " + t.ending() + " ends"})
	}
	return append(out, timeView{"end", "Resolved", fmt.Sprintf("%s, %s after the onset", draw.Hour(h.resolved), draw.Span(h.resolved.Sub(v.Onset)))})
}

// curve is the load of the shard from before the onset to the end.
func (t *teller) curve(view *hotspotView, h *hotspot) {
	v := &h.told
	if t.r.timeless || len(h.trace.loads) < 2 {
		return
	}
	mark := draw.Mark{Onset: v.Onset, Verdict: h.found, Resolved: h.resolved}
	if t.whole() {
		mark = draw.Mark{}
	}
	figure := (&draw.Curve{
		ID: view.ID + "-curve", Title: "Load of " + view.Shard + " over time",
		Desc:  fmt.Sprintf("At most %s, line %s.", t.rate(h.peak), t.rate(v.Line)),
		Loads: h.trace.shown(), From: h.trace.first, Step: h.trace.width, Line: v.Line,
		Mark: mark,
	}).Figure()
	view.Curve = &figure
	end := h.trace.first.Add(time.Duration(len(h.trace.loads)) * h.trace.width)
	view.CurveNote = fmt.Sprintf("Load of the shard, %s to %s, the highest of each %s. Dashed: the line, %s. Peak: %s",
		draw.Clock(h.trace.first), draw.Hour(end), draw.Span(h.trace.width), t.rate(v.Line), t.rate(h.peak))
	if !h.peakAt.IsZero() {
		view.CurveNote += " at " + draw.Hour(h.peakAt)
	}
	view.CurveNote += "."
	if slices.Contains(h.trace.known, false) {
		view.CurveNote += " Where it breaks off, nothing was recorded."
	}
}

// boards are the heaviest keys and tenants of the shard; what is blamed stands first.
func (t *teller) boards(h *hotspot) []board {
	v := &h.told
	list := h.picture
	if h.table == nil { // there is no evidence: what was blamed is known, and nobody else
		for i := range v.Contribute {
			if c := v.Contribute[i]; c.Key != "" {
				list.Keys = append(list.Keys, c)
			} else {
				list.Tenants = append(list.Tenants, c)
			}
		}
	}
	keys := t.board("Requests per key", "Key", h, list.Keys)
	tenants := t.board("Requests per tenant", "Tenant", h, list.Tenants)
	boards := []board{keys, tenants}
	if v.Cause == policy.CauseWhaleTenant {
		boards = []board{tenants, keys}
	}
	out := boards[:0]
	for _, b := range boards {
		if len(b.Rows) > 0 {
			out = append(out, b)
		}
	}
	return out
}

// A board lists the five heaviest, and of the others those with 1 % and those that are named.
const (
	boardLeast = 5
	boardShare = 0.01
)

func (t *teller) board(title, unit string, h *hotspot, list []policy.Contribution) board {
	v := &h.told
	top := 0.0
	for i := range list {
		top = max(top, list[i].Share.High)
	}
	top = draw.NiceTop(top)
	b := board{Unit: unit, Measure: "Load", Title: fmt.Sprintf("%s on this shard, %s; bars end at %s of its load", title, window(v), draw.Percent(top))}
	for i := range list {
		c := &list[i]
		if i >= boardLeast && c.Share.Value < boardShare && !blamed(v, c) {
			continue
		}
		row := boardRow{
			Name: draw.Name(c.Key, draw.MaxName), Of: draw.Name(c.Tenant, draw.MaxName), Load: t.rate(c.Load), Share: draw.Percent(c.Share.Value),
			Bounds: draw.Percent(c.Share.Low) + " to " + draw.Percent(c.Share.High), Reads: draw.Percent(c.ReadShare), AboveAlone: c.AboveTarget, Blamed: blamed(v, c),
		}
		if unit == "Tenant" {
			row.Name, row.Of = row.Of, ""
		}
		if c.OpUnknown > 0.5 {
			row.Reads = "–"
		}
		row.Bar = draw.Range{Value: c.Share.Value, Low: c.Share.Low, High: c.Share.High, Top: top, Strong: row.Blamed}.Figure()
		b.Rows = append(b.Rows, row)
	}
	return b
}

// blamed says whether a verdict names a contributor.
func blamed(v *policy.Verdict, c *policy.Contribution) bool {
	for i := range v.Contribute {
		o := &v.Contribute[i]
		if v.Cause != policy.CauseUnknown && o.Cause == c.Cause && o.Key == c.Key && (o.Tenant == c.Tenant || o.Key != "") {
			return true
		}
	}
	return false
}

// evidence is what the verdict rests on, for who wants to check it.
func (t *teller) evidence(h *hotspot) []fact {
	v, in := &h.told, &h.inputs
	sampling := fact{Label: "Sampling", Text: say(samplingText(in))}
	if h.table == nil {
		sampling = fact{Label: "Pictures", Text: say("Its evidence is not in the history: the loads under each fix and the keys and tenants beside it are not known.")}
	}
	out := []fact{
		{Label: "Evidence", Text: say(words.Telling(v.Samples) + " on the shard, " + window(v) + ". " + words.Single)},
		{Label: "Line and target", Text: say(fmt.Sprintf("%s and %s, frozen when it fired", t.rate(v.Line), t.rate(v.Target)))},
		{Label: "Reads", Text: say(readsText(v.ReadShare, v.OpUnknown))},
		sampling,
		{Label: "Coverage", Text: say(draw.Percent(v.Coverage), " of the log in the window, logged at the ", logPoint(v.LogPoint))},
		{Label: "Placed by", Text: say(v.Placement)},
	}
	if calling := t.words(h).Calling(); calling != nil {
		out = append(out, fact{Label: "Caller", Text: calling})
	}
	if v.Reason != "" {
		out = append(out, fact{Label: "In its words", Text: say(v.Reason)})
	}
	if len(v.Missing) > 0 {
		out = append(out, fact{Label: "Open", Text: say(strings.Join(v.Missing, "; "))})
	}
	return append(out, fact{Label: "Hotspot", Text: say(v.Hotspot)})
}

// samplingText says how the lines were chosen.
func samplingText(in *policy.Inputs) string {
	text := in.Sampling.String()
	if in.Sampling == policy.SamplingUnknown {
		text = "not declared"
	}
	if in.LoggedRate > 0 && in.LoggedRate < 1 {
		text += fmt.Sprintf(", 1 line for %s requests by the rates that the log names", draw.Number(1/in.LoggedRate))
	}
	return text
}

func logPoint(l policy.LogPoint) string {
	if l == policy.LogPointUnknown {
		return "client or the shard (not declared)"
	}
	return l.String()
}
