package terminal

import (
	"fmt"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// panelOf says which shard fires and why, or that none does.
func panelOf(v *View, width int) []row {
	worst := -1
	for i := range v.Decision.Open {
		if worst < 0 || v.Decision.Open[i].Load > v.Decision.Open[worst].Load {
			worst = i
		}
	}
	if worst >= 0 {
		now := &v.Decision.Open[worst]
		told := now
		for i := range v.Told {
			if v.Told[i].Hotspot == now.Hotspot {
				told = &v.Told[i]
			}
		}
		return append([]row{headRow(now, len(v.Decision.Open)-1)}, verdictRows(told, width)...)
	}
	if v.Snapshot == nil {
		return nil
	}
	text := "No shard fires."
	for _, g := range gauges(v) {
		if g.Full > 1 {
			text = "A shard is over its line; it fires once that has lasted and is beyond chance."
		}
	}
	if v.Decision.Blind {
		text = "The log cannot be judged: " + blindText(v) + "."
	}
	return []row{words(fit("  "+text, width))}
}

// blindText is why the input cannot be judged.
func blindText(v *View) string {
	for _, h := range v.Decision.Holds {
		if h.Hotspot == "" {
			return strings.ReplaceAll(h.Reason.String(), "_", " ") + ", " + draw.Prose(h.Detail, draw.MaxPhrase)
		}
	}
	return "the reason is not known"
}

// Verdict is what the panel says of a hotspot, for an output that is no terminal: lines without control codes.
func Verdict(verdict *policy.Verdict, width int) []byte {
	var out []byte
	s := Screen{Width: width}
	for _, r := range append([]row{headRow(verdict, 0)}, verdictRows(verdict, width)...) {
		out = append(s.append(out, r), '\n')
	}
	return out
}

// headRow names a hotspot and its load.
func headRow(v *policy.Verdict, others int) row {
	r := row{}.add(bold, "▲ ", draw.Name(v.Shard, draw.MaxLabel))
	if v.Load > v.Line {
		r = r.add(bold, " is hot: ")
	} else {
		r = r.add(bold, " cools, and must stay so: ")
	}
	r = r.add(bold, draw.Number(v.Load), "/s")
	if v.Capacity > 0 {
		r = r.add(bold, ", ", draw.Percent(v.Load/v.Capacity), " of its capacity")
	}
	if v.Load > v.Line {
		r = r.add(plain, ", ", draw.Times(v.Imbalance), " the mean; ", v.Severity.String())
	}
	if others > 0 {
		r = r.add(plain, "; ", draw.Count(others, "other"), " too")
	}
	return r
}

// verdictRows says of a hotspot why and what to do, and draws the hottest shard when it was told, under the other fix and under
// this one.
func verdictRows(v *policy.Verdict, width int) []row {
	rows := said("why", whyText(v), width, 2)
	fix := chosen(v)
	rows = append(rows, said("fix", fixText(v, fix), width, 1)...)
	other := beside(v, fix)
	scale := barScale(v, fix, other)
	rows = append(rows, barRow("as found", v.Load, v, scale, "┊ is its line"))
	for _, p := range []*policy.Projection{other, fix} {
		if p == nil {
			continue
		}
		note := "the fix"
		if p != fix {
			note = "fails"
			if p.Feasible {
				note = "would do"
			}
		}
		note += ownText(p, v)
		rows = append(rows, barRow(fixName(p.Fix), p.Hottest, v, scale, note))
	}
	if other != nil && !other.Feasible {
		rows = append(rows, said("no "+other.Fix.String(), draw.Prose(other.Why, draw.MaxPhrase), width, 2)...)
	}
	return rows
}

// said is a labelled sentence of at most some rows.
func said(label, text string, width, most int) []row {
	const indent = 12
	lines := wrap(text, max(20, width-indent-1))
	if len(lines) > most {
		lines[most-1] = strings.Join(lines[most-1:], " ")
		lines = lines[:most]
	}
	var rows []row
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		rows = append(rows, row{{pad("  "+label, indent), faint}, {line, plain}})
	}
	return rows
}

