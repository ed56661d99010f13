package survey

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"firebreak/internal/numerals"
)

// maxShown is how much of a name a text for people shows, in characters.
const maxShown = 60

// shown writes a name or a value for people: quoted, everything that does not print escaped, the middle of what is long
// left out.
func shown(s string) string {
	if n := utf8.RuneCountInString(s); n > maxShown {
		runes := []rune(s)
		s = string(runes[:maxShown-25]) + " ... " + string(runes[n-18:])
	}
	return strconv.QuoteToGraphic(s)
}

// percent writes a part of a whole.
func percent(part, of int) string { return numerals.PercentOf(part, of) }

// grouped writes a number with thousands separators.
func grouped(n int) string { return numerals.Whole(n) }

// number writes a number of a column, whole ones with thousands separators.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return grouped(int(x))
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// ranged writes from where to where the numbers of a column go.
func ranged(c *column) string {
	if c.min == c.max {
		return "always " + number(c.min)
	}
	return number(c.min) + " to " + number(c.max)
}

// counted writes a number with its noun.
func counted(n int, one, many string) string { return numerals.Counted(n, one, many) }

// clock writes a time to the second.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// spanned writes a duration as people say it.
func spanned(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

// yamlText writes a printable text as a YAML scalar that is read as text: bare where it cannot be anything else.
func yamlText(s string) string {
	if bare(s) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// bare says whether a text is a plain word that YAML takes for nothing but text.
func bare(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		inside := r >= '0' && r <= '9' || r == '.' || r == '-' || r == '/'
		if !letter && (i == 0 || !inside) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "", "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity":
		return false
	}
	return true
}
