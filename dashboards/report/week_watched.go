package report

import (
	"strings"
	"time"

	"firebreak/dashboards/draw"
)

// seen is the event time that was recorded, in seconds, and judged the part of it that could be judged.
func (p *measured) seen() float64 {
	n := 0.0
	for _, m := range p.minutes {
		n += float64(m.covered)
	}
	return n
}

func (p *measured) judged() float64 {
	n := 0.0
	for _, m := range p.minutes {
		if !m.blind {
			n += float64(m.covered)
		}
	}
	return n
}

// watched is the share of the period that was recorded and judged.
func (p *measured) watched() float64 {
	if all := p.to.Sub(p.from).Seconds(); all > 0 {
		return min(1, p.judged()/all)
	}
	return 0
}

// Why a minute is part of the downtime.
const (
	notRecorded = "nothing was recorded"
	notJudged   = "could not be judged"
)

// down is the downtime by why.
func (p *measured) down() (recorded, judged time.Duration) {
	for _, d := range p.downtime() {
		if d.why == notRecorded {
			recorded += d.to.Sub(d.from)
		} else {
			judged += d.to.Sub(d.from)
		}
	}
	return recorded, judged
}

// downtime are the stretches of whole minutes that nobody recorded, or that could not be judged, in order.
func (p *measured) downtime() []span {
	var out []span
	for i, m := range p.minutes {
		why := ""
		switch {
		case m.covered == 0:
			why = notRecorded
		case m.blind:
			why = notJudged
		default:
			continue
		}
		at := p.from.Add(time.Duration(i) * time.Minute)
		end := at.Add(time.Minute)
		if end.After(p.to) {
			end = p.to
		}
		if n := len(out) - 1; n >= 0 && out[n].to.Equal(at) && out[n].why == why {
			out[n].to = end
			continue
		}
		out = append(out, span{at, end, why})
	}
	return out
}

// during says whether some minute of a stretch was recorded, and whether every minute of it was judged.
func (p *measured) during(from time.Time, length time.Duration) (recorded, judged bool) {
	first := max(0, int(from.Sub(p.from)/time.Minute))
	last := min(len(p.minutes), int((from.Add(length).Sub(p.from)+time.Minute-1)/time.Minute))
	judged = first < last
	for i := first; i < last; i++ {
		m := p.minutes[i]
		recorded = recorded || m.covered > 0
		judged = judged && m.covered > 0 && !m.blind
	}
	return recorded, judged
}

// downRow is a time in which nobody watched.
type downRow struct{ From, To, For, Why string }

// downtime are the longest of them, in their order, with the reasons that the journal knows.
func (t *teller) downtime() (rows []downRow, more int) {
	w := t.f.Week
	all := w.now.downtime()
	for i, d := range all {
		if len(rows) >= t.limits.notes {
			return rows, len(all) - i
		}
		rows = append(rows, downRow{draw.Clock(d.from), draw.Clock(d.to), draw.Span(d.to.Sub(d.from)), draw.Prose(w.why(d), draw.MaxPhrase)})
	}
	return rows, 0
}

// why is why nobody watched, with what the journal knows of it.
func (w *Week) why(d span) string {
	for _, b := range w.blinds {
		if b.why != "" && b.from.Before(d.to) && (b.to.IsZero() || b.to.After(d.from)) {
			return d.why + ": " + b.why
		}
	}
	return d.why
}

// watchedText says how much of the period is known, and how well.
func (t *teller) watchedText() string {
	w := t.f.Week
	p := w.now
	if p.seen() == 0 {
		return "Nobody recorded anything in this time: no instance ran, or its history is kept no more."
	}
	text := draw.Percent(p.watched()) + " of the time was recorded and judged" + p.missed() + ". In what was recorded " + draw.Percent(per(p.coverage, p.seen())) +
		" of the log was counted on average, at the least " + draw.Percent(p.least) + ", at most " + draw.Span(p.lag) + " behind."
	if w.deciders > 0 {
		text += " The decider changed " + draw.Count(w.deciders, "time") + "."
	}
	if len(p.downtime()) == 0 {
		text += " There was no gap."
	}
	return text
}

// missed says how much of the period nobody watched, as the end of a sentence; empty if it is none of it.
func (p *measured) missed() string {
	var parts []string
	recorded, judged := p.down()
	if recorded > 0 {
		parts = append(parts, "for "+draw.Span(recorded)+" nothing was recorded")
	}
	if judged > 0 {
		parts = append(parts, "for "+draw.Span(judged)+" the input could not be judged")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ") + ", and what was hot then is not known"
}
