package console

import (
	"fmt"
	"net/http"
	"strconv"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/routing"
)

// overviewView is a fleet on its page.
type overviewView struct {
	Name, Search string // Search: where the form leads
	State        string
	Acts         string // where its actions and its routing are; empty = nothing is acted on here
	Headline     phrase
	Figures      []figureView
	Now          *draw.BarsFigure
	NowNote      string
	Ranges       []link
	Map          *mapView
	Open, Recent []hotRow
	OpenMore     int
	Health       []fact
	Notes        []noteView
}

type figureView struct{ Label, Value, Note string }

// hotRow is a hotspot in a list.
type hotRow struct {
	Number      int
	Href, Shard string
	Severity    string
	Cause, Fix  string
	Object      phrase
	Sentence    phrase
	Load, Since string
	Until       string
	Said        *saidView // nil = nobody said anything
}

type noteView struct {
	Kind, Shard string
	Text        phrase
}

// Lists of the overview.
const (
	shownOpen   = 30
	shownRecent = 30
)

// overview is the page of a fleet.
func (p *pages) overview(r *http.Request) (string, frame, error) {
	hours, err := number(r, "hours", 3, 24)
	if err != nil {
		return "", frame{}, err
	}
	p.model.mu.RLock()
	defer p.model.mu.RUnlock()
	f, err := p.pathFleet(r)
	if err != nil {
		return "", frame{}, err
	}
	path := fleetPath(f.Name)
	v := overviewView{Name: draw.Name(f.Name, draw.MaxName), Search: path + "/search"}
	v.State, v.Headline = f.headline()
	if p.actor != nil {
		v.Acts = path
	}
	for _, h := range []int{1, 3, 6, 24} {
		v.Ranges = append(v.Ranges, link{strconv.Itoa(h) + " h", path + "?hours=" + strconv.Itoa(h), h == hours})
	}
	open, recent := f.ranked(true), f.ranked(false)
	v.OpenMore = max(0, len(open)-shownOpen) + f.dropped
	for i, h := range open[:min(len(open), shownOpen)] {
		v.Open = append(v.Open, f.row(h, i+1))
	}
	for i, h := range recent[:min(len(recent), shownRecent)] {
		v.Recent = append(v.Recent, f.row(h, len(v.Open)+i+1))
	}
	v.Map = f.heat(hours*60, append(open[:len(v.Open):len(v.Open)], recent[:len(v.Recent)]...))
	if f.now != nil {
		v.Figures, v.Health, v.Notes = f.figures(), f.health(&p.model.decider), f.notes()
		v.Now, v.NowNote = f.bars()
	}
	return "overview", frame{Title: v.Name + ": " + v.Headline.String(), Live: true, Body: v}, nil
}

// headline is the one sentence that a reader takes away, and the state of the fleet.
func (f *fleet) headline() (state string, text phrase) {
	open := f.ranked(true)
	switch state = f.state(); state {
	case "blind":
		return state, append(f.lastHot(open), f.now.unseen()...)
	case "hot":
		worst := open[0]
		if silent := f.now.silent(); silent != "" {
			return state, append(f.lastHot(open), words.Say(silent, " See that its records reach the topic, if the store serves requests.")...)
		}
		cooling := f.cooling(worst)
		if n := len(open); n > 1 {
			return state, words.Say(strconv.Itoa(n), " hotspots are open. The worst, ", worst.verdict.Shard, ": ", f.told(worst).Because(cooling != "", false), ".")
		}
		if cooling != "" {
			return state, words.Say("Shard ", worst.verdict.Shard, " was hot: ", f.told(worst).Because(true, false), ". ", cooling)
		}
		return state, words.Say("Shard ", worst.verdict.Shard, " is hot: ", f.told(worst).Because(false, false), ".")
	case "waiting":
		return state, words.Say("Nothing is judged yet: no pane is complete.")
	case "warming_up":
		return state, words.Say(words.Capital(f.now.warming()) + ".")
	}
	if silent := f.now.silent(); silent != "" {
		return state, words.Say(silent, " See that its records reach the topic, if the store serves requests.")
	}
	return state, f.now.quiet()
}

// lastHot says, of a fleet that cannot be judged now, what was hot when it could be.
func (f *fleet) lastHot(open []*hotspot) phrase {
	when := ""
	at := f.now.sighted
	if f.now.silent() != "" {
		at = f.now.traffic
	}
	if !at.IsZero() {
		when = " at " + words.Hour(at)
	}
	switch len(open) {
	case 0:
		return words.Say("Hot or not is not known now. ")
	case 1:
		return words.Say("Shard ", open[0].verdict.Shard, " was last seen hot"+when+"; whether it still is, is not known. ")
	}
	return words.Say(strconv.Itoa(len(open)), " hotspots were open when last seen"+when+", the worst on ", open[0].verdict.Shard, "; whether they still are, is not known. ")
}

