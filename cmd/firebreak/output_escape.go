package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"firebreak/routing"
)

// appendJSON writes valid UTF-8 as a JSON string in which every character that does not print is escaped, so that a line
// can be shown on any terminal.
func appendJSON(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}

// validText writes every byte that is not part of valid UTF-8 as \xNN and leaves the rest alone.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// maxShown is how much of a name a line for people shows, in characters.
const maxShown = 120

// shownName writes a key or tenant for people: quoted, escaped, cut in the middle of what is very long.
func shownName(s string) string {
	text := printable(routing.Escape(s))
	if runes := []rune(text); len(runes) > maxShown {
		text = string(runes[:maxShown-40]) + " ... " + string(runes[len(runes)-35:])
	}
	return `"` + text + `"`
}

// printable writes what would not print, line breaks and terminal controls above all, as \u{hex}.
func printable(s string) string {
	s = validText(s)
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u{%x}`, r)
	}
	return b.String()
}
