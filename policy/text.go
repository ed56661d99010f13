package policy

import (
	"fmt"
	"math"
	"strconv"

	"firebreak/routing"
)

// rate writes a load/s for people: at most four digits that mean something,
// thousands parted.
func rate(v float64) string {
	if v < 1e-6 {
		return "0"
	}
	if v >= 100 {
		return thousands(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
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

// percent writes a share of 0 to 1. What is next to nothing is no number.
func percent(f float64) string {
	p := 100 * f
	if p >= 1e-7 && p < 0.1 {
		return "under 0.1 %"
	}
	if p < 1e-7 {
		p = 0
	}
	if p < 10 && p != math.Trunc(p) {
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + " %"
}

// placementText names a placement for people.
func placementText(p routing.Placement) string {
	if p.Map == routing.Explicit {
		return "explicit: the log names the shard"
	}
	return fmt.Sprintf("%s via %s, %s", p.Bytes, p.Function, p.Map)
}