func (f *fleet) row(h *hotspot, number int) hotRow {
	v, t := h.verdict, f.told(h)
	out := hotRow{
		Number: number, Href: hotspotPath(f.Name, h.id), Shard: draw.Name(string(v.Shard), draw.MaxName), Severity: v.Severity, Cause: words.Cause(v.Cause),
		Fix: words.Fix(v.Fix), Object: t.Object(), Sentence: f.sentence(h), Load: words.Rate(float64(v.Load)), Since: words.Clock(timeOf(v.Onset)),
		Said: f.said(h),
	}
	if h.open() && t.Barred() != nil {
		out.Fix += ", blocked"
	}
	if f.now != nil && h.open() {
		out.Since += ", " + ago(timeOf(v.Onset), f.now.at)
	}
	if !h.open() {
		out.Until = words.Clock(h.resolved)
	}
	return out
}

// figures are the fleet in numbers, over the fast window.
func (f *fleet) figures() []figureView {
	p := f.now
	unit := "requests"
	if f.Cost != "" {
		unit = "units of " + f.Cost
	}
	out := []figureView{
		{"Load", words.Rate(p.load), unit},
		{"Mean shard", words.Rate(p.mean), ""},
		{"Hottest shard", words.Rate(p.hottest), ""},
		{"Shards", words.Number(float64(p.serving)), ""},
	}
	if p.serving < len(p.shards) {
		out[3].Note = "that serve" // the mean is theirs
	}
	if p.mean > 0 {
		out[2].Note = words.Times(p.hottest/p.mean) + " the mean"
	}
	if p.keys > 0 {
		out = append(out, figureView{"Keys", words.Number(float64(p.keys)), "in the window, about"})
	}
	if p.tenants > 0 {
		out = append(out, figureView{"Tenants", words.Number(float64(p.tenants)), "in the window, about"})
	}
	return out
}

// health is how far the detector can be trusted now.
func (f *fleet) health(d *Decider) []fact {
	p := f.now
	out := []fact{{Label: "Judged", Text: words.Say("up to ", words.Clock(p.pane), ", at ", words.Hour(p.at))}}
	if text := p.warming(); text != "" {
		out = append(out, fact{Label: "Window", Text: words.Say(words.Capital(text))})
	}
	out = append(out, fact{Label: "Coverage", Text: words.Say(words.Percent(p.coverage), " of the log in the window")},
		fact{Label: "Lag", Text: words.Say(words.Lasting(p.lag), " beyond the allowed disorder")})
	if silent := p.silent(); silent != "" {
		out = append(out, fact{Label: "Records", Text: words.Say(silent)})
	}
	for _, m := range p.missing[:min(len(p.missing), 8)] {
		out = append(out, fact{Label: "Silent", Text: words.Say(m)})
	}
	decides := words.Say("No decider stands in the journal yet")
	if d.Instance != "" {
		decides = words.Say(words.Name(d.Instance), ", since ", words.Clock(d.At), " (epoch "+strconv.FormatInt(d.Epoch, 10)+")")
	}
	return append(out, fact{Label: "Decides", Text: decides})
}

// notes are what is said beside the hotspots.
func (f *fleet) notes() []noteView {
	var out []noteView
	for _, h := range f.now.holds {
		out = append(out, noteView{"Hold: " + spaced(h.Reason), "", words.Say(words.Capital(string(h.Detail))).Apart()})
	}
	for _, a := range f.now.advice {
		out = append(out, noteView{"Advice: " + spaced(a.Topic) + ", " + a.Level, draw.Name(string(a.Shard), draw.MaxName), words.Say(words.Capital(string(a.Reason))).Apart()})
	}
	for _, u := range f.now.unread {
		out = append(out, noteView{"Not read", "", words.Say(words.Capital(string(u))).Apart()})
	}
	return out
}

// bars are the shards now.
func (f *fleet) bars() (*draw.BarsFigure, string) {
	p := f.now
	if len(p.shards) == 0 {
		return nil, ""
	}
	b := draw.ShardBars{ID: "now", Title: "Load of every shard now", Line: 1, Target: 1, Top: 1.05}
	for i, s := range p.shards {
		b.Loads = append(b.Loads, s.full)
		if s.role == routing.Serving && s.full >= p.shards[b.Hot].full {
			b.Hot = i
		}
		b.Top = max(b.Top, 1.05*s.full)
	}
	hot := p.shards[b.Hot]
	b.Desc = fmt.Sprintf("The hottest is %s with %s its line.", draw.Name(hot.name, draw.MaxName), words.Times(hot.full))
	figure := b.Figure()
	note := fmt.Sprintf("The last minute as a multiple of each shard’s line; the wide bar is the hottest, %s, with %s its line and %s.",
		draw.Name(hot.name, draw.MaxName), words.Times(hot.full), words.Rate(hot.load))
	if figure.Joined > 1 {
		note += fmt.Sprintf(" Each of the other bars is the heaviest of %d shards.", figure.Joined)
	}
	return &figure, note + " Dashed: the line."
}
