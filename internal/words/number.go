package words

import (
	"strconv"
	"strings"
	"time"

	"firebreak/internal/numerals"
)

// Rate writes a load, in requests/s or cost units/s.
func Rate(load float64) string { return numerals.Load(load) + "/s" }

// Times writes a multiple, see numerals.Times.
func Times(x float64) string { return numerals.Times(x) }

// Percent writes a share of 0 to 1 in per cent as the page has room for, see numerals.PercentShort.
func Percent(share float64) string { return numerals.PercentShort(share) }

// Number writes an amount as the page has room for, see numerals.Short.
func Number(x float64) string { return numerals.Short(x) }

// Count writes a number of things with its noun, whose plural ends in s.
func Count(n int, noun string) string { return numerals.Counted(n, noun, noun+"s") }

// Glue keeps the units of a text of our own with their numbers: the space between them becomes one that does not break.
func Glue(text string) string {
	const breakless = "\u00a0"
	for _, unit := range []string{"%", "s", "min", "h", "d"} {
		parts := strings.Split(text, " "+unit)
		for i := 1; i < len(parts); i++ {
			before, after := parts[i-1], parts[i]
			space := " "
			if before != "" && digit(before[len(before)-1]) && (after == "" || !letter(after[0])) {
				space = breakless
			}
			parts[i] = space + unit + after
		}
		text = strings.Join(parts, "")
	}
	return text
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

// Clock writes a moment in UTC to the second; the zero time is no time.
func Clock(t time.Time) string {
	if t.IsZero() {
		return "no time"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// Hour writes the time of day of a moment in UTC.
func Hour(t time.Time) string { return t.UTC().Format("15:04:05Z") }

// Lasting writes a duration for people, in its two largest units.
func Lasting(d time.Duration) string {
	if d < time.Minute {
		return Number(d.Round(100*time.Millisecond).Seconds()) + " s"
	}
	d = d.Round(time.Second)
	for _, u := range []struct {
		large, small time.Duration
		l, s         string
	}{{24 * time.Hour, time.Hour, "d", "h"}, {time.Hour, time.Minute, "h", "min"}, {time.Minute, time.Second, "min", "s"}} {
		if d < u.large {
			continue
		}
		text := Number(float64(d/u.large)) + " " + u.l
		if rest := d % u.large / u.small; rest > 0 {
			text += " " + strconv.FormatInt(int64(rest), 10) + " " + u.s
		}
		return text
	}
	return "0 s"
}
