package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

type phrase = words.Phrase

// fact is a question with its answer.
type fact struct {
	Label string
	Text  phrase
	Name  string // class
}

// sentence says in plain words what happens, or happened.
func (f *fleet) sentence(h *hotspot) phrase {
	if h.open() {
		return f.told(h).Sentence(f.now.unseeing() || f.cooling(h) != "", false)
	}
	return f.told(h).Was(false)
}

// facts answer what, where, when, why, what to do and how sure, in the words of report and messages.
func (f *fleet) facts(h *hotspot) []fact {
	t := f.told(h)
	do, sure := t.Over(), t.WasSure()
	if h.open() {
		do, sure = t.Do(), t.Sure()
	}
	out := []fact{
		{Label: "What", Text: words.Say(t.Load(), " "+t.Grade(), f.bearing(h))},
		{Label: "Where", Text: t.Where()},
		{Label: "When", Text: words.Say(f.when(h))},
		{Label: "Why", Text: t.Why()},
		{Label: "What to do", Text: do, Name: "act"},
		{Label: "How sure", Text: sure},
	}
	if says := f.owner(h).Says(); says != nil {
		out = append(out, fact{Label: "Owner", Text: says})
	}
	if s := f.said(h); s != nil {
		out = append(out, fact{Label: "People say", Text: s.Text})
	}
	return out
}

// bearing is what the shard bears now, and as of when; empty where that is not known, as while nothing is seen.
func (f *fleet) bearing(h *hotspot) string {
	if s := f.shardOf(h); s != nil {
		return fmt.Sprintf(" As of %s it bears %s.", words.Clock(f.now.pane), words.Rate(s.load))
	}
	return ""
}

// shardOf is the shard of a hotspot now; nil where that is not known, as while nothing is seen.
func (f *fleet) shardOf(h *hotspot) *shardNow {
	if f.now == nil || f.now.unseeing() || f.now.pane.IsZero() {
		return nil
	}
	i := slices.IndexFunc(f.now.shards, func(s shardNow) bool { return s.name == string(h.verdict.Shard) })
	if i < 0 {
		return nil
	}
	return &f.now.shards[i]
}

// cooling says of an open hotspot that it is not hot now, and why it is open still; empty = it is hot, or that is not known.
func (f *fleet) cooling(h *hotspot) string {
	s := f.shardOf(h)
	if s == nil || s.load >= float64(h.verdict.Line) && s.cool.IsZero() {
		return ""
	}
	calm := words.Lasting(f.Judge.Resolve)
	switch {
	case s.hotspot != h.id || s.cool.IsZero():
		return "It is under its line now, and over when it was well under it for " + calm + "."
	case f.now.pane.Sub(s.cool) < f.Judge.Resolve:
		return "It is under its line since " + words.Hour(s.cool) + ", and over when it stays so for " + calm + "."
	}
	return "It is under its line since " + words.Hour(s.cool) + ", and open still: nothing independent of the table says that the traffic follows its fix."
}

// when is the life of the hotspot.
func (f *fleet) when(h *hotspot) string {
	text := words.Since(timeOf(h.verdict.Onset), h.found)
	switch {
	case h.open() && f.now != nil && f.now.blind && !f.now.sighted.IsZero():
		return text + " Last seen hot at " + words.Hour(f.now.sighted) + "; the input cannot be judged since, so whether it still is hot is not known."
	case h.open() && f.now != nil && f.now.blind:
		return text + " The input cannot be judged, so whether it still is hot is not known."
	case h.open() && f.now != nil && f.now.silent() != "":
		return text + " Last seen hot at " + words.Hour(f.now.traffic) + ". " + f.now.silent() + " Whether it still is hot is not known."
	case h.open():
		return text + " " + cmp.Or(f.cooling(h), "It is still hot.")
	}
	text += fmt.Sprintf(" Over at %s, after %s.", words.Hour(h.resolved), words.Lasting(h.resolved.Sub(timeOf(h.verdict.Onset))))
	if h.closing != "" {
		text += " " + words.Ended(words.Capital(string(h.closing)))
	}
	return text
}

// says tells an event in words.
func (e *event) says() phrase {
	if e.text != nil {
		return e.text
	}
	switch l := e.line.(type) {
	case *line.Verdict:
		if e.phase == actuator.PhaseResolved {
			return words.Say("Resolved: ", words.Ended(string(l.Reason)))
		}
		t := &words.Told{Verdict: l}
		return words.Say(words.Capital(e.phase.String())+", "+l.Severity+": ", t.Because(false, false), ".")
	case *line.Plan:
		steps := make([]string, 0, len(l.Steps))
		for i := range l.Steps {
			steps = append(steps, string(l.Steps[i].Text))
		}
		return words.Say("Plan "+e.phase.String()+": ", words.Ended(strings.Join(steps[:min(len(steps), 3)], "; "))).Apart()
	case *line.Hold:
		return words.Say("Held, "+spaced(l.Reason)+": ", words.Ended(string(l.Detail))).Apart()
	}
	return words.Say(words.Capital(e.kind.String()) + " " + e.phase.String() + ".")
}

func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// evidence is what the verdict rests on, for who wants to check it.
func (f *fleet) evidence(h *hotspot) []fact {
	v := h.verdict
	out := []fact{
		{Label: "Evidence", Text: words.Say(words.Telling(float64(v.Samples)) + " on the shard, " + f.told(h).Between() + ". " + words.Single)},
		{Label: "Line and target", Text: words.Say(fmt.Sprintf("%s and %s, frozen when it fired", words.Rate(float64(v.Line)), words.Rate(float64(v.Target))))},
		{Label: "Reads", Text: words.Say(words.Reads(float64(v.ReadShare), float64(v.OpUnknown)))},
		{Label: "Coverage", Text: words.Say(words.Percent(float64(v.Coverage)), " of the log in the window, logged at the ", logPoint(v.LogPoint))},
		{Label: "Placed by", Text: words.Say(string(v.Placement))},
	}
	if calling := f.told(h).Calling(); calling != nil {
		out = append(out, fact{Label: "Caller", Text: calling})
	}
	if v.Reason != "" {
		out = append(out, fact{Label: "In its words", Text: words.Say(string(v.Reason)).Apart()})
	}
	for _, m := range v.Missing {
		out = append(out, fact{Label: "Open", Text: words.Say(string(m)).Apart()})
	}
	return append(out, fact{Label: "Hotspot", Text: words.Say(h.id)})
}

func logPoint(l string) string {
	if l == "unknown" {
		return "client or the shard (not declared)"
	}
	return l
}

// timeRow is an event on the page.
type timeRow struct {
	At   string
	Text phrase
}

// timeline is what the journal says, the oldest first.
func (f *fleet) timeline(h *hotspot) []timeRow {
	out := []timeRow{{words.Clock(timeOf(h.verdict.Onset)), words.Say("Onset: the first pane of the run over the line.")}}
	events := f.heard(h)
	gap := maxEvents/4 + len(events) - len(h.events)
	for i := range events {
		e := &events[i]
		if h.left > 0 && i == gap {
			out = append(out, timeRow{"", words.Say(words.Count(h.left, "event") + " left out here.")})
		}
		out = append(out, timeRow{words.Clock(e.at), e.says()})
	}
	return out
}

// ago writes how long before another a moment was.
func ago(at, now time.Time) string {
	if at.IsZero() || now.IsZero() {
		return "–"
	}
	return words.Lasting(max(0, now.Sub(at)).Round(time.Second)) + " ago"
}
