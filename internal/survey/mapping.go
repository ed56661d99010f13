package survey

import (
	"regexp"
	"slices"
	"strings"

	"firebreak/pipeline/record"
)

// record makes the record part of the choices.
func (p *Proposal) record() {
	rec := &p.Fleet.Record
	if p.preset != nil {
		rec.Preset = p.preset.name
	}
	if p.preset == nil || p.form.format != p.preset.formats[0] {
		rec.Format, rec.NoHeader = p.form.format, p.form.noHeader
	}
	for r, field := range p.fields() {
		choice := p.chooser.chosen[r]
		if choice == nil || choice.preset {
			continue
		}
		field.Path, field.Regex = choice.column.path, choice.regex
		for _, c := range choice.or {
			field.Or = append(field.Or, c.path)
		}
	}
	p.timeOf(rec)
	p.latencyOf(rec)
	p.absentOf(rec)
	p.rateOf(rec)
	if key := p.chooser.chosen[roleKey]; key != nil && !key.preset && queries(key.column)*100 >= p.Lines {
		strip := true
		rec.StripQuery = &strip
	}
	if op := p.chooser.chosen[roleOp]; op != nil {
		p.words, rec.Ops = p.chooser.lexicon.table(op.column)
	}
}

// fields are the places of the record part by role.
func (p *Proposal) fields() [roles]*record.Field {
	f := &p.Fleet.Record.Fields
	return [...]*record.Field{
		roleTime: &f.Time, roleTenant: &f.Tenant, roleKey: &f.Key, roleOp: &f.Op, roleCount: &f.Count, roleRate: &f.Rate,
		roleShard: &f.Shard, roleCaller: &f.Caller, roleBytes: &f.Bytes, roleLatency: &f.Latency, roleStatus: &f.Status,
	}
}

// timeOf says how the time is written, where the preset does not.
func (p *Proposal) timeOf(rec *record.Config) {
	choice := p.chooser.chosen[roleTime]
	if choice == nil {
		return
	}
	m := p.chooser.moments[choice.column]
	if p.preset == nil || m.cfg != p.preset.time {
		rec.Time = m.cfg
	}
}

// latencyOf says the unit of the latency, where the preset does not: by its name, or by whether it has fractions.
func (p *Proposal) latencyOf(rec *record.Config) {
	choice := p.chooser.chosen[roleLatency]
	if choice == nil || choice.preset {
		return
	}
	c := choice.column
	switch {
	case c.name.unit != "":
		rec.LatencyUnit = c.name.unit
	case c.whole < c.numbers && c.max < 100:
		rec.LatencyUnit = "s"
	default:
		rec.LatencyUnit = "ms"
	}
}

// absentOf lists the words that stand for no value: in a name if they are common there, in a number always.
func (p *Proposal) absentOf(rec *record.Config) {
	if p.form.format == formatCombined {
		return // its own "-" is absent
	}
	found := map[string]bool{}
	for r, choice := range p.chooser.chosen {
		if choice == nil {
			continue
		}
		name := slices.Contains([]role{roleKey, roleTenant, roleShard, roleCaller, roleOp}, role(r))
		for word, n := range choice.column.dashes {
			found[word] = found[word] || !name || n*100 >= p.Lines
		}
	}
	if p.preset != nil && p.preset.dash {
		delete(found, "-")
	}
	for _, word := range dashWords() {
		if found[word] {
			rec.Absent = append(rec.Absent, word)
		}
	}
	if len(rec.Absent) > 0 && p.preset != nil && p.preset.dash {
		rec.Absent = append([]string{"-"}, rec.Absent...)
	}
}

// rateOf handles a column that says "one in N" where firebreak wants a probability.
func (p *Proposal) rateOf(rec *record.Config) {
	c := p.chooser
	for _, column := range c.columns {
		if _, taken := c.taken[column]; taken || c.chosen[roleRate] != nil || !c.dict.exact(roleRate, &column.name) ||
			!column.nearly(column.positive, 1) || column.min < 1 || column.max <= 1 || column.max > 1e9 {
			continue
		}
		p.oneIn = column
		switch {
		case column.distinct() == 1 && column.present == p.Lines:
			rec.Rate = 1 / column.max
		case c.chosen[roleCount] == nil:
			c.take(roleCount, &choice{column: column})
			rec.Fields.Count.Path = column.path
		}
		return
	}
}

// byTrace says that a column names traces: they were chosen, each with all its requests.
func byTrace(c *column) bool {
	return slices.ContainsFunc(c.name.own, func(w string) bool { return slices.Contains([]string{"trace", "traces", "tracing"}, w) })
}

// queries counts the lines whose key is a path with a query.
func queries(key *column) int {
	n := 0
	for v, lines := range key.counts {
		if strings.Contains(v, "?") && (v[0] == '/' || strings.Contains(v, "://")) {
			n += lines
		}
	}
	return n
}

// requestLine finds a column that holds the request line of HTTP, "GET /path HTTP/1.1": key and op are parts of it.
func (c *chooser) requestLine() {
	whole := regexp.MustCompile(`^[A-Z]+ \S+ HTTP/`)
	for _, column := range c.columns {
		matched := 0
		for v, n := range column.counts {
			if whole.MatchString(v) {
				matched += n
			}
		}
		if _, taken := c.taken[column]; taken || !column.nearly(matched, 0.9) {
			continue
		}
		for r, regex := range map[role]string{roleKey: `^[A-Z]+ ([^ ?]+)`, roleOp: `^([A-Z]+) `} {
			if c.chosen[r] == nil {
				c.take(r, &choice{column: column.part(regexp.MustCompile(regex)), score: 100, regex: regex, note: "a part of the request line"})
			}
		}
		c.taken[column] = roleKey
		return
	}
}

// part is the column of the first group of a regular expression.
func (c *column) part(re *regexp.Regexp) *column {
	out := &column{path: c.path, name: c.name, counts: map[string]int{}, dashes: map[string]int{}}
	for _, v := range c.values {
		part := ""
		if m := re.FindStringSubmatch(v); m != nil {
			part = m[1]
		}
		out.values = append(out.values, part)
		if part != "" {
			out.take(part)
		}
	}
	return out
}
