package console

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
)

// hotspotView is one hotspot on its page.
type hotspotView struct {
	Fleet, FleetHref string
	Shard            string
	Title            phrase
	Severity, State  string
	Sentence         phrase
	Facts            []fact
	Curve            *draw.CurveFigure
	CurveNote        string
	Boards           []board
	Fixes            []fixView
	FixNote          string
	Steps            []stepView
	Next             []fact
	Acts             *hotActs // nil = nothing is carried out here, or it is over
	Timeline         []timeRow
	Said             *saidView // nil = nobody said anything
	Commands         []command // by which a person says something
	Evidence         []fact
	JSON             string
	Whatif           string // where its numbers are asked
	WhatifText       string // what that begins with
}

// hotspotPage is the page of a hotspot.
func (p *pages) hotspotPage(r *http.Request) (string, frame, error) {
	p.model.mu.RLock()
	defer p.model.mu.RUnlock()
	f, err := p.pathFleet(r)
	if err != nil {
		return "", frame{}, err
	}
	id := r.PathValue("id")
	h := f.hot[id]
	if h == nil || h.verdict == nil {
		return "", frame{}, missing("there is no hotspot %s: those that are open and those of the last %s are known", words.Show(id, words.MaxName), words.Lasting(recentFor))
	}
	v, t := h.verdict, f.told(h)
	view := hotspotView{
		Fleet: draw.Name(f.Name, draw.MaxName), FleetHref: fleetPath(f.Name), Shard: draw.Name(string(v.Shard), draw.MaxName), Severity: v.Severity, State: "open",
		Title: words.Say(words.Capital(words.Cause(v.Cause))), Sentence: f.sentence(h), Facts: f.facts(h), Boards: f.boards(h),
		Timeline: f.timeline(h), Said: f.said(h), Evidence: f.evidence(h), JSON: "/api/v1/hotspots/" + id,
	}
	if o := t.Object(); o != nil {
		view.Title = append(view.Title, append(words.Say(" "), o...)...)
	}
	if !h.open() {
		view.State = "resolved"
	}
	view.Fixes, view.FixNote = f.fixes(h)
	view.Steps, view.Next = f.steps(h)
	view.Curve, view.CurveNote = f.curve(h)
	var as string
	view.Whatif, as = f.whatifOf(h)
	view.WhatifText = whatifText(as)
	view.Acts = p.acts(f, h, r)
	if p.maker.reporter != nil { // the group keeps a journal
		view.Commands = h.commands()
	}
	return "hotspot", frame{Title: view.Shard + ": " + view.Title.String(), Live: true, Body: view}, nil
}

// aroundHot is how much of the time before the onset, and after the end, the curve of a hotspot shows.
const aroundHot = 15 * time.Minute

// curve is the shard by the minute, from before the onset to after the end; nil where the minutes are not known.
func (f *fleet) curve(h *hotspot) (*draw.CurveFigure, string) {
	id, known := f.grid.index[string(h.verdict.Shard)]
	if !known || f.grid.newest == 0 {
		return nil, ""
	}
	last := f.grid.newest
	if !h.open() {
		last = min(last, h.resolved.Add(aroundHot).Unix()/60)
	}
	first := max(timeOf(h.verdict.Onset).Add(-aroundHot).Unix()/60, f.grid.newest+1-gridMinutes)
	c := draw.Curve{ID: "curve", From: time.Unix(first*60, 0).UTC(), Step: time.Minute, Line: 1, Mark: draw.Mark{Onset: timeOf(h.verdict.Onset), Verdict: h.found, Resolved: h.resolved}}
	top := 0.0
	for m := first; m <= last; m++ {
		full := math.NaN() // nothing is known of it
		if col := &f.grid.cols[m%gridMinutes]; col.minute == m && id < len(col.cells) {
			full = float64(max(col.cells[id].Full, col.cells[id].Thin))
		}
		c.Loads = append(c.Loads, full)
		if full > top {
			top = full
		}
	}
	if len(c.Loads) < 2 {
		return nil, ""
	}
	c.Title = "Load of " + draw.Name(string(h.verdict.Shard), draw.MaxName) + " by the minute"
	c.Desc = fmt.Sprintf("At most %s.", f.scale().Value(top))
	figure, end := c.Figure(), ""
	if !h.open() {
		end = "; bold: end"
	}
	note := fmt.Sprintf("Load of the shard by the minute, %s to %s; at most %s. Dashed: the line, %s. Dotted: onset; solid: verdict%s. Where it breaks off, nothing is known.",
		words.Clock(c.From), words.Hour(time.Unix((last+1)*60, 0)), f.scale().Value(top), f.scale().Value(1), end)
	return &figure, note
}
