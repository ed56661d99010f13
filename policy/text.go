package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"firebreak/routing"
)

// rate writes a load/s for people, as package numerals does: whole from 100 on, thousands parted, three digits that mean something below.
func rate(v float64) string {
	if v < 1e-6 {
		return "0"
	}
	if kept, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 5, 64), 64); err == nil {
		v = kept // by a line of the journal: what is read from there must not round otherwise
	}
	if v >= 100 {
		return thousands(int64(math.Round(v)))
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return strconv.FormatFloat(math.Round(v*scale+1e-9)/scale, 'f', -1, 64)
}

// times writes a multiple for people: with one digit, whole from 20 on.
func times(x float64) string {
	if x >= 20 {
		return thousands(int64(math.Round(x))) + "×"
	}
	return strings.TrimSuffix(strconv.FormatFloat(tenths(x), 'f', 1, 64), ".0") + "×"
}

// plural writes a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return itoa(n) + " " + thing + "s"
}

func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// percent writes a share of 0 to 1, as package numerals does where there is little room. What is next to nothing is no number, and what is
// not quite all is not rounded up to it.
func percent(f float64) string {
	p := 100 * f
	switch {
	case p < 1e-7:
		return "0 %"
	case p < 0.1:
		return "under 0.1 %"
	case p > 99 && p < 100:
		return strconv.FormatFloat(min(tenths(p), 99.9), 'f', 1, 64) + " %"
	case p >= 10 || math.Abs(p-math.Round(p)) < 0.05:
		return strconv.FormatFloat(math.Round(p+1e-9), 'f', 0, 64) + " %"
	}
	return strconv.FormatFloat(tenths(p), 'f', 1, 64) + " %"
}

// tenths rounds to one digit behind the point.
func tenths(x float64) float64 { return math.Round(10*x+1e-9) / 10 }

// placementText names a placement for people.
func placementText(p routing.Placement) string {
	if p.Map == routing.Explicit {
		return "explicit: the log names the shard"
	}
	return fmt.Sprintf("%s via %s, %s", p.Bytes, p.Function, p.Map)
}
