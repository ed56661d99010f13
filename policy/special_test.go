package policy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// relErr is |got/want - 1|, or |got - want| where want is 0.
func relErr(got, want float64) float64 {
	if want == 0 {
		return math.Abs(got)
	}
	return math.Abs(got/want - 1)
}

func TestRegIncBeta(t *testing.T) {
	// Computed with mpmath 1.3 at 40 digits: betainc, and above 300 the integral of the density.
	tests := []struct{ a, b, x, want float64 }{
		{0.5, 0.5, 0.3, 0.369010119565545375},
		{1, 1, 0.25, 0.25},
		{2, 3, 0.1, 0.0523000000000000054},
		{0.01, 5, 1e-06, 0.889236008317522381},
		{5, 0.01, 0.9, 0.0059273690703776453},
		{0.001, 0.001, 0.5, 0.5},
		{0.3, 200, 0.0001, 0.342825244151283244},
		{200, 0.3, 0.999, 0.342704387693954579},
		{12, 21, 0.2, 0.0167162858306731107},
		{12, 21, 0.6, 0.996993581742393661},
		{30.5, 970.25, 0.02, 0.0161890433898047041},
		{30.5, 970.25, 0.045, 0.991887365747262371},
		{150, 850, 0.1, 4.2321925656819208e-7},
		{150, 850, 0.15, 0.508245288303172968},
		{1000, 9001, 0.088, 0.000017261905747637597},
		{100000.0, 900000.0, 0.0985, 2.56297691861845545e-7},
		{100000.0, 900000.0, 0.1, 0.500354615427565476},
		{100000.0, 900000.0, 0.104, 1.0},
		{1000000.0, 1000000.0, 0.499, 0.00233884940693150475},
		{1000000.0, 3.7, 0.99999, 0.00719588156253907276},
		{3.7, 1000000.0, 1e-06, 0.0299542229268507833},
		{1000000000.0, 1000000000.0, 0.49995, 3.87210802315808087e-6},
		{1000000000.0, 1000000000.0, 0.5, 0.5},
		{1000000000.0, 1000000000.0, 0.50002, 0.963180864979615699},
		{1000000000.0, 3000000000.0, 0.24995, 1.40411714612166306e-13},
		{50000000.0, 90000000.0, 0.357, 0.000209466233684192539},
		{200000000.0, 900000000.0, 0.1818, 0.0589680026619108474},
		{1000000000.0, 100, 0.9999999, 0.486700807202039951},
		{100, 1000000000.0, 7e-08, 0.000430373759223515891},
		{1000000000.0, 2.5, 0.9999999999, 0.999113861031370545},
	}
	for _, tt := range tests {
		if got := regIncBeta(tt.a, tt.b, tt.x); relErr(got, tt.want) > 1e-12 {
			t.Errorf("regIncBeta(%g, %g, %g) = %.16g, want %.16g: relative error %.1e", tt.a, tt.b, tt.x, got, tt.want, relErr(got, tt.want))
		}
	}
}

func TestRegIncGamma(t *testing.T) {
	// Computed with mpmath 1.3 at 40 digits: gammainc, and above 1,000 the integral of the density.
	tests := []struct{ a, x, lower, upper float64 }{
		{0.5, 0.2, 0.472910743134461926, 0.527089256865538074},
		{0.01, 1e-05, 0.896336798267197201, 0.103663201732802799},
		{1, 3, 0.950212931632136057, 0.049787068367863943},
		{3, 0.05, 0.0000200674936243979459, 0.999979932506375602},
		{3, 12, 0.999477741949967102, 0.000522258050032897829},
		{20, 10, 0.00345434197585680768, 0.996545658024143192},
		{20, 20, 0.529742733160760013, 0.470257266839239987},
		{20, 41, 0.999898256126170306, 0.000101743873829693798},
		{1000.5, 880, 0.0000369105476271486599, 0.999963089452372851},
		{1000.5, 1002, 0.523100140963509332, 0.476899859036490668},
		{1000.5, 1150, 0.99999690838895231, 3.09161104769028762e-6},
		{1000000.0, 995000, 2.74958035927007075e-7, 0.999999725041964073},
		{1000000.0, 1000100, 0.539958828431723582, 0.460041171568276418},
		{1000000.0, 1004500, 0.999996498558685485, 3.5014413145153351e-6},
		{50000000.0, 49980000.0, 0.00233645683604951148, 0.997663543163950489},
		{1000000000.0, 999900000, 0.000782446139962783538, 0.999217553860037216},
		{1000000000.0, 1000010000, 0.624088783087520486, 0.375911216912479514},
		{1000000000.0, 1000200000, 0.999999999872680134, 1.27319865532030847e-10},
	}
	for _, tt := range tests {
		if got := regIncGammaLower(tt.a, tt.x); relErr(got, tt.lower) > 1e-12 {
			t.Errorf("regIncGammaLower(%g, %g) = %.16g, want %.16g: relative error %.1e", tt.a, tt.x, got, tt.lower, relErr(got, tt.lower))
		}
		if got := regIncGammaUpper(tt.a, tt.x); relErr(got, tt.upper) > 1e-12 {
			t.Errorf("regIncGammaUpper(%g, %g) = %.16g, want %.16g: relative error %.1e", tt.a, tt.x, got, tt.upper, relErr(got, tt.upper))
		}
	}
}

