package survey

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"firebreak/pipeline/record"
)

// formatName is the format as people say it.
func (p *Proposal) formatName() string {
	name := map[string]string{formatJSON: "JSON lines", formatCombined: "combined access log", formatLogfmt: "logfmt", formatCSV: "csv", formatTSV: "tsv"}[p.form.format]
	switch {
	case p.form.width == 1:
		return "one word a line"
	case p.form.noHeader:
		return name + " without a header"
	case p.form.width > 0:
		return name + " with a header"
	}
	return name
}

// formatWhy says what speaks for the format and the preset.
func (p *Proposal) formatWhy() string {
	f := &p.form
	text := fmt.Sprintf("%s of %s are %s", grouped(f.lines), counted(p.sample.size(), "line", "lines"), p.Format)
	if f.width == 1 {
		text = fmt.Sprintf("%s of %s are one word each: a single column, without a name", grouped(f.lines), counted(p.sample.size(), "line", "lines"))
	}
	if f.width > 1 {
		text = fmt.Sprintf("%s of %s have %d columns", grouped(f.lines), counted(p.sample.size(), "line", "lines"), f.width)
		if f.noHeader {
			text += "; the first one is a record, so columns are numbers"
		} else {
			text += "; the first one names them"
		}
	}
	if p.preset != nil {
		text += fmt.Sprintf("; the names are those of %s", p.preset.name)
	}
	return text + "."
}

// why says what speaks for a field.
func (p *Proposal) why(c *choice) string {
	switch c.role {
	case roleTime:
		m := p.chooser.moments[c.column]
		order := "in order"
		if m.backward > 0 {
			order = fmt.Sprintf("%s back in time", counted(m.backward, "step", "steps"))
		}
		return fmt.Sprintf("%s, %s to %s, %s.", m.written(), clock(m.first), clock(m.last), order)
	case roleCount, roleRate, roleBytes, roleLatency:
		return fmt.Sprintf("%s in %s, %s.", ranged(c.column), counted(c.column.present, "line", "lines"), distinctValues(c.column))
	case roleOp, roleStatus:
		return fmt.Sprintf("%s in %s: %s.", distinctValues(c.column), counted(c.column.present, "line", "lines"), topValues(c.column))
	case roleTenant, roleKey, roleShard, roleCaller:
	}
	seen := p.seen[c.role]
	text := fmt.Sprintf("%s in %s; %s has %s of the lines.", distinctValues(seen), counted(seen.present, "line", "lines"), shown(seen.top), percent(seen.topCount, p.Read))
	if c.note != "" {
		text = "Taken from " + c.note + ": " + text
	}
	return text
}

func distinctValues(c *column) string {
	return counted(c.distinct(), "distinct value", "distinct values")
}

// topValues lists the four commonest values.
func topValues(c *column) string {
	words := slices.SortedFunc(maps.Keys(c.counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, w := range words[:min(len(words), 4)] {
		out = append(out, shown(w)+" "+percent(c.counts[w], c.present))
	}
	if len(words) > 4 {
		return strings.Join(out, ", ") + " and " + counted(len(words)-4, "other", "others")
	}
	return strings.Join(out, ", ")
}

// guess says of a choice that no name made it; empty = one did.
func (p *Proposal) guess(c *choice) string {
	switch {
	case c.role == roleTenant && c.regex != "":
		return "is this part of the key the tenant?"
	case c.score > byValues || c.role == roleTime:
		return ""
	case c.role == roleKey:
		return "chosen for its many values, no name says so"
	case c.role == roleTenant:
		return "chosen for its few values that go with the key, no name says so"
	}
	return "chosen for its values, no name says so"
}

// refusals says why lines give no record, with the first line of each reason; empty = all do.
func (p *Proposal) refusals() string {
	var out []string
	add := func(reason record.Reason, numbers []int) {
		if len(numbers) > 0 && reason.Refusal() {
			out = append(out, fmt.Sprintf("%s %s (line %d)", grouped(len(numbers)), reason, numbers[0]))
		}
	}
	for _, reason := range record.Reasons() {
		numbers := slices.Clone(p.reasons[reason])
		for i := range p.sample.parts {
			for _, l := range p.sample.parts[i].refused {
				if l.reason == reason {
					numbers = append(numbers, l.number)
				}
			}
		}
		add(reason, numbers)
	}
	for i := range p.sample.parts {
		if broken := p.sample.parts[i].broken; broken != nil {
			out = append(out, fmt.Sprintf("%s breaks off: %v", p.sample.parts[i].name, broken))
		}
	}
	return strings.Join(out, ", ")
}

// missing says what the log does not have and what cannot be known without it.
func (p *Proposal) missing() []string {
	var out []string
	for _, lack := range []struct {
		role role
		text string
	}{
		{roleTime, "no time: a file is judged as one window, loads are shares and not rates."},
		{roleKey, "no key: a hot key cannot be found."},
		{roleTenant, "no tenant: a whale cannot be ruled out."},
		{roleOp, "no op: reads and writes are not told apart, nor a cache from a salt."},
	} {
		if p.chooser.chosen[lack.role] == nil {
			out = append(out, lack.text)
		}
	}
	return out
}

// described lists the columns that were looked at.
func (c *chooser) described() string {
	var out []string
	for _, column := range c.columns[:min(len(c.columns), 12)] {
		out = append(out, fmt.Sprintf("%s (%s)", shown(column.path), distinctValues(column)))
	}
	if len(out) == 0 {
		return "there is none that can be mapped"
	}
	return strings.Join(out, ", ")
}

// clicks lists the heavy keys that are read by their op and whose own name says that they write: a click, a vote, a
// counter. They have at least a fiftieth of the lines.
func (c *chooser) clicks(key, op *column) []string {
	counts := map[string]int{}
	for i, k := range key.values {
		k, _, _ = strings.Cut(k, "?")
		if k != "" && c.lexicon.meaning(op.values[i]).op == record.OpRead {
			counts[k]++
		}
	}
	matches := writesName()
	var out []string
	for k, n := range counts {
		if n*50 >= c.lines && nameable(k) && matches.MatchString(k) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), 3)]
}
