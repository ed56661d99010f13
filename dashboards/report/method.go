package report

import (
	"fmt"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
)

// method says how all of this was found and where its bounds are.
func (t *teller) method() []fact {
	if t.f.Week != nil {
		return t.weekMethod()
	}
	s := &t.f.Summary
	out := []fact{
		{Label: "Read", Text: say(t.readText())},
		{Label: "Set apart", Text: say(t.apartText())},
	}
	for _, m := range s.Missing {
		out = append(out, fact{Label: "Not in the log", Text: say(capital(m), ".")})
	}
	if !t.placed() {
		return append(out, fact{Label: "Bounds", Text: say("Shares stand with their 95 % bounds, one-sided: arrivals are random, and sampling adds to it.")})
	}
	out = append(out,
		fact{Label: "Judged", Text: say(t.judgedText())},
		fact{Label: "Line", Text: say(t.lineText())},
		fact{Label: "Bounds", Text: say("Bounds are one-sided 95 % (Clopper–Pearson; what counting itself leaves open is in them). " + words.Single + " " +
			"A shard fires only if its lower bound is over the line, at 1 % divided by the number of shards.")},
		fact{Label: "Projections", Text: say("Each fix is laid into the routing table, and the measured loads of the verdict’s window are placed again under it. Sizes are taken on upper bounds, of the shard and of every receiver.")},
		fact{Label: "Pictures", Text: say(fmt.Sprintf("At most %d columns; longer stretches and more shards are joined by their maximum, so what was hot stays visible. "+
			"Over the line on too few requests to be sure (two to three standard deviations) is drawn as a thin line in the cell.", maxColumns))},
	)
	if s.Detectable != (Detectable{}) {
		out = append(out, fact{Label: "Detectable", Text: say(t.detectable())})
	}
	if d := s.Delay; d != (Delay{}) {
		out = append(out, fact{Label: "Delay", Text: say(fmt.Sprintf("From onset to verdict: median %s s, 95th percentile %s s, at most %s s.", draw.Number(d.P50), draw.Number(d.P95), draw.Number(d.Max)))})
	}
	return out
}

// readText is what was read.
func (t *teller) readText() string {
	s := &t.f.Summary
	return fmt.Sprintf("%s lines, of which %s records are of this fleet; %s counted, for %s requests. %s.", draw.Number(float64(s.Lines)), draw.Number(float64(s.Records)),
		draw.Number(float64(s.Counted)), draw.Number(s.Requests), capital(t.period()))
}

// apartText is what was refused, late, or counted with a remark.
func (t *teller) apartText() string {
	var parts []string
	for _, list := range [][]Tally{t.f.Summary.Refused, t.f.Summary.Other} {
		for _, n := range list {
			parts = append(parts, draw.Number(float64(n.N))+" "+strings.ReplaceAll(n.What, "_", " "))
		}
	}
	if len(parts) == 0 {
		return "Nothing: no record was refused, late or from the future."
	}
	return strings.Join(parts, "; ") + "."
}

// judgedText is how often it was judged, on which windows.
func (t *teller) judgedText() string {
	s := t.r.last
	p := s.Table.Document().Placement
	placed := fmt.Sprintf("by %s via %s, %s", p.Bytes, p.Function, p.Map)
	if t.ranked != nil {
		placed = "by " + t.ranked[0].told.Placement
	}
	text := fmt.Sprintf("%s at panes of %s: a fast window of %s, a long one of %s; placed %s; sampling %s; logged at the %s.", draw.Count(t.r.ticks, "time"),
		draw.Span(s.Pane), draw.Count(t.r.cfg.FastPanes, "pane"), draw.Count(t.r.cfg.LongPanes, "pane"), placed, samplingText(&s.Inputs), logPoint(s.LogPoint))
	if s.Whole {
		text = fmt.Sprintf("Once: the whole log is one window; placed %s; sampling %s; logged at the %s.", placed, samplingText(&s.Inputs), logPoint(s.LogPoint))
	}
	if t.r.blind > 0 {
		text += fmt.Sprintf(" %s the input could not be judged (warming up, stale or partial); nothing was concluded from it.", capital(draw.Count(t.r.blind, "time")))
	}
	return text
}

// lineText is what shards are held against.
func (t *teller) lineText() string {
	l, c := t.r.cfg.Lines, t.r.cfg.Capacity
	hold := fmt.Sprintf(" A shard has to be over it for %s.", draw.Span(t.r.cfg.For))
	if t.whole() {
		hold = ""
	}
	if !t.capacity() {
		return fmt.Sprintf("No capacity is known: the line, and the target of a fix, is %s the mean shard. Nothing is ever critical then.", draw.Times(l.Relative)) + hold
	}
	of := "each shard’s own capacity"
	switch {
	case c.Total > 0:
		of = "a capacity of " + t.rate(c.Total) + " a shard"
	case c.Reads > 0:
		of = fmt.Sprintf("a capacity of %s reads and %s writes a shard", t.rate(c.Reads), t.rate(c.Writes))
	}
	return fmt.Sprintf("The line is %s of %s, critical %s; a fix must reach %s.", draw.Percent(l.Warning), of, draw.Percent(l.Critical), draw.Percent(l.Target)) + hold
}
