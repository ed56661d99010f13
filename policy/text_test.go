package policy

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"firebreak/internal/numerals"
)

// TestTextsRoundAlike: the sentences of a verdict write a load, a share and a multiple as page, report, messages and replay do.
func TestTextsRoundAlike(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, x float64) {
		if own, page := rate(x), numerals.Load(x); own != page && x >= 1e-6 {
			t.Errorf("load %g: the sentence says %s, the page %s", x, own, page)
		}
		if own, page := times(x), numerals.Times(x); own != page {
			t.Errorf("multiple %g: the sentence says %s, the page %s", x, own, page)
		}
		if own, page := percent(x), numerals.PercentShort(x); own != page {
			t.Errorf("share %g: the sentence says %s, the page %s", x, own, page)
		}
	}
	for _, x := range []float64{0, 12026.451, 12026.5, 0.0949, 0.049999, 0.9996, 0.0995, 0.00099, 1.25, 5.28, 5.25, 19.96, 99.97, 123456.5, 1234567.8, 4.225, 0.125} {
		check(t, x)
	}
	rapid.Check(t, func(r *rapid.T) {
		check(r, math.Pow(10, rapid.Float64Range(-5, 9).Draw(r, "power of ten")))
		check(r, math.Round(1000*rapid.Float64Range(0, 2000).Draw(r, "thousandths"))/1000)
	})
}
