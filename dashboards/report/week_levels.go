package report

import (
	"fmt"
	"time"

	"firebreak/dashboards/draw"
)

// The service levels that a report holds a fleet against: every hotspot is found within five minutes of its onset, no shard is
// above 80 % of its capacity, and shards are at 50 to 60 % on average: below, the fleet costs more than it has to.
const (
	delayGoal   = 5 * time.Minute
	peakGoal    = 0.80
	averageLow  = 0.50
	averageHigh = 0.60
)

// Met is whether a level was kept. The zero value is not known.
type Met uint8

// The answers. Below is an average under its goal: nothing is at risk, and money may be saved.
const (
	MetUnknown Met = iota
	MetYes
	MetNo
	MetBelow
)

// String returns the one spelling of m.
func (m Met) String() string {
	if int(m) < 4 {
		return []string{"unknown", "met", "missed", "below"}[m]
	}
	return fmt.Sprintf("invalid(%d)", m)
}

// MarshalText writes the one spelling of m.
func (m Met) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// level is one service level, for the table.
type level struct {
	Name, Goal, Text, Before string
	Met                      Met
}

// levels are the service levels of the week.
func (t *teller) levels() []level {
	w := t.f.Week
	return []level{w.delayLevel(), w.peakLevel(), w.averageLevel(), w.watchedLevel(), w.precisionLevel()}
}

// delayLevel is how long it took to find what was hot.
func (w *Week) delayLevel() level {
	l := level{Name: "Found after the onset", Goal: "at most " + draw.Span(delayGoal), Text: w.now.none(), Before: w.before.none()}
	say := func(found []*heard) (text string, late int) {
		var slowest time.Duration
		for _, h := range found {
			d := h.found.Sub(h.told.Onset)
			slowest = max(slowest, d)
			if d > delayGoal {
				late++
			}
		}
		return fmt.Sprintf("%d of %d in time, the slowest after %s", len(found)-late, len(found), draw.Span(slowest)), late
	}
	if found := w.foundIn(w.now); len(found) > 0 {
		var late int
		if l.Text, late = say(found); late == 0 {
			l.Met = MetYes
		} else {
			l.Met = MetNo
		}
	}
	if found := w.foundIn(w.before); len(found) > 0 {
		l.Before, _ = say(found)
	}
	return l
}

// none says of a period why it has no hotspots.
func (p *measured) none() string {
	if p.seen() == 0 {
		return "not recorded"
	}
	return "nothing was hot"
}

// peakLevel is the highest share of its capacity that a shard had.
func (w *Week) peakLevel() level {
	p := w.now
	l := level{Name: "Peak of a shard", Goal: "at most " + draw.Percent(peakGoal) + " of capacity", Text: p.peakText(), Before: w.before.peakText()}
	if p.limited == 0 {
		return l
	}
	l.Text += " on " + draw.Name(p.peakShard, draw.MaxName) + " at " + draw.Clock(p.peakAt)
	if l.Met = MetYes; p.peak > peakGoal {
		l.Met = MetNo
		l.Text += fmt.Sprintf("; some shard was above the goal for %s", draw.Span(time.Duration(p.above)*time.Second))
	}
	return l
}

func (p *measured) peakText() string {
	switch {
	case p.limited > 0:
		return draw.Percent(p.peak)
	case p.seen() > 0:
		return fmt.Sprintf("no capacity is known; the hottest shard had %s the mean on average", draw.Times(per(p.hottest, p.mean)))
	}
	return "not recorded"
}

// averageLevel is how full the shards were.
func (w *Week) averageLevel() level {
	text := func(p *measured) string {
		switch {
		case p.limited > 0:
			return draw.Percent(per(p.utilization, p.limited))
		case p.seen() > 0:
			return "no capacity is known; " + draw.Rate(per(p.mean, p.seen())) + " a shard"
		}
		return "not recorded"
	}
	l := level{Name: "Average of a shard", Goal: draw.Percent(averageLow) + " to " + draw.Percent(averageHigh) + " of capacity", Text: text(w.now), Before: text(w.before)}
	if p := w.now; p.limited > 0 {
		switch average := per(p.utilization, p.limited); {
		case average > averageHigh:
			l.Met = MetNo
		case average < averageLow:
			l.Met = MetBelow
		default:
			l.Met = MetYes
		}
	}
	return l
}

// watchedLevel is how much of the time somebody watched.
func (w *Week) watchedLevel() level {
	text := func(p *measured) string {
		if p.seen() == 0 {
			return "not recorded"
		}
		return fmt.Sprintf("%s of the time", draw.Percent(p.watched()))
	}
	l := level{Name: "Watched", Goal: "all the time", Text: text(w.now), Before: text(w.before), Met: MetYes}
	down := time.Duration(0)
	for _, d := range w.now.downtime() {
		down += d.to.Sub(d.from)
	}
	if down > 0 {
		l.Met = MetNo
		if w.now.seen() > 0 {
			l.Text += fmt.Sprintf("; not for %s", draw.Span(down))
		}
	}
	return l
}

// precisionLevel is how many of the hotspots nobody called a false alarm.
func (w *Week) precisionLevel() level {
	text := func(p *measured) (string, int) {
		found := w.foundIn(p)
		if len(found) == 0 {
			return p.none(), 0
		}
		wrong := 0
		for _, h := range found {
			if h.dismissed() {
				wrong++
			}
		}
		return fmt.Sprintf("%s: %d of %d were dismissed", draw.Percent(1-float64(wrong)/float64(len(found))), wrong, len(found)), wrong
	}
	l := level{Name: "Precision", Goal: "no false alarm"}
	dismissed := 0
	l.Text, dismissed = text(w.now)
	l.Before, _ = text(w.before)
	if len(w.foundIn(w.now)) > 0 {
		l.Met = MetYes
		if dismissed > 0 {
			l.Met = MetNo
		}
	}
	return l
}
