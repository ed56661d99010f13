package console

import (
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// Tags of what was said last of a hotspot.
const (
	tagAccepted  = "accepted"
	tagDismissed = "dismissed"
	tagAgain     = "told again"
)

// speak takes in what people said, and the end of a hotspot, after which its last word is kept with it. recalled says that it is older
// than the events that are kept.
func (f *fleet) speak(e *actuator.Entry, recalled bool) {
	h := f.hot[e.Hotspot]
	if h != nil && e.Kind == actuator.KindVerdict && e.Phase == actuator.PhaseResolved {
		if w, ok := f.spoken.Of(f.Name, h.id); ok {
			h.word = &w
		}
	}
	f.spoken.Apply(e)
	if h == nil || recalled || !e.Kind.Spoken() && e.Kind != actuator.KindReopened || h.has(e.ID) {
		return
	}
	h.add(&event{id: e.ID, at: e.At, kind: e.Kind, text: spokenText(e)})
}

// word is what a person said last of a hotspot; nil = nothing.
func (f *fleet) word(h *hotspot) *actuator.Word {
	if w, ok := f.spoken.Of(f.Name, h.id); ok {
		return &w
	}
	return h.word
}

// spokenText says an entry of what people said.
func spokenText(e *actuator.Entry) phrase {
	switch e.Kind { //nolint:exhaustive // the kinds that people speak of
	case actuator.KindAccepted:
		if a, err := actuator.Read[actuator.Accepted](e); err == nil {
			return words.Accepted(words.Name(a.By), time.Time(a.Until), string(a.Reason)).Capital()
		}
	case actuator.KindDismissed:
		if d, err := actuator.Read[actuator.Dismissed](e); err == nil {
			return words.Dismissed(words.Name(d.By), string(d.Reason)).Capital()
		}
	case actuator.KindReopened:
		if r, err := actuator.Read[actuator.Reopened](e); err == nil {
			return words.Again(r.Why, r.Load, r.Was).Capital()
		}
	}
	return words.Say(words.Capital(e.Kind.String()) + ".")
}

// saidView is what was said last of a hotspot, on the page.
type saidView struct {
	Tag, Class string
	Short      string // of the tag
	Text       phrase
}

// said is what was said last of a hotspot, and what follows from it; nil = nothing.
func (f *fleet) said(h *hotspot) *saidView {
	w := f.word(h)
	switch {
	case w == nil:
		return nil
	case w.Kind == actuator.KindDismissed:
		v := &saidView{Tag: tagDismissed, Short: tagDismissed, Class: "said", Text: words.Dismissed(words.Name(w.By), w.Reason).Capital()}
		if h.open() {
			v.Text = append(v.Text, words.Say(" Receivers hear of its end only.")...)
		}
		return v
	}
	v := &saidView{Tag: tagAccepted + " until " + words.Clock(w.Until), Short: tagAccepted, Class: "said", Text: words.Accepted(words.Name(w.By), w.Until, w.Reason).Capital()}
	switch at, why := f.again(w, h.open()); {
	case why != nil:
		v.Tag, v.Short, v.Class = tagAgain, tagAgain, "again"
		v.Text = append(v.Text, words.Say(" ", why, " Since "+words.Clock(at)+".")...)
	case h.open():
		text := " Receivers hear no more of it until then, or until it ends"
		if w.Load > 0 {
			text += ", or its load reaches " + words.Rate(actuator.ReopenFactor*w.Load)
		}
		v.Text = append(v.Text, words.Say(text+".")...)
	}
	return v
}

// again says why a hotspot that was accepted is told again, and since when; nil = it is not. An open one whose time is over is, even
// where the journal does not say so yet.
func (f *fleet) again(w *actuator.Word, open bool) (at time.Time, why phrase) {
	switch {
	case w.Over:
		return w.Again.At, words.Again(w.Again.Why, line.Number(w.Again.Load), line.Number(w.Load)).Capital()
	case open && f.now != nil && !f.now.at.Before(w.Until):
		return w.Until, words.Again("until", 0, 0).Capital()
	}
	return at, nil
}

// command is how a person says something of a hotspot.
type command struct{ Says, Text string }

// commands are those of a hotspot; nil where its id is not one that a shell takes as it is.
func (h *hotspot) commands() []command {
	odd := func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }
	if h.id == "" || strings.ContainsFunc(h.id, odd) {
		return nil
	}
	const rest = ` --reason "why" --config firebreak.yml`
	dismiss := command{"It is a false alarm; the report counts it.", "firebreak dismiss " + h.id + rest}
	if !h.open() {
		return []command{dismiss}
	}
	return []command{{"It is known: keep it visible and silent for a while.", "firebreak accept " + h.id + " --until 2h" + rest}, dismiss}
}
