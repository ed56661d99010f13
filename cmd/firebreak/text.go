package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"firebreak/internal/numerals"
)

// table aligns the columns of a text: numbers to the right, words to the left, two spaces before each column. Its zero
// value is an empty table.
type table struct {
	headed bool
	rows   [][]string
}

func (t *table) header(cells ...string) {
	t.headed = true
	t.rows = append(t.rows, cells)
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write appends the table, a line for each row.
func (t *table) write(b *strings.Builder) {
	var widths []int
	var words []bool
	for i, row := range t.rows {
		for c, cell := range row {
			if c == len(widths) {
				widths, words = append(widths, 0), append(words, false)
			}
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			words[c] = words[c] || (i > 0 || !t.headed) && !numeric(cell)
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if words[c] {
				line.WriteString("  " + cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// numeric says whether a cell is a number with its unit, or stands for none.
func numeric(cell string) bool {
	digits := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(cell, "x"), " %"), "/s")
	return cell == "-" || cell == "" || strings.Trim(digits, "0123456789.,e+-") == ""
}

// perSecond, times, percentShort, percent, grouped, whole and fixed are the styles of the text, see package numerals. Loads, multiples and
// shares of a verdict are rounded as the page and the verdict's own sentences have them.
func perSecond(rate float64) string { return numerals.Load(rate) + "/s" }

func times(x float64) string { return numerals.Times(x) }

func percentShort(share float64) string { return numerals.PercentShort(share) }

// percent is of a share that somebody gave, or that is small as a rule.
func percent(share float64) string { return numerals.Percent(share) }

func grouped(x float64) string { return numerals.Short(x) }

func whole(n int) string { return numerals.Whole(n) }

func fixed(x float64, digits int) string { return numerals.Fixed(x, digits) }

func shards(n int) string { return numerals.Counted(n, "shard", "shards") }

// wrapAt is where long lines break, in characters.
const wrapAt = 110

// say writes one labelled paragraph, wrapped and indented.
func say(b *strings.Builder, label, text string) {
	const indent = 16
	line := fmt.Sprintf("  %-*s", indent-2, label)
	width := len(line)
	for _, word := range splitWords(printable(text)) {
		n := utf8.RuneCountInString(word)
		if width+1+n > wrapAt && width > indent {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, width = strings.Repeat(" ", indent), indent
		}
		if width > indent {
			line += " "
			width++
		}
		line += word
		width += n
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// splitWords splits a text at spaces. What stands in quotes is a name and stays whole, with its spaces; \" does not end it.
func splitWords(text string) []string {
	var all []string
	begun, quoted := -1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted && strings.IndexByte(text[i+1:], '"') >= 0
		case c == ' ' && !quoted:
			if begun >= 0 {
				all = append(all, text[begun:i])
			}
			begun = -1
			continue
		}
		if begun < 0 {
			begun = i
		}
	}
	if begun >= 0 {
		all = append(all, text[begun:])
	}
	return all
}
