package survey

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"firebreak/pipeline/record"
	"firebreak/policy"
)

// write writes the file.
func (p *Proposal) write() {
	out := &page{}
	p.top(out)
	out.entry(0, "fleets:")
	out.entry(2, "- name: "+yamlText(p.Fleet.Name))
	out.blank()
	p.writePlace(out)
	out.blank()
	p.writeSampling(out)
	out.blank()
	p.writeRecord(out)
	p.YAML, p.Decide, p.Checks = out.bytes(), out.decide, out.checks
}

// shortest is the shortest span in which the default windows can find anything: warm-up, `for` and a fast window.
const shortest = 2*time.Minute + 30*time.Second

// top says what was read and how to go on.
func (p *Proposal) top(out *page) {
	p.Format = p.formatName()
	out.note(0, fmt.Sprintf("Proposed by firebreak init from %s (%s); this file reads %s of them.",
		counted(p.Lines, "line", "lines"), p.Format, grouped(p.Read)))
	if p.sample.heavy() {
		p.Fewer = p.sample.Extent()
		out.note(0, "Looked at "+p.Fewer+".")
	}
	if bad := p.refusals(); bad != "" {
		out.note(0, "Refused: "+bad+".")
	}
	m := p.moment()
	p.Whole = m.read == 0 || m.span() < shortest && !p.sample.goesOn()
	out.note(0, "Try it: "+p.Command("FILE"))
	if p.Whole && m.read > 0 {
		out.note(0, fmt.Sprintf("(--whole: the sample spans %s, too short for windows of a minute; leave it out for a longer log.)", spanned(m.span())))
	}
	if p.busy() {
		p.Busy = fmt.Sprintf("the sample is short, not the log: its lines span %s, and the log goes on behind them; add --whole only if all of it is shorter than %.0f s",
			spanned(m.span()), shortest.Seconds())
		out.note(0, "(Without --whole: "+p.Busy+".)")
	}
	for _, text := range p.missing() {
		out.note(0, "Missing: "+text)
	}
	out.blank()
}

// Command is the command that judges a log with the proposal.
func (p *Proposal) Command(file string) string {
	if p.Whole {
		return "firebreak replay --config firebreak.yml --whole " + file
	}
	return "firebreak replay --config firebreak.yml " + file
}

// busy says that the sample is too short for windows of a minute, and that the log need not be: it goes on.
func (p *Proposal) busy() bool {
	m := p.moment()
	return m.read > 0 && m.span() < shortest && p.sample.goesOn()
}

// moment is the time of the log.
func (p *Proposal) moment() moment {
	if c := p.chooser.chosen[roleTime]; c != nil {
		return p.chooser.moments[c.column]
	}
	return moment{}
}

// writePlace writes the placement and its shards. What a log without a shard cannot tell stands in one line.
func (p *Proposal) writePlace(out *page) {
	c := p.chooser
	if shard := c.chosen[roleShard]; shard != nil {
		const entry = "placement: {map: explicit}"
		out.note(4, "The log names the shard, "+shown(shard.column.path)+": "+p.shardWhy(shard.column)+".")
		if shard.score >= sureShard {
			out.entry(4, entry)
			return
		}
		out.decided(4, entry, "is "+shown(shard.column.path)+" the shard of the store? If not: shards: and another placement: here, and no fields.shard")
		return
	}
	by, other := "key", "tenant"
	if c.chosen[roleKey] == nil {
		by, other = "tenant", "key"
	}
	out.note(4, fmt.Sprintf("No column names the shard: it follows from how the store places, which no log tells. By %s is firebreak's default; bytes: %s "+
		"if the store keeps all of one %s together. Functions: xxh64, md5, crc32, redis-slot, kafka-murmur2 and others.", by, other, other))
	if may := c.mayBeShard(); may != nil {
		out.checkNote(4, fmt.Sprintf("%s could be the shard: %s. If it is: placement: {map: explicit} in place of the next two lines, and fields.shard: %s",
			shown(may.path), p.shardWhy(may), yamlText(may.path)))
	}
	out.entry(4, fmt.Sprintf("placement: {bytes: %s, function: xxh64}", by))
	out.decided(4, "shards: "+strconv.Itoa(defaultShards), "how many shards has the store, and is the line above its placement?")
}

