package record

import (
	"bytes"
	"math"
	"strconv"
)

// parseNumber reads a decimal number: optional sign, digits with an optional point, optional exponent; or NaN, Inf and
// Infinity in any case, which are numbers that each field refuses in its own way. Anything else (hexadecimal,
// underscores, units) is not a number. Spaces around it are ignored. The result is the nearest float64, with ±Inf for
// what lies beyond.
func parseNumber(b []byte) (f float64, ok bool) {
	if whole, ok := wholeOf(b); ok {
		return float64(whole), true
	}
	b = bytes.TrimSpace(b)
	if !decimal(b) {
		return special(b)
	}
	if f, ok = parseShort(b); ok {
		return f, true
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil || math.IsInf(f, 0)
}

// parseShort reads a number of at most 15 digits without an exponent, where the digits and the power of ten are exact
// in a float64 and one division rounds correctly. b is decimal.
func parseShort(b []byte) (f float64, ok bool) {
	var mantissa uint64
	digits, negative := 0, false
	scale, point := 1.0, false
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			mantissa = mantissa*10 + uint64(c-'0')
			digits++
			if point {
				scale *= 10
			}
		case c == '.':
			point = true
		case i == 0:
			negative = c == '-'
		default:
			return 0, false // an exponent
		}
	}
	if digits > 15 {
		return 0, false
	}
	f = float64(mantissa) / scale
	if negative {
		f = -f
	}
	return f, true
}

// decimal tells whether b is [+-]? (digits [. digits*]? | . digits) ([eE] [+-]? digits)?.
func decimal(b []byte) bool {
	b = skipSign(b)
	whole := digitRun(b)
	b = b[whole:]
	part := 0
	if len(b) > 0 && b[0] == '.' {
		part = digitRun(b[1:])
		b = b[1+part:]
	}
	if whole+part == 0 {
		return false
	}
	if len(b) == 0 {
		return true
	}
	if b[0] != 'e' && b[0] != 'E' {
		return false
	}
	b = skipSign(b[1:])
	return len(b) > 0 && digitRun(b) == len(b)
}

// skipSign returns b without one leading sign.
func skipSign(b []byte) []byte {
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		return b[1:]
	}
	return b
}

// digitRun returns how many digits b starts with.
func digitRun(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
}

// special reads NaN and the infinities.
func special(b []byte) (f float64, ok bool) {
	if len(b) == 0 || len(b) > len("+infinity") {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(math.IsNaN(f) || math.IsInf(f, 0)) {
		return 0, false
	}
	return f, true
}
