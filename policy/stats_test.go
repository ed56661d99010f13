package policy

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestPropBounds(t *testing.T) {
	// Computed with scipy 1.17: beta.ppf(alpha, k, n-k+1) and beta.ppf(1-alpha, k+1, n-k).
	tests := []struct{ k, n, alpha, lower, upper float64 }{
		{0, 10, 0.05, 0, 0.258865550893},
		{1, 10, 0.05, 0.00511619689182, 0.394163302437},
		{3, 10, 0.025, 0.0667395111777, 0.65245285006},
		{10, 10, 0.05, 0.741134449107, 1},
		{5, 100, 0.01, 0.012968921327, 0.125851730698},
		{15, 100, 0.000625, 0.0577484830108, 0.294082372144},
		{120, 1000, 0.05, 0.103443120703, 0.138239407396},
		{120, 1000, 0.001, 0.0903679063836, 0.154816863274},
		{300, 5000, 0.0003125, 0.049131186846, 0.0723164430955},
		{0.4, 50, 0.05, 8.24346459442e-06, 0.0722130834524},
		{12.75, 88.5, 0.05, 0.0868710557307, 0.220138224424},
		{49.6, 50, 0.05, 0.927786916548, 0.999991756535},
		{90000, 1000000, 1.953125e-05, 0.0888272106312, 0.0911823161607},
	}
	for _, tt := range tests {
		if got := propLower(tt.k, tt.n, tt.alpha); relErr(got, tt.lower) > 1e-10 {
			t.Errorf("propLower(%g, %g, %g) = %.12g, want %.12g", tt.k, tt.n, tt.alpha, got, tt.lower)
		}
		if got := propUpper(tt.k, tt.n, tt.alpha); relErr(got, tt.upper) > 1e-10 {
			t.Errorf("propUpper(%g, %g, %g) = %.12g, want %.12g", tt.k, tt.n, tt.alpha, got, tt.upper)
		}
	}
}

func TestCountBounds(t *testing.T) {
	// Computed with scipy 1.17: chi2.ppf(alpha, 2k)/2 and chi2.isf(alpha, 2k+2)/2; whole k at 0.025 as in Garwood's table.
	tests := []struct{ k, alpha, lower, upper float64 }{
		{0, 0.05, 0, 2.99573227355},
		{0, 0.025, 0, 3.68887945411},
		{1, 0.025, 0.0253178079843, 5.57164339094},
		{5, 0.025, 1.62348639012, 11.6683320793},
		{10, 0.025, 4.79538869613, 18.390356042},
		{50, 0.025, 37.1109637375, 65.9187666643},
		{100, 0.005, 76.1204958437, 128.76058012},
		{3.5, 0.05, 1.08367495465, 8.45948880231},
		{0.02, 0.05, 5.06866765648e-66, 3.03435317643},
		{1000, 0.000625, 901.074544326, 1106.252147},
		{1000000.0, 0.001, 996912.61732, 1003094.08391},
	}
	for _, tt := range tests {
		if got := countLower(tt.k, tt.alpha); relErr(got, tt.lower) > 1e-10 {
			t.Errorf("countLower(%g, %g) = %.12g, want %.12g", tt.k, tt.alpha, got, tt.lower)
		}
		if got := countUpper(tt.k, tt.alpha); relErr(got, tt.upper) > 1e-10 {
			t.Errorf("countUpper(%g, %g) = %.12g, want %.12g", tt.k, tt.alpha, got, tt.upper)
		}
	}
}

func TestNormalQuantile(t *testing.T) {
	// Computed with mpmath 1.3 (erfc) from scipy 1.17 (norm.ppf).
	tests := []struct{ p, want float64 }{
		{0.5, 0.0},
		{0.05, -1.644853626951473},
		{0.025, -1.959963984540054},
		{0.01, -2.326347874040841},
		{0.001, -3.090232306167814},
		{0.000625, -3.227218425963156},
		{1.953125e-05, -4.112955916936896},
		{1e-09, -5.997807015007687},
		{1e-100, -21.27345356096532},
		{1e-300, -37.0470962993612},
		{0.95, 1.644853626951472},
	}
	for _, tt := range tests {
		if got := normalQuantile(tt.p); math.Abs(got-tt.want) > 1e-13*max(1, math.Abs(tt.want)) {
			t.Errorf("normalQuantile(%g) = %.16g, want %.16g", tt.p, got, tt.want)
		}
	}
	for p, want := range map[float64]float64{0: math.Inf(-1), 1: math.Inf(1), -0.1: math.NaN(), 1.1: math.NaN()} {
		if got := normalQuantile(p); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("normalQuantile(%g) = %g, want %g", p, got, want)
		}
	}
}

// TestBoundsInvert: the bound put back gives the level, and the test without an inversion agrees with the bound.
func TestBoundsInvert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := math.Exp(rapid.Float64Range(-2, 16).Draw(t, "log n"))
		k := n * rapid.OneOf(rapid.Float64Range(0.0001, 0.9999), rapid.Float64Range(1e-9, 1e-3)).Draw(t, "share")
		alpha := rapid.SampledFrom([]float64{0.05, 0.01, 0.001, 0.01 / 512, 0.4}).Draw(t, "alpha")
		lower, upper := propLower(k, n, alpha), propUpper(k, n, alpha)
		if !(lower >= 0 && lower <= k/n && k/n <= upper && upper <= 1) && alpha < 0.3 {
			t.Fatalf("k %g of %g at %g: bounds %g..%g do not hold the share", k, n, alpha, lower, upper)
		}
		if lower > 1e-280 {
			if got := regIncBeta(k, n-k+1, lower); relErr(got, alpha) > 1e-8 {
				t.Fatalf("propLower(%g, %g, %g) = %g has level %g", k, n, alpha, lower, got)
			}
			for _, p := range []float64{lower * (1 - 1e-6), lower * (1 + 1e-6)} {
				if got := propAbove(k, n, p, alpha); got != (lower > p) {
					t.Fatalf("propAbove(%g, %g, %g, %g) = %v, bound %g", k, n, p, alpha, got, lower)
				}
			}
		}
		low := countLower(k, alpha)
		for _, by := range []float64{1 - 1e-6, 1 + 1e-6} {
			if got := countAbove(k, low*by, alpha); got != (by < 1) && low > 1e-280 {
				t.Fatalf("countAbove(%g, %g, %g) = %v, bound %g", k, low*by, alpha, got, low)
			}
		}
	})
}

