package report

import (
	"slices"
	"strings"

	"firebreak/actuator"
	"firebreak/dashboards/draw"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// decisionRow is what was recommended for one hotspot, what it costs, what became of it, and what was declined.
type decisionRow struct {
	Number   int
	Shard    string
	Fix      phrase
	Effect   string
	Cost     string
	Outcome  []phrase
	Declined []phrase
}

// decisions are those of the hotspots, worst first.
func (t *teller) decisions() (rows []decisionRow, more int) {
	for i, h := range t.ranked {
		if len(rows) >= t.limits.shards {
			return rows, len(t.ranked) - i + t.r.dropped
		}
		rows = append(rows, t.decision(i+1, h))
	}
	return rows, t.r.dropped
}

func (t *teller) decision(number int, h *hotspot) decisionRow {
	told := t.words(h)
	row := decisionRow{Number: number, Shard: draw.Name(h.told.Shard, draw.MaxName), Fix: told.Advised(), Effect: "–", Cost: "–"}
	for i := range h.told.Projected {
		p := &h.told.Projected[i]
		if p.Fix != h.told.Fix || told.Chosen() == nil {
			continue
		}
		row.Effect = t.rate(h.told.Load) + " to " + t.rate(p.Shard)
		row.Cost = "no load moves and nothing is read more often"
		if c := costs(p); len(c) > 0 {
			row.Cost = strings.Join(c, "; ")
		}
		if h.plan != nil && len(h.plan.Steps) > 0 {
			operations := 0
			for j := range h.plan.Steps {
				operations += max(1, h.plan.Steps[j].Operations)
			}
			row.Cost += "; " + draw.Count(operations, "operation")
		}
	}
	row.Outcome = t.outcome(h)
	if h.full {
		would, fail := told.Others()
		row.Declined = slices.Concat(would, fail)
	}
	return row
}

// outcome is what became of a recommendation: a person may have said something of the hotspot, operations were begun for it, and holds say
// why nothing was done.
func (t *teller) outcome(h *hotspot) []phrase {
	var out []phrase
	if w := h.word; w != nil && w.Kind == actuator.KindDismissed {
		out = append(out, words.Dismissed(nameOf(w.By), w.Reason).Capital())
	} else if w != nil {
		out = append(out, words.Accepted(nameOf(w.By), w.Until, w.Reason).Capital())
		if w.Over {
			out = append(out, words.Again(w.Again.Why, line.Number(w.Again.Load), line.Number(w.Load)).Capital())
		}
	}
	out = append(out, t.ofHotspot(h.told.Hotspot)...)
	for _, hold := range h.holds {
		out = append(out, say(capital(strings.ReplaceAll(hold.Reason, "_", " ")), ": ", words.Ended(string(hold.Detail))))
	}
	if len(out) == 0 {
		out = append(out, say("Not carried out."))
	}
	return out
}

// weekView is what the report of a period has beside that of a log.
type weekView struct {
	Of            string // see fleetView
	Levels        []levelView
	Watched       string
	Down          []downRow
	DownMore      int
	Remaps        []remapRow
	RemapsMore    int
	NoRemaps      string
	Remains       []phrase // of operations: what was taken back, and what is of no use any more
	Scores        []scoreRow
	Who           []whoRow
	WhoMore       int
	Decisions     []decisionRow
	DecisionsMore int
}

// levelView is a level in the table.
type levelView struct{ Name, Goal, Text, Before, Mark, State string }

func (t *teller) week() *weekView {
	if t.f.Week == nil {
		return nil
	}
	v := &weekView{NoRemaps: noRemaps, Watched: t.watchedText()}
	for _, l := range t.levels() {
		mark := map[Met]string{MetYes: "met", MetNo: "missed", MetBelow: "below: there is room", MetUnknown: "–"}[l.Met]
		v.Levels = append(v.Levels, levelView{l.Name, l.Goal, l.Text, l.Before, mark, l.Met.String()})
	}
	v.Remaps, v.RemapsMore = t.remaps()
	v.Remains = t.remains()
	v.Scores = t.scores()
	v.Down, v.DownMore = t.downtime()
	v.Who, v.WhoMore = t.who()
	v.Decisions, v.DecisionsMore = t.decisions()
	return v
}
