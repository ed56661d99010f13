package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// rest are the hotspots that are not shown in full, in a line each.
func (t *teller) rest(shown int) (rows []restRow, more int) {
	list := t.ranked[min(shown, len(t.ranked)):]
	for i, h := range list[:min(len(list), t.limits.rest)] {
		v := &h.told
		row := restRow{
			Number: shown + i + 1, Shard: draw.Name(v.Shard, draw.MaxName), Onset: clock(v.Onset), Until: "open", Peak: draw.Times(h.over()) + " its line",
			Cause: draw.Cause(v.Cause), Fix: fixName(v.Fix), Severity: v.Severity.String(), Object: object(v),
		}
		if !h.resolved.IsZero() {
			row.Until = draw.Clock(h.resolved)
		}
		rows = append(rows, row)
	}
	return rows, len(list) - len(rows) + t.r.dropped
}

// notes are what was said beside the hotspots.
func (t *teller) notes() (out []noteView, more int) {
	add := func(kind string, list []note) {
		for i := range list {
			if len(out) >= t.limits.notes {
				more += len(list) - i
				return
			}
			out = append(out, t.note(kind, &list[i]))
		}
	}
	add("Advice", t.r.advice.list)
	add("Undo", t.r.undo.list)
	add("Finding", t.found())
	add("Hold", t.r.holds.list)
	for _, n := range []*notes{&t.r.advice, &t.r.undo, &t.r.findings, &t.r.holds} {
		more += n.total - len(n.list)
	}
	return out, more
}

// found are the findings of the run, then those of its ticks.
func (t *teller) found() []note {
	var out []note
	for _, f := range t.f.Summary.Findings {
		if !slices.ContainsFunc(t.r.findings.list, func(n note) bool { return n.Shard == f.Shard && n.Text == f.Reason }) {
			out = append(out, note{Shard: f.Shard, Text: f.Reason})
		}
	}
	return append(out, t.r.findings.list...)
}

// note is one of them as it is shown.
func (t *teller) note(kind string, n *note) noteView {
	what := strings.ReplaceAll(n.What, "_", " ")
	if n.Level != "" {
		what += ", " + n.Level
	}
	text := say(capital(n.Text))
	var when []string
	if n.Ticks > 1 {
		when = append(when, "at "+draw.Number(float64(n.Ticks))+" evaluations")
	}
	if !n.At.IsZero() {
		when = append(when, "last "+draw.Clock(n.At))
	}
	if len(when) > 0 {
		text = append(text, say(" ("+strings.Join(when, ", ")+")")...)
	}
	return noteView{Kind: kind, Shard: draw.Name(n.Shard, draw.MaxName), What: what, Text: text}
}

// leaders are the heaviest keys and tenants of the last window.
func (t *teller) leaders() []board {
	if t.f.Week != nil {
		return t.weekLeaders()
	}
	s := t.r.last
	if s == nil || t.limits.leaders == 0 {
		return nil
	}
	when := "the whole log"
	if !t.r.timeless && len(s.Panes) > 0 {
		when = draw.Clock(s.Panes[0].Start) + " to " + draw.Hour(s.Panes[len(s.Panes)-1].Start.Add(s.Pane))
	}
	d := t.f.Summary.Distinct
	var out []board
	for _, l := range []struct {
		unit string
		n    int
		list []policy.Contributor
	}{{"Key", d.Keys, s.Keys}, {"Tenant", d.Tenants, s.Tenants}} {
		rows := t.leaderRows(l.unit, l.list, d.Load)
		if len(rows) == 0 {
			continue
		}
		title := fmt.Sprintf("Heaviest %ss of the fleet, of %s, %s", strings.ToLower(l.unit), draw.Number(float64(l.n)), when)
		out = append(out, board{Title: title, Unit: l.unit, Measure: t.measure(), Rows: rows})
	}
	return out
}

// measure is what the sums of a window are in.
func (t *teller) measure() string {
	if t.f.Summary.Cost != "" {
		return capital(draw.Prose(t.f.Summary.Cost, draw.MaxName))
	}
	return "Requests"
}

func (t *teller) leaderRows(unit string, list []policy.Contributor, total float64) []boardRow {
	type leader struct {
		c                   *policy.Contributor
		load, reads, writes float64
	}
	all := make([]leader, 0, len(list))
	for i := range list {
		c := &list[i]
		if unit == "Key" && c.Key == "" || unit == "Tenant" && c.Tenant == "" {
			continue
		}
		l := leader{c: c}
		for _, p := range c.Panes {
			l.load, l.reads, l.writes = l.load+p.Load, l.reads+p.Reads, l.writes+p.Writes
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b leader) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.c.Key, b.c.Key), cmp.Compare(a.c.Tenant, b.c.Tenant))
	})
	all = all[:min(len(all), t.limits.leaders)]
	top := 0.0
	for _, l := range all {
		top = max(top, policy.ShareOf(l.c.Panes, total).Value)
	}
	top = draw.NiceTop(1.1 * top)
	rows := make([]boardRow, 0, len(all))
	for _, l := range all {
		b := policy.ShareOf(l.c.Panes, total)
		row := boardRow{
			Name: draw.Name(l.c.Key, draw.MaxName), Of: draw.Name(l.c.Tenant, draw.MaxName), Load: draw.Number(l.load), Share: draw.Percent(b.Value),
			Bounds: draw.Percent(b.Low) + " to " + draw.Percent(b.High), Bar: draw.Range{Value: b.Value, Low: b.Low, High: b.High, Top: top}.Figure(),
		}
		if row.Reads = "–"; l.reads+l.writes > 0.5*l.load {
			row.Reads = draw.Percent(l.reads / (l.reads + l.writes))
		}
		if unit == "Tenant" {
			row.Name, row.Of = row.Of, ""
		}
		rows = append(rows, row)
	}
	return rows
}
