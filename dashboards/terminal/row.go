package terminal

import (
	"strconv"
	"strings"
	"unicode"

	"firebreak/dashboards/draw"
)

// style is how a piece of a row looks; the classes of a load are styles from classStyle on.
type style uint8

const (
	plain style = iota
	bold
	faint
	classStyle // idle
)

// ofClass is the style of a class of draw.Scale.
func ofClass(class int) style { return classStyle + style(class) }

// span is a piece of a row. Its text has no control characters.
type span struct {
	text string
	look style
}

type row []span

// words is a row of plain words.
func words(parts ...string) row { return row{{strings.Join(parts, ""), plain}} }

func (r row) add(look style, parts ...string) row {
	return append(r, span{strings.Join(parts, ""), look})
}

// append writes a row, cut to the width of the screen.
func (s Screen) append(out []byte, r row) []byte {
	left := s.Width
	for _, p := range r {
		text := fit(p.text, left)
		left -= cells(text)
		code := ""
		if s.Colour {
			code = s.code(p.look)
		}
		if code == "" || text == "" {
			out = append(out, text...)
			continue
		}
		out = append(append(append(out, code...), text...), "\x1b[0m"...)
	}
	return out
}

// code switches a style on; empty = none.
func (s Screen) code(look style) string {
	if look == plain {
		return ""
	}
	if look < classStyle {
		return "\x1b[" + strconv.Itoa(int(look)) + "m" // ECMA-48: 1 is bold, 2 is faint
	}
	return "\x1b[38;5;" + strconv.Itoa(colour(int(look-classStyle), s.Light)) + "m"
}

// colour is the colour of a class among the 256 of xterm: those of the report's pages as near as they come, so that lightness
// rises with the load on a dark ground and falls on a light one, and differs by the same sight whoever looks.
func colour(class int, light bool) int {
	dark := [draw.Classes + 1]int{238, 58, 94, 136, 208, 215, 230}
	if light {
		dark = [draw.Classes + 1]int{253, 223, 215, 172, 166, 124, 52}
	}
	return dark[class]
}

// cells is how many columns a text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += wide(r)
	}
	return n
}

// wide is how many columns a character takes: marks none, those of the East and pictures two.
func wide(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r < 0x2000, r >= 0x2e80:
		return 2
	}
	return 1
}

// fit cuts a text to a number of columns, visibly.
func fit(text string, most int) string {
	if cells(text) <= most {
		return text
	}
	if most <= 0 {
		return ""
	}
	n := 0
	for i, r := range text {
		if n += wide(r); n > most-1 {
			return text[:i] + "…"
		}
	}
	return text
}

// pad fills a text up with blanks.
func pad(text string, to int) string {
	return text + strings.Repeat(" ", max(0, to-cells(text)))
}

// wrap breaks a sentence at blanks into lines of at most width columns; a word that is longer stands alone.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && cells(line)+1+cells(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
