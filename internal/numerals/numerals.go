// Package numerals writes numbers for people: rounding half away from zero, thousands parted by commas, and the few styles
// that texts, pages and stories use. It reads nothing and decides nothing; any package outside the core may call it. Package
// policy words its own sentences by itself, since it may import nothing of this.
package numerals

import (
	"math"
	"strconv"
	"strings"
)

// nudge is what rounding forgives: what is a half but for the binary form of a decimal goes up.
const nudge = 1e-9

// Fixed writes x with so many digits behind the point, rounded half away from zero, as people do.
func Fixed(x float64, digits int) string {
	scale := math.Pow(10, float64(digits))
	if scaled := x * scale; math.Abs(scaled) < 1e15 {
		x = math.Round(scaled+math.Copysign(nudge, scaled)) / scale
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// Parted puts commas between the thousands of a decimal number.
func Parted(number string) string {
	point := strings.IndexByte(number+".", '.')
	for i := point - 3; i > 0 && number[i-1] != '-'; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}

// Whole writes a whole number, thousands parted.
func Whole(n int) string { return Parted(strconv.Itoa(n)) }

// Counted writes a number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Whole(n) + " " + many
}

// Load writes a load as Short does, by the six digits that a line of the journal keeps of it: what was measured and what is read back
// from there read alike.
func Load(x float64) string {
	kept, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 5, 64), 64)
	if err != nil {
		return Short(x)
	}
	return Short(kept)
}

// Times writes a multiple, with one digit where it says something, whole from 20 on.
func Times(x float64) string {
	if x >= 20 {
		return Short(math.Round(x)) + "×"
	}
	return strings.TrimSuffix(Fixed(x, 1), ".0") + "×"
}

// Short writes an amount where there is little room: three digits that mean something below 100, none that say nothing. What
// is no number is a dash.
func Short(x float64) string {
	digits := 0
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case math.Abs(x) >= 100 || x == math.Trunc(x):
	case math.Abs(x) >= 10:
		digits = 1
	case math.Abs(x) >= 1:
		digits = 2
	default:
		digits = 2 - int(math.Floor(math.Log10(max(math.Abs(x), 1e-6))))
	}
	text := Fixed(x, digits)
	if digits > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return Parted(text)
}

// Significant writes x with so many digits that mean something, 1 or more, and no zeros that do not. Zero and what is no
// finite number are written as they are.
func Significant(x float64, digits int) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	// By way of the decimal form, because 10 to a power is not always exact.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x*(1+nudge), 'e', digits-1, 64), 64)
	if err != nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return Parted(strconv.FormatFloat(rounded, 'f', -1, 64))
}
