package numerals

import (
	"math"
	"strconv"
)

const (
	// nothing is the share below which nobody means anything: a lower bound of 1e-35 is 0.
	nothing = 1e-9
	// rare and rareShort are the shares, in per cent, below which Percent and PercentShort say only that it is less.
	rare      = 0.01
	rareShort = 0.1
)

// Percent writes a share of 0 to 1 in per cent, with one digit where it says something, below 0.1 % with two. What is not quite all is
// never rounded up to it, and what is next to nothing is no number: "under 0.01 %".
func Percent(share float64) string {
	p := share * 100
	if text, ok := edge(p, rare); ok {
		return text
	}
	if math.Abs(p-math.Round(p)) < 0.05 || p >= 99.95 {
		return Fixed(p, 0) + " %"
	}
	return Fixed(p, 1) + " %"
}

// PercentShort is Percent where there is little room: whole from 10 % on, and "under 0.1 %".
func PercentShort(share float64) string {
	p := share * 100
	if text, ok := edge(p, rareShort); ok {
		return text
	}
	if math.Abs(p) >= 10 || math.Abs(p-math.Round(p)) < 0.05 {
		return Fixed(p, 0) + " %"
	}
	return Fixed(p, 1) + " %"
}

// edge writes what is next to nothing, and next to all, in per cent.
func edge(p, least float64) (text string, ok bool) {
	switch {
	case math.Abs(p) < 100*nothing:
		return "0 %", true
	case p > 0 && p < least:
		return "under " + strconv.FormatFloat(least, 'f', -1, 64) + " %", true
	case math.Abs(p) < 0.1:
		return strconv.FormatFloat(p, 'g', 2, 64) + " %", true
	case p > 99 && p < 100:
		return Fixed(min(p, 99.9), 1) + " %", true
	}
	return "", false
}

// PercentOf writes a number of a total in per cent, whole from 1 % on. Only all of it is 100 %, and only none of it 0 %.
func PercentOf(part, of int) string {
	p := 100 * float64(part) / float64(max(1, of))
	switch {
	case part == of:
		return "100 %"
	case p > 99:
		return Fixed(min(p, 99.9), 1) + " %"
	case p >= 1 || part == 0:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	case p < rare:
		return "under 0.01 %"
	}
	return strconv.FormatFloat(p, 'g', 2, 64) + " %"
}
