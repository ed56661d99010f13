package draw

import (
	"time"

	"firebreak/internal/words"
)

// Rate writes a load, in requests/s or cost units/s.
func Rate(load float64) string { return words.Rate(load) }

// Times writes a multiple.
func Times(x float64) string { return words.Times(x) }

// Percent writes a share of 0 to 1 in per cent as the page has room for.
func Percent(share float64) string { return words.Percent(share) }

// Number writes an amount as the page has room for.
func Number(x float64) string { return words.Number(x) }

// Count writes a number of things with its noun, whose plural ends in s.
func Count(n int, noun string) string { return words.Count(n, noun) }

// Glue keeps the units of a text of our own with their numbers, see words.Glue.
func Glue(text string) string { return words.Glue(text) }

// Clock writes a moment in UTC to the second; the zero time is no time.
func Clock(t time.Time) string { return words.Clock(t) }

// Hour writes the time of day of a moment in UTC.
func Hour(t time.Time) string { return words.Hour(t) }

// Span writes a duration for people, in its two largest units.
func Span(d time.Duration) string { return words.Lasting(d) }