// whyText names the cause with its bounds.
func whyText(v *policy.Verdict) string {
	share := fmt.Sprintf("%s (%s to %s)", draw.Percent(v.Share.Value), draw.Percent(v.Share.Low), draw.Percent(v.Share.High))
	switch v.Cause {
	case policy.CauseHotKey:
		text := "hot key " + draw.Name(v.Key, draw.MaxName)
		if v.Tenant != "" {
			text += " of tenant " + draw.Name(v.Tenant, draw.MaxName)
		}
		return text + ": " + share + " of the shard, " + draw.Percent(v.ReadShare) + " of it reads"
	case policy.CauseWhaleTenant:
		return "whale tenant " + draw.Name(v.Tenant, draw.MaxName) + ": " + share + " of the shard, over many keys"
	case policy.CauseVolume:
		return "volume: the shard has " + share + " of the fleet, and no key or tenant is to blame"
	case policy.CauseUnknown:
	}
	return "cause unknown: " + draw.Prose(v.Reason, draw.MaxPhrase)
}

func fixText(v *policy.Verdict, fix *policy.Projection) string {
	if fix == nil {
		return "none is proven"
	}
	switch v.Fix {
	case policy.FixSalt:
		return fmt.Sprintf("salt the key into %d pieces on distinct shards", fix.Salt)
	case policy.FixIsolate:
		if v.Cause == policy.CauseWhaleTenant {
			return "isolate the tenant: a quota first, then a shard of its own"
		}
		return "isolate it on a shard of its own"
	case policy.FixSplit:
		return "split the shard: move " + draw.Percent(fix.MovedShare) + " of the fleet’s load to the coldest ones"
	case policy.FixNone, policy.FixCache, policy.FixQuota, policy.FixLimitCaller, policy.FixScaleOut:
	}
	return draw.Prose(fix.Why, draw.MaxPhrase)
}

func fixName(f policy.Fix) string { return strings.ReplaceAll(f.String(), "_", " ") }

// chosen is the projection of the verdict's fix; nil if there is none.
func chosen(v *policy.Verdict) *policy.Projection {
	for i := range v.Projected {
		if p := &v.Projected[i]; v.Fix != policy.FixNone && p.Fix == v.Fix && p.Loads != nil {
			return p
		}
	}
	return nil
}

// beside is what the fix is compared with: the split, or where that is the fix, the first that fails.
func beside(v *policy.Verdict, fix *policy.Projection) *policy.Projection {
	var other *policy.Projection
	for i := range v.Projected {
		p := &v.Projected[i]
		switch {
		case p == fix || p.Loads == nil:
		case p.Fix == policy.FixSplit:
			return p
		case other == nil && !p.Feasible:
			other = p
		}
	}
	return other
}

// ownText says of an isolation that its bar is of the shards that serve, and what the shard of its own bears.
func ownText(p *policy.Projection, v *policy.Verdict) string {
	switch {
	case p.Own <= 0:
		return ""
	case v.Capacity > 0:
		return "; own " + draw.Percent(p.Own/v.Capacity)
	}
	return "; own " + draw.Number(p.Own) + "/s"
}

const (
	barName = 10 // and two blanks before it: the indent of a sentence
	barRoom = 40
)

// barScale is the load that a full bar stands for.
func barScale(v *policy.Verdict, all ...*policy.Projection) float64 {
	top := max(v.Load, v.Line)
	for _, p := range all {
		if p != nil {
			top = max(top, p.Hottest)
		}
	}
	return top
}

// barRow is the hottest shard under one table, with the line that it must not cross.
func barRow(name string, load float64, v *policy.Verdict, top float64, note string) row {
	n := int(load/top*barRoom + 0.5)
	line := min(barRoom-1, int(v.Line/top*barRoom+0.5))
	var bar strings.Builder
	for i := range barRoom {
		switch {
		case i == line && i >= n:
			bar.WriteString("┊")
		case i < n:
			bar.WriteString("█")
		default:
			bar.WriteString(" ")
		}
	}
	look := ofClass(2)
	if load > v.Line {
		look = ofClass(4)
	}
	value := draw.Number(load) + "/s"
	if v.Capacity > 0 {
		value = draw.Percent(load / v.Capacity)
	}
	r := row{{pad("  "+name, barName+2), plain}, {bar.String(), look}, {" " + pad(value, 6), plain}}
	return r.add(bold, " ", note)
}