// TestRegIncBetaIsBinomial sums the binomial probabilities one by one: an oracle that shares nothing with the fraction.
func TestRegIncBetaIsBinomial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		k := rapid.IntRange(1, n).Draw(t, "k")
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "p")
		want, term := 0.0, math.Pow(1-p, float64(n))
		for i := 0; i <= n; i++ {
			if i >= k {
				want += term
			}
			term *= float64(n-i) / float64(i+1) * p / (1 - p)
		}
		if got := regIncBeta(float64(k), float64(n-k+1), p); relErr(got, want) > 1e-11 {
			t.Fatalf("P(X >= %d of %d at %g) = %.15g, want %.15g", k, n, p, got, want)
		}
	})
}

func TestDistributionEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	betas := []struct{ a, b, x, want float64 }{
		{2, 3, 0, 0},
		{2, 3, -1, 0},
		{2, 3, 1, 1},
		{2, 3, 7, 1},
		{0, 3, 0.5, 1},
		{3, 0, 0.5, 0},
		{inf, 3, 0.5, 0},
		{3, inf, 0.5, 1},
		{nan, 3, 0.5, nan},
		{3, nan, 0.5, nan},
		{3, 3, nan, nan},
		{-1, 3, 0.5, nan},
		{3, -1, 0.5, nan},
		{0, 0, 0.5, nan},
	}
	for _, tt := range betas {
		if got := regIncBeta(tt.a, tt.b, tt.x); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("regIncBeta(%g, %g, %g) = %g, want %g", tt.a, tt.b, tt.x, got, tt.want)
		}
	}
	gammas := []struct{ a, x, want float64 }{
		{2, 0, 0}, {2, -1, 0}, {2, inf, 1}, {0, 1, 1}, {inf, 1, 0}, {inf, inf, nan}, {nan, 1, nan}, {1, nan, nan}, {-1, 1, nan},
	}
	for _, tt := range gammas {
		if got := regIncGammaLower(tt.a, tt.x); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("regIncGammaLower(%g, %g) = %g, want %g", tt.a, tt.x, got, tt.want)
		}
	}
}

// TestDistributionsExtreme: whatever the shapes, both tails are probabilities, they add up, and they end.
func TestDistributionsExtreme(t *testing.T) {
	shape := rapid.Custom(func(t *rapid.T) float64 { return math.Exp(rapid.Float64Range(-700, 700).Draw(t, "log")) })
	rapid.Check(t, func(t *rapid.T) {
		a, b := shape.Draw(t, "a"), shape.Draw(t, "b")
		x := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(a/(a+b))).Draw(t, "x")
		p, q := regIncBeta(a, b, x), regIncBeta(b, a, 1-x)
		if !(p >= 0 && p <= 1 && q >= 0 && q <= 1) {
			t.Fatalf("I_%g(%g, %g) = %g, complement %g", x, a, b, p, q)
		}
		scaled := rapid.OneOf(shape, rapid.Just(a), rapid.Just(a*1.0001)).Draw(t, "scaled")
		lower, upper := regIncGammaLower(a, scaled), regIncGammaUpper(a, scaled)
		if !(lower >= 0 && upper >= 0 && math.Abs(lower+upper-1) < 1e-12) {
			t.Fatalf("P(%g, %g) = %g, Q = %g", a, scaled, lower, upper)
		}
	})
}

// TestAsymptoticMeetsFraction: at the switch both methods agree, so that no bound jumps there.
func TestAsymptoticMeetsFraction(t *testing.T) {
	a := float64(betaGammaLarge)
	for _, z := range []float64{-6, -3, -1, -1e-4, 0, 1e-4, 0.5, 2, 4} {
		below, above := a, math.Nextafter(a, 2*a)
		for _, ratio := range []float64{1, 30} {
			sd := math.Sqrt(ratio / (1 + ratio) / (1 + ratio) / (1 + ratio) / a)
			x := 1/(1+ratio) + z*sd
			if p, q := regIncBeta(below, ratio*below, x), regIncBeta(above, ratio*above, x); relErr(p, q) > 1e-11 {
				t.Errorf("beta, ratio %g, z %g: %.15g by the fraction, %.15g by the expansion", ratio, z, p, q)
			}
		}
		x := z * math.Sqrt(a)
		if p, q := regIncGammaLower(below, below+x), regIncGammaLower(above, above+x); relErr(p, q) > 1e-11 {
			t.Errorf("gamma, z %g: %.15g by the fraction, %.15g by the expansion", z, p, q)
		}
	}
}
