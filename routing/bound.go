package routing

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// parseBound reads a decimal number of f's range as a position: see hasher.position.
func parseBound(f Function, text string) (wide, error) {
	digits, negative := strings.CutPrefix(text, "-")
	w, ok := parseWide(digits)
	if !ok {
		return wide{}, fmt.Errorf("%q is not a decimal number of at most 128 bits", text)
	}
	low, high := boundRange(f)
	if f == CassandraMurmur3 {
		if w.hi != 0 || (negative && (w.lo > 1<<63 || w.lo == 0)) || (!negative && w.lo > math.MaxInt64) {
			return wide{}, fmt.Errorf("%s is outside %s to %s, the range of %s", text, low, high, f)
		}
		if negative {
			w.lo = -w.lo
		}
		w.lo ^= 1 << 63
		return w, nil
	}
	limit, _ := parseWide(high)
	if negative || limit.less(w) {
		return wide{}, fmt.Errorf("%s is outside %s to %s, the range of %s", text, low, high, f)
	}
	return w, nil
}

// boundRange names the least and the greatest value of f in decimal.
func boundRange(f Function) (low, high string) {
	switch f {
	case MD5:
		return "0", "340282366920938463463374607431768211455"
	case CRC32:
		return "0", "4294967295"
	case RedisSlot:
		return "0", "16383"
	case KafkaMurmur2:
		return "0", "2147483647"
	case CassandraMurmur3:
		return "-9223372036854775808", "9223372036854775807"
	case XXH64, FNV1a, Jump, Identity, FunctionUnknown:
	}
	return "0", "18446744073709551615"
}

// parseWide reads decimal digits without sign, leading zero or overflow.
func parseWide(s string) (wide, bool) {
	if s == "" || len(s) > 39 || (s[0] == '0' && len(s) > 1) {
		return wide{}, false
	}
	var w wide
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return wide{}, false
		}
		carry, lo := bits.Mul64(w.lo, 10)
		over, hi := bits.Mul64(w.hi, 10)
		lo, c := bits.Add64(lo, uint64(d), 0)
		hi, c2 := bits.Add64(hi, carry, c)
		if over != 0 || c2 != 0 {
			return wide{}, false
		}
		w = wide{hi: hi, lo: lo}
	}
	return w, true
}
