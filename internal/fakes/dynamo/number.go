package dynamo

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

const (
	mostDigits = 38 // significant ones
	mostPower  = 125
	leastPower = -130
)

// normal is the one form of a number: no exponent, no zeros that say nothing.
func normal(text string) (string, error) {
	sign, whole, fraction, power, ok := parts(text)
	if !ok {
		return "", invalid("the parameter cannot be converted to a numeric value: " + text)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	power -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	power += len(digits) - len(trimmed)
	if trimmed == "" {
		return "0", nil
	}
	top := len(trimmed) + power - 1 // the power of ten of the first digit
	switch {
	case len(trimmed) > mostDigits:
		return "", invalid("attempting to store more than 38 significant digits in a Number")
	case top > mostPower:
		return "", invalid("number overflow")
	case top < leastPower:
		return "", invalid("number underflow")
	case power >= 0:
		return sign + trimmed + strings.Repeat("0", power), nil
	case top >= 0:
		return sign + trimmed[:top+1] + "." + trimmed[top+1:], nil
	}
	return sign + "0." + strings.Repeat("0", -top-1) + trimmed, nil
}

// parts cuts a number: a sign, digits with a point among them or not, and a power of ten.
func parts(text string) (sign, whole, fraction string, power int, ok bool) {
	mantissa, exponent, powered := strings.Cut(strings.ToLower(text), "e")
	switch {
	case strings.HasPrefix(mantissa, "-"):
		sign, mantissa = "-", mantissa[1:]
	case strings.HasPrefix(mantissa, "+"):
		mantissa = mantissa[1:]
	}
	whole, fraction, _ = strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return sign, whole, fraction, 0, false
	}
	if !powered {
		return sign, whole, fraction, 0, true
	}
	power, err := strconv.Atoi(exponent)
	return sign, whole, fraction, power, err == nil && len(exponent) <= 7
}

// numberSize is in bytes: one for two significant digits, one more, and one for a sign.
func numberSize(text string) int {
	digits := strings.Trim(strings.ReplaceAll(strings.TrimPrefix(text, "-"), ".", ""), "0")
	size := (len(digits)+1)/2 + 1
	if strings.HasPrefix(text, "-") {
		size++
	}
	return size
}

func rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not normal: " + text)
	}
	return r
}

// add is a + b, or a - b.
func add(a, b string, minus bool) (string, error) {
	x, y := rational(a), rational(b)
	if minus {
		y.Neg(y)
	}
	return normal(x.Add(x, y).FloatString(-leastPower))
}

// compare orders two values of one type that has an order; ok is false for all others.
func (v value) compare(o value) (order int, ok bool) {
	if v.kind != o.kind {
		return 0, false
	}
	switch v.kind {
	case "S", "B":
		return cmp.Compare(v.text, o.text), true
	case "N":
		return rational(v.text).Cmp(rational(o.text)), true
	}
	return 0, false
}
