package numerals

import (
	"math"
	"strconv"
)

// Percent writes a share of 0 to 1 in per cent, with one digit where it says something. What is not quite all is never
// rounded up to it.
func Percent(share float64) string {
	p := share * 100
	if text, ok := edge(p); ok {
		return text
	}
	if math.Abs(p-math.Round(p)) < 0.05 || p >= 99.95 {
		return Fixed(p, 0) + " %"
	}
	return Fixed(p, 1) + " %"
}

// PercentShort is Percent where there is little room: whole from 10 % on.
func PercentShort(share float64) string {
	p := share * 100
	if text, ok := edge(p); ok {
		return text
	}
	if math.Abs(p) >= 10 || math.Abs(p-math.Round(p)) < 0.05 {
		return Fixed(p, 0) + " %"
	}
	return Fixed(p, 1) + " %"
}

// edge writes what is next to nothing, and next to all.
func edge(p float64) (text string, ok bool) {
	switch {
	case p != 0 && math.Abs(p) < 0.1:
		return strconv.FormatFloat(p, 'g', 2, 64) + " %", true
	case p > 99 && p < 100:
		return Fixed(min(p, 99.9), 1) + " %", true
	}
	return "", false
}

// PercentOf writes a number of a total in per cent, whole from 1 % on. Only all of it is 100 %.
func PercentOf(part, of int) string {
	p := 100 * float64(part) / float64(max(1, of))
	switch {
	case part == of:
		return "100 %"
	case p > 99:
		return Fixed(min(p, 99.9), 1) + " %"
	case p >= 1 || part == 0:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(p, 'g', 2, 64) + " %"
}