// shardWhy says what speaks for a column as the shard.
func (p *Proposal) shardWhy(v *column) string {
	text := fmt.Sprintf("%s in %s", distinctValues(v), counted(v.present, "line", "lines"))
	if share, repeated := p.chooser.kept(v); repeated > 0 {
		text += fmt.Sprintf("; of the lines whose key or tenant comes more than once %.1f %% stay on one", 100*share)
	}
	return text
}

// writeSampling writes how the lines were chosen.
func (p *Proposal) writeSampling(out *page) {
	entry := "sampling: " + p.Fleet.Sampling.String()
	rate := p.chooser.chosen[roleRate]
	switch {
	case p.Fleet.Sampling == policy.SamplingNone:
		out.note(4, fmt.Sprintf("%s is 1 on all of %s: nothing was left out.", shown(rate.column.path), counted(rate.column.present, "line", "lines")))
		out.entry(4, entry)
		return
	case rate != nil:
		out.note(4, fmt.Sprintf("%s is %s: lines were left out. Which ones, the log does not say: independent of each other, or whole traces (by_trace).",
			shown(rate.column.path), ranged(rate.column)))
	case p.oneIn != nil && byTrace(p.oneIn):
		out.note(4, fmt.Sprintf("%s is %s: one trace in so many was logged, as its name says, with all requests of it.", shown(p.oneIn.path), ranged(p.oneIn)))
		out.checked(4, entry, "by_trace if whole traces were chosen, independent if lines were")
		return
	case p.Fleet.Record.Rate < 1:
		out.note(4, fmt.Sprintf("%s is %s on every line: one in so many was logged, see record.rate. Independent of each other, or whole traces (by_trace)?",
			shown(p.oneIn.path), number(p.oneIn.max)))
	default:
		out.note(4, "No column says how many lines were left out. If none: none. If one in 100 was logged: independent or by_trace here, and rate: 0.01 under record.")
	}
	out.checked(4, entry, "none, independent or by_trace")
}

// writeRecord writes how a line is read.
func (p *Proposal) writeRecord(out *page) {
	rec := &p.Fleet.Record
	out.entry(4, "record:")
	out.note(6, p.formatWhy())
	if rec.Preset != "" {
		out.entry(6, "preset: "+rec.Preset)
	}
	if rec.Format != "" {
		out.entry(6, "format: "+rec.Format)
	}
	if rec.NoHeader {
		out.entry(6, "no_header: true")
	}
	p.writeFields(out)
	p.writeUnits(out)
	p.writeOps(out)
	p.writeUnmapped(out)
}

// writeFields writes each field with what speaks for it. Those of the preset are comments.
func (p *Proposal) writeFields(out *page) {
	indent, open := 6, false
	for pass := range 2 {
		for r, field := range p.fields() {
			choice := p.chooser.chosen[r]
			if choice == nil || choice.preset != (pass == 0) {
				continue
			}
			if !choice.preset && !open {
				out.entry(6, "fields:")
				indent, open = 8, true
			}
			why := p.why(choice)
			if choice.preset {
				out.note(6, fmt.Sprintf("%s is %s: %s", choice.role, shown(choice.column.path), why))
				continue
			}
			out.note(indent, why)
			if guess := p.guess(choice); guess != "" {
				out.checked(indent, role(r).String()+": "+fieldText(field), guess)
			} else {
				out.entry(indent, role(r).String()+": "+fieldText(field))
			}
		}
	}
}

// fieldText writes a field as YAML.
func fieldText(f *record.Field) string {
	if f.Regex == "" && len(f.Or) == 0 {
		return yamlText(f.Path)
	}
	parts := []string{"path: " + yamlText(f.Path)}
	if len(f.Or) > 0 {
		parts = append(parts, "or: "+yamlList(f.Or))
	}
	if f.Regex != "" {
		parts = append(parts, "regex: "+yamlText(f.Regex))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// yamlList writes a list of texts.
func yamlList(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = yamlText(t)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
