package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"firebreak/routing"
)

// Lengths to which names and sentences are cut, in characters.
const (
	MaxName   = 64  // a key, tenant, shard or file
	MaxPhrase = 600 // a sentence
)

// Show writes a key, tenant, shard or file name, which are bytes, for people. A backslash is \\, a byte that is not part
// of valid UTF-8 is \xNN, a character that does not print (controls, bidirectional and zero-width ones, every space but
// the plain one) is \u{hex}: reversible, and no two names look alike by it. What is longer than most characters is cut in
// the middle, with the number of characters left out in its place.
func Show(s string, most int) string {
	return shorten(s, most, func(s string) string { return Printable(routing.Escape(s)) })
}

// Flat writes a sentence of another package that may hold names: bytes that are not UTF-8 become \xNN, what does not
// print \u{hex}, and what is longer than most characters is cut in the middle.
func Flat(s string, most int) string {
	return shorten(s, most, func(s string) string { return Printable(routing.EscapeInvalid(s)) })
}

// shorten escapes and cuts. Of what is very long only the ends are looked at: a character has at most four bytes, and an
// escape is never shorter than what it stands for.
func shorten(s string, most int, escape func(string) string) string {
	if limit := 8 * most; len(s) > limit {
		return cut(escape(s[:limit/2]), escape(s[len(s)-limit/2:]), len(s)-limit, most)
	}
	return Cut(escape(s), most)
}

// Cut shortens text to about most characters by leaving out its middle, visibly.
func Cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return cut(text, text, 0, most)
}

// cut joins the beginning of head and the end of tail; left is what lies between the two already, in bytes.
func cut(head, tail string, left, most int) string {
	h, t := []rune(head), []rune(tail)
	before := max(1, most*2/3-4)
	after := max(1, most-before-8)
	before, after = min(before, len(h)), min(after, len(t))
	missing := len(h) - before - after
	if left > 0 {
		missing = left + len(h) - before + len(t) - after
	}
	return string(h[:before]) + fmt.Sprintf("[…%s…]", Number(float64(missing))) + string(t[len(t)-after:])
}

// Printable writes what would not print, of text that is valid UTF-8, as \u{hex}: line breaks, terminal controls, and what fonts draw nothing for.
func Printable(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hidden says of a character that it has no shape of its own: it does not print, or fonts draw nothing for it.
func hidden(r rune) bool {
	switch {
	case !unicode.IsPrint(r):
		return true
	case r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u2800': // fillers and the blank of Braille
		return true
	case r == '\u034f', r >= '\u180b' && r <= '\u180f', r >= '\ufe00' && r <= '\ufe0f', r >= 0xE0100 && r <= 0xE01EF: // joiners and selectors
		return true
	}
	return false
}

// OneLine joins the lines of an error, which several errors that were joined have.
func OneLine(err error) error {
	return fmt.Errorf("%s", strings.Join(strings.Split(strings.TrimSpace(err.Error()), "\n"), "; "))
}
