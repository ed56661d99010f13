package report

import (
	"fmt"
	"strings"

	"firebreak/dashboards/draw"
)

// weekLeaders are the keys and tenants that asked most over the period, beside the period before.
func (t *teller) weekLeaders() []board {
	w := t.f.Week
	if t.limits.leaders == 0 {
		return nil
	}
	var out []board
	for _, l := range []struct {
		unit        string
		now, before map[string]*leader
	}{{"Key", w.now.keys, w.before.keys}, {"Tenant", w.now.tenants, w.before.tenants}} {
		list := heaviest(l.now, t.limits.leaders)
		if len(list) == 0 {
			continue
		}
		b := board{Title: "Heaviest " + strings.ToLower(l.unit) + "s of the fleet over the period, by what the minutes that name them bear", Unit: l.unit, Measure: "Average", Bound: "The period before"}
		top := 0.0
		for _, o := range list {
			top = max(top, per(o.load, w.now.load))
		}
		top = draw.NiceTop(1.1 * top)
		for _, o := range list {
			b.Rows = append(b.Rows, t.leaderRow(l.unit, o, l.before, top))
		}
		out = append(out, b)
	}
	return out
}

func (t *teller) leaderRow(unit string, o *leader, before map[string]*leader, top float64) boardRow {
	w := t.f.Week
	share := per(o.load, w.now.load)
	row := boardRow{
		Name: draw.Name(o.key, draw.MaxName), Of: draw.Name(o.tenant, draw.MaxName), Load: draw.Rate(per(o.load, w.now.seen())), Share: draw.Percent(share), Reads: "–",
		Bar: draw.Range{Value: share, Low: share, High: share, Top: top}.Figure(), Bounds: "not recorded",
	}
	id := o.key
	if unit == "Tenant" {
		row.Name, row.Of, id = row.Of, "", o.tenant
	}
	if o.reads+o.writes > 0.5*o.load {
		row.Reads = draw.Percent(o.reads / (o.reads + o.writes))
	}
	if seen := w.before.seen(); seen > 0 {
		if row.Bounds = "not among the heaviest"; before[id] != nil {
			row.Bounds = draw.Rate(per(before[id].load, seen))
		}
	}
	return row
}

// weekMethod says how all of this was found and where its bounds are.
func (t *teller) weekMethod() []fact {
	w := t.f.Week
	p := w.now
	out := []fact{
		{Label: "Read", Text: say(fmt.Sprintf("The journal and the history of the fleet, %s; %s log records are in its minutes. The period before, %s to %s, is read for comparison.",
			t.period(), draw.Number(p.samples), draw.Clock(w.Begin()), draw.Clock(w.from)))},
		{Label: "Watched", Text: say("A minute counts as watched if its loads were recorded and the input could be judged then. What is lost at the edges of an outage, below a minute, is not seen.")},
	}
	if t.placed() {
		out = append(out,
			fact{Label: "Line", Text: say(t.lineText(), " This is how the fleet is judged now; each hotspot stands with the line of its time.")},
			fact{Label: "Levels", Text: say("Peaks and averages are of minutes: of the fullest dimension of each serving shard. A peak below a minute is higher than what is shown; detection looks at panes of seconds. " +
				"Precision is what people said: a hotspot that nobody dismissed counts as right.")},
			fact{Label: "Bounds", Text: say("Shares of a verdict stand with one-sided 95 % bounds. A shard fires only if its lower bound is over the line. Shares over the period are lower bounds: " +
				"a minute names the heaviest 20 keys and tenants, and in others a name counts as none.")},
			fact{Label: "Projections", Text: say("Each fix was laid into the routing table, and the measured loads of the verdict’s window were placed again under it. Sizes are taken on upper bounds, of the shard and of every receiver. " +
				"What one key brings to its shard stays there, however many shards there are. " +
				"Pictures come from the evidence of the verdict, judged again to the same bytes.")},
			fact{Label: "Pictures", Text: say(fmt.Sprintf("A cell is %s; it shows its hottest minute. Over the line on too few requests to be sure (two to three standard deviations of the number of its log records) is drawn as a thin line in the cell.",
				draw.Span(t.r.grid.width)))},
		)
	}
	if w.torn > 0 {
		out = append(out, fact{Label: "Evidence", Text: say(fmt.Sprintf("Of %s the evidence is there and is judged otherwise now, or cannot be read: without pictures.", draw.Count(w.torn, "hotspot")))})
	}
	return out
}
