package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"firebreak/internal/numerals"
	"firebreak/routing"
)

// clock writes a time since the start of the story: mm:ss, with the hours before it from one on.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

func (n *notebook) rate(v float64) string    { return n.significant(v) + "/s" }
func (n *notebook) percent(v float64) string { return n.significant(100*v) + " %" }

// significant rounds to the run's digits and parts the thousands.
func (n *notebook) significant(v float64) string { return numerals.Significant(v, n.digits) }

// shown writes untrusted bytes: as they are where they print without a space, else quoted and escaped; long ones cut in
// the middle.
func shown(s string) string {
	s = routing.Escape(s)
	if utf8.RuneCountInString(s) > 60 {
		runes := []rune(s)
		s = string(runes[:40]) + "..." + string(runes[len(runes)-12:])
	}
	plain := func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == '"' }
	if s == "" || strings.IndexFunc(s, plain) >= 0 {
		return strconv.QuoteToGraphic(s)
	}
	return s
}

// lettersOf is a text without its numbers, to tell whether another one says the same.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) || r == '.' || r == ',' {
			return -1
		}
		return r
	}, s)
}

// nameless takes ids out of a text, which say nothing in a story: runs of 16 hexadecimal digits.
func nameless(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		if len(w) == 16 && strings.Trim(w, "0123456789abcdef") == "" {
			words[i] = "<id>"
		}
	}
	return strings.Join(words, " ")
}
