package numerals

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestStyles: each style at its edges.
func TestStyles(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Fixed(2.5, 0), "3"},
		{Fixed(-2.5, 0), "-3"},
		{Fixed(1.005, 2), "1.01"}, // a half in decimals, a little less in binary
		{Fixed(1e300, 1), strconv.FormatFloat(1e300, 'f', 1, 64)},
		{Parted("1234567.25"), "1,234,567.25"},
		{Parted("-123"), "-123"},
		{Parted("-1234"), "-1,234"},
		{Whole(999), "999"},
		{Whole(-1000), "-1,000"},
		{Counted(1, "key", "keys"), "1 key"},
		{Counted(1200, "key", "keys"), "1,200 keys"},
		{Load(0), "0"},
		{Load(0.12345), "0.123"},
		{Load(17.25), "17.3"},
		{Load(20), "20"},
		{Load(99.97), "100"},
		{Load(12026.451), "12,027"}, // 12026.5 in the journal
		{Load(1234567.8), "1,234,570"},
		{Times(1), "1×"},
		{Times(5.28), "5.3×"},
		{Times(1234.5), "1,235×"},
		{Short(0.00041), "0.00041"},
		{Short(0.00999999), "0.01"},
		{Short(5.6499), "5.65"},
		{Short(999.6), "1,000"},
		{Short(math.Inf(1)), "–"},
		{Significant(0, 2), "0"},
		{Significant(12345, 2), "12,000"},
		{Significant(0.01251, 2), "0.013"},
		{Significant(9.96, 2), "10"},
		{Significant(math.NaN(), 2), "NaN"},
		{Percent(0.5), "50 %"},
		{Percent(0.7549), "75.5 %"},
		{Percent(0.0001234), "0.012 %"},
		{Percent(0.00005), "under 0.01 %"},
		{Percent(0.0001), "0.01 %"},
		{Percent(1e-10), "0 %"},
		{Percent(math.NaN()), "NaN %"},
		{Percent(0.9999), "99.9 %"},
		{Percent(1.65), "165 %"},
		{PercentShort(0.7549), "75 %"},
		{PercentShort(0.0754), "7.5 %"},
		{PercentShort(0.99999), "99.9 %"},
		{PercentShort(1), "100 %"},
		{PercentOf(0, 0), "100 %"},
		{PercentOf(0, 7), "0 %"},
		{PercentOf(1, 3), "33 %"},
		{PercentOf(1, 3000), "0.033 %"},
		{PercentOf(2999, 3000), "99.9 %"},
		{PercentOf(7, 7), "100 %"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestReadBack: whatever the number, without its commas each style is a number that is near it.
func TestReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e9, 1e9).Draw(t, "x")
		for style, text := range map[string]string{"fixed": Fixed(x, 3), "load": Load(x), "short": Short(x), "significant": Significant(x, 3)} {
			back, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
			if err != nil || math.Abs(back-x) > max(0.006*math.Abs(x), 0.051) {
				t.Errorf("%s writes %g as %q (%v)", style, x, text, err)
			}
			if group := strings.Split(strings.TrimLeft(text, "-"), ","); len(group[0]) > 3 && !strings.Contains(group[0], ".") {
				t.Errorf("%s: %q is not parted", style, text)
			}
		}
	})
}

// TestShares: a share at each of its edges, as a page and as a text write it.
func TestShares(t *testing.T) {
	for share, want := range map[float64][2]string{
		0: {"0 %", "0 %"}, 1e-35: {"0 %", "0 %"}, 1e-8: {"under 0.1 %", "under 0.01 %"}, 0.0004: {"under 0.1 %", "0.04 %"}, 0.001: {"0.1 %", "0.1 %"},
		0.5: {"50 %", "50 %"}, 0.99999: {"99.9 %", "99.9 %"}, 1: {"100 %", "100 %"},
	} {
		if got := [2]string{PercentShort(share), Percent(share)}; got != want {
			t.Errorf("%g: got %q, want %q", share, got, want)
		}
	}
}

// TestNoExponents: no share is written with an exponent, and only what is nothing to anybody as 0 %.
func TestNoExponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := math.Pow(10, rapid.Float64Range(-300, 0).Draw(t, "power of ten"))
		for _, text := range []string{PercentShort(share), Percent(share), PercentOf(1, int(min(1/share, 1e15)))} {
			if strings.Contains(text, "e") && !strings.HasPrefix(text, "under ") || share > nothing && text == "0 %" {
				t.Errorf("%g is written as %q", share, text)
			}
		}
	})
}

// TestAlmostAll: no share below 1 is written as 100 %.
func TestAlmostAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := 1 - rapid.Float64Range(1e-12, 0.01).Draw(t, "missing")
		for _, text := range []string{Percent(share), PercentShort(share)} {
			if strings.HasPrefix(text, "100") {
				t.Errorf("%g is written as %s", share, text)
			}
		}
	})
}
