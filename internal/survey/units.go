package survey

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"firebreak/pipeline/record"
)

// writeUnits writes what says how values are written.
func (p *Proposal) writeUnits(out *page) {
	rec := &p.Fleet.Record
	if rec.Time != (record.TimeConfig{}) {
		p.writeTime(out, rec.Time)
	}
	if rec.LatencyUnit != "" {
		c := p.chooser.chosen[roleLatency].column
		out.note(6, fmt.Sprintf("%s is %s.", shown(c.path), ranged(c)))
		if c.name.unit != "" {
			out.entry(6, "latency_unit: "+rec.LatencyUnit)
		} else {
			out.checked(6, "latency_unit: "+rec.LatencyUnit, "no name says the unit; it matters only where cost is latency")
		}
	}
	if len(rec.Absent) > 0 {
		out.note(6, "Words that stand for no value.")
		out.entry(6, "absent: "+yamlList(rec.Absent))
	}
	if rec.StripQuery != nil {
		key := p.chooser.chosen[roleKey].column
		out.note(6, fmt.Sprintf("%s of the keys carry a query; without it, requests of one page are one key.", percent(queries(key), key.present)))
		out.entry(6, "strip_query: true")
	}
	switch {
	case p.oneIn != nil && rec.Rate < 1:
		out.note(6, fmt.Sprintf("%s is %s on every line; a rate is the probability, one over it.", shown(p.oneIn.path), number(p.oneIn.max)))
		out.entry(6, "rate: "+strconv.FormatFloat(rec.Rate, 'g', -1, 64))
	case p.oneIn != nil && rec.Fields.Count.Path != p.oneIn.path:
		out.checkNote(6, fmt.Sprintf("%s says one in so many (%s), where firebreak reads a probability, and %s counts already: it is not mapped, and loads are "+
			"too low by it. Log 1/N, or the product of both.", shown(p.oneIn.path), ranged(p.oneIn), shown(rec.Fields.Count.Path)))
	case p.oneIn != nil:
		out.checkNote(6, fmt.Sprintf("%s says one in so many (%s), where firebreak reads a probability. It is mapped as the count: loads come out right, "+
			"their bounds too narrow. Log 1/N for bounds that hold.", shown(p.oneIn.path), ranged(p.oneIn)))
	}
}

// writeTime writes how the time is written.
func (p *Proposal) writeTime(out *page, tc record.TimeConfig) {
	m := p.moment()
	entry := "time: {unit: " + tc.Unit + "}"
	if tc.Layout != "" {
		entry = "time: {layout: " + yamlText(tc.Layout) + "}"
	}
	switch {
	case m.ambiguous:
		out.checked(6, entry, "is the month first, or the day ("+dayFirst+")?")
	case m.zoneless:
		out.checked(6, entry, "no zone is logged: UTC, or zone: Europe/Paris")
	default:
		out.entry(6, entry)
	}
}

// writeOps writes the op table, every word of it.
func (p *Proposal) writeOps(out *page) {
	op := p.chooser.chosen[roleOp]
	if op == nil {
		return
	}
	rules := p.Fleet.Record.Ops
	if len(rules) == 0 {
		out.checkNote(6, fmt.Sprintf("%s has %s different words, too many for a table; those that firebreak does not know are neither read nor write.",
			shown(op.column.path), grouped(op.column.distinct())))
		return
	}
	out.note(6, fmt.Sprintf("%s in %s; the first rule that holds wins. Reads and writes want different fixes: a cache, or a salt.",
		counted(len(p.words), "word", "words"), counted(op.column.present, "line", "lines")))
	p.writeClicks(out)
	out.entry(6, "ops:")
	for _, rule := range rules {
		lines := linesOf(rule, p.words)
		entry, what := "- {value: "+yamlText(rule.Value)+", op: "+rule.Op+"}", percent(lines, op.column.present)
		if rule.Pattern != "" {
			entry = "- {pattern: " + yamlText(rule.Pattern) + ", op: " + rule.Op + "}"
		}
		if rule.Op == record.OpUnknown.String() && lines*20 >= op.column.present {
			out.checked(8, entry, what+" of the lines: read or write?")
		} else {
			out.entry(8, entry+" # "+what)
		}
	}
}

// writeClicks names the heavy keys that are fetched and whose name says that they write.
func (p *Proposal) writeClicks(out *page) {
	key, op := p.chooser.chosen[roleKey], p.chooser.chosen[roleOp]
	if key == nil {
		return
	}
	for _, k := range p.chooser.clicks(key.column, op.column) {
		out.checkNote(6, fmt.Sprintf("%s is fetched, but its name says that it writes. If so, this rule first: - {on: key, value: %s, op: write}", shown(k), yamlText(k)))
	}
}

// writeUnmapped lists what is not read, and warns of what looks like a count or a sampling rate.
func (p *Proposal) writeUnmapped(out *page) {
	c := p.chooser
	var rest, empty []string
	for _, column := range c.columns {
		_, taken := c.taken[column]
		switch {
		case taken || column == p.oneIn:
		case column.present == 0:
			empty = append(empty, shown(column.path))
		default:
			rest = append(rest, shown(column.path))
			if what := c.suspect(column); what != "" {
				out.checkNote(6, what)
			}
		}
	}
	if len(rest) > 0 {
		out.note(6, "Not mapped: "+strings.Join(rest, ", ")+".")
	}
	if len(empty) > 0 {
		out.note(6, "Always empty: "+strings.Join(empty, ", ")+".")
	}
	for _, name := range c.names.skipped {
		out.note(6, "Cannot be mapped for its name (empty, there twice, too long, or not printable): "+shown(name)+".")
	}
	if c.names.more {
		out.checkNote(6, fmt.Sprintf("there are more than %d columns; only the first were looked at", maxColumns))
	}
}

// suspect says of an unmapped column that it looks like a count or a rate; empty = it does not.
func (c *chooser) suspect(v *column) string {
	constant := v.distinct() < 2
	if !v.nearly(v.numbers, 0.95) || constant && v.max == 1 {
		return ""
	}
	sampled := strings.Contains(strings.Join(v.name.own, ""), "sampl")
	if (sampled || c.dict.score(roleRate, &v.name) > 0) && v.nearly(v.positive, 1) {
		if v.min >= 1 && v.max > 1 {
			return fmt.Sprintf("%s looks like one in so many (%s) and is not mapped; if so few lines were logged: rate: 1/N under record", shown(v.path), ranged(v))
		}
		return fmt.Sprintf("%s looks like a sampling rate (%s) and is not mapped; if it is the probability with which a line is logged: fields.rate",
			shown(v.path), ranged(v))
	}
	if constant || c.dict.score(roleCount, &v.name) == 0 || v.whole < v.numbers || math.Abs(v.max) >= 1<<32 {
		return ""
	}
	text := fmt.Sprintf("%s looks like a count (%s) and is not mapped; if a line stands for so many requests: fields.count", shown(v.path), ranged(v))
	if v.zeros > 0 {
		text += fmt.Sprintf(". It is 0 on %s, which no count can be", counted(v.zeros, "line", "lines"))
	}
	return text
}
