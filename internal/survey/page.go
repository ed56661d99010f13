package survey

import (
	"strings"
	"unicode/utf8"
)

// page writes a YAML file with a comment above each entry, and knows which of its lines are marked.
type page struct {
	lines  []string
	decide *Mark
	checks []Mark
}

// pageWidth is where comments are wrapped, in characters.
const pageWidth = 118

// note writes a comment, wrapped. Its text must print: see shown.
func (p *page) note(indent int, text string) {
	start := strings.Repeat(" ", indent) + "#"
	line := start
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > pageWidth && line != start {
			p.lines = append(p.lines, line)
			line = start
		}
		line += " " + word
	}
	p.lines = append(p.lines, line)
}

// entry writes a line of the configuration.
func (p *page) entry(indent int, text string) {
	p.lines = append(p.lines, strings.Repeat(" ", indent)+text)
}

// decided writes the entry that a person must decide. There is one at most.
func (p *page) decided(indent int, text, what string) {
	p.entry(indent, text+" # DECIDE: "+what)
	p.decide = &Mark{Line: len(p.lines), Entry: text, Text: what}
}

// checked writes an entry that is a guess.
func (p *page) checked(indent int, text, what string) {
	p.entry(indent, text+" # CHECK: "+what)
	p.checks = append(p.checks, Mark{Line: len(p.lines), Entry: text, Text: what})
}

// checkNote writes a comment that a person should read.
func (p *page) checkNote(indent int, text string) {
	p.checks = append(p.checks, Mark{Line: len(p.lines) + 1, Text: text})
	p.note(indent, "CHECK: "+text)
}

func (p *page) blank() { p.lines = append(p.lines, "") }

func (p *page) bytes() []byte { return []byte(strings.Join(p.lines, "\n") + "\n") }