// TestFarBelowEvidence: the short cut never refuses what the distribution would accept.
func TestFarBelowEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(1e-4, 0.9999).Draw(t, "p")
		variance := 25 * math.Exp(rapid.Float64Range(0, 8).Draw(t, "log variance"))
		n := variance/(p*(1-p)) - 1
		k := min(n, (n+1)*p+0.4999*math.Sqrt(variance))
		if tail := regIncBeta(k, n-k+1, p); k > 0 && tail < 0.25 {
			t.Fatalf("k %g of %g at %g: tail %g", k, n, p, tail)
		}
		if tail := regIncGammaLower(variance+0.4999*math.Sqrt(variance), variance); tail < 0.25 {
			t.Fatalf("count at %g: tail %g", variance, tail)
		}
	})
}

// TestBoundsOfNonsense: what makes no sense proves nothing.
func TestBoundsOfNonsense(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, bad := range [][3]float64{{nan, 10, .05}, {1, nan, .05}, {1, 10, nan}, {1, inf, .05}, {1, 0, .05}, {1, -3, .05}, {1, 10, 0}} {
		k, n, alpha := bad[0], bad[1], bad[2]
		if lower, upper := propLower(k, n, alpha), propUpper(k, n, alpha); lower != 0 || upper != 1 || propAbove(k, n, 0.01, alpha) {
			t.Errorf("propLower, propUpper(%g, %g, %g) = %g, %g, want 0, 1", k, n, alpha, lower, upper)
		}
	}
	for _, bad := range [][2]float64{{nan, .05}, {inf, .05}, {3, nan}, {3, 0}} {
		k, alpha := bad[0], bad[1]
		if lower, upper := countLower(k, alpha), countUpper(k, alpha); lower != 0 || upper != inf || countAbove(k, 1, alpha) {
			t.Errorf("countLower, countUpper(%g, %g) = %g, %g, want 0, +Inf", k, alpha, lower, upper)
		}
	}
	for _, tt := range []struct{ k, n, lower, upper float64 }{{-2, 10, 0, propUpper(0, 10, .05)}, {12, 10, propLower(10, 10, .05), 1}} {
		if lower, upper := propLower(tt.k, tt.n, .05), propUpper(tt.k, tt.n, .05); lower != tt.lower || upper != tt.upper {
			t.Errorf("bounds of %g in %g = %g, %g, want %g, %g", tt.k, tt.n, lower, upper, tt.lower, tt.upper)
		}
	}
}

// TestBoundsExtreme: an inversion ends and stays ordered at any scale.
func TestBoundsExtreme(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := math.Exp(rapid.Float64Range(-600, 600).Draw(t, "log n"))
		k := n * rapid.Float64Range(0, 1).Draw(t, "share")
		alpha := math.Exp(rapid.Float64Range(-600, -1).Draw(t, "log alpha"))
		if lower, upper := propLower(k, n, alpha), propUpper(k, n, alpha); !(lower >= 0 && lower <= upper+1e-15 && upper <= 1) {
			t.Fatalf("bounds of %g in %g at %g = %g..%g", k, n, alpha, lower, upper)
		}
		if lower, upper := countLower(k, alpha), countUpper(k, alpha); !(lower >= 0 && lower <= upper*(1+1e-13)) {
			t.Fatalf("bounds of count %g at %g = %g..%g", k, alpha, lower, upper)
		}
	})
}

func TestBoundsAllocateNothing(t *testing.T) {
	got := testing.AllocsPerRun(100, func() {
		_ = propLower(120, 1000, 0.001) + propUpper(120, 1000, 0.001) + countLower(120, 0.01) + countUpper(120, 0.01)
		_ = propAbove(120, 1000, 0.08, 0.001) || countAbove(120, 80, 0.001)
	})
	if got != 0 {
		t.Errorf("bounds allocate %g times a run, want 0", got)
	}
}

func BenchmarkBounds(b *testing.B) {
	for _, n := range []float64{1e3, 1e5, 1e7} {
		k := n / 10
		at := k/n - 3*math.Sqrt(0.09/n)
		b.Run(fmt.Sprintf("propLower/n=%g", n), func(b *testing.B) {
			for b.Loop() {
				_ = propLower(k, n, 0.001)
			}
		})
		b.Run(fmt.Sprintf("propUpper/n=%g", n), func(b *testing.B) {
			for b.Loop() {
				_ = propUpper(k, n, 0.001)
			}
		})
		b.Run(fmt.Sprintf("propAbove/n=%g", n), func(b *testing.B) {
			for b.Loop() {
				_ = propAbove(k, n, at, 0.001)
			}
		})
		b.Run(fmt.Sprintf("countUpper/k=%g", k), func(b *testing.B) {
			for b.Loop() {
				_ = countUpper(k, 0.001)
			}
		})
	}
}
