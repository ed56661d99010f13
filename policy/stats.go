package policy

import "math"

// The bounds of verdicts.md, "Evidence": Clopper-Pearson for shares, Garwood for absolute counts, both on real-valued
// (effective) counts, by the beta and gamma distributions. Levels are one-sided. Whatever is not a number or
// makes no sense gives the widest bound, so that a broken input never proves anything.

// propLower is the lower Clopper-Pearson bound of a proportion after k of n, in 0..1: the true one is above it with
// probability >= 1-alpha. 0 for k <= 0; k above n counts as n.
//
// Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934): the p with I_p(k, n-k+1) = alpha.
func propLower(k, n, alpha float64) float64 {
	if !(k > 0) || !(n > 0) || !(alpha > 0) || math.IsInf(n, 1) {
		return 0
	}
	if alpha >= 1 {
		return 1
	}
	k = min(k, n)
	return tailQuantile(k, n-k+1, alpha)
}

// propUpper is the upper Clopper-Pearson bound, in 0..1: the true proportion is below it with probability >=
// 1-alpha. 1 for k >= n and for n <= 0; k below 0 counts as 0. Absolute error about 1e-16.
func propUpper(k, n, alpha float64) float64 {
	if !(k < n) || !(n > 0) || !(alpha > 0) || math.IsInf(n, 1) {
		return 1
	}
	if alpha >= 1 {
		return 0
	}
	k = max(k, 0)
	return 1 - tailQuantile(n-k, k+1, alpha)
}

// propAbove says whether propLower(k, n, alpha) > p, by one distribution function and without an inversion: the
// bound is over p just when k of n or more would be seen with probability below alpha at p.
func propAbove(k, n, p, alpha float64) bool {
	if !(k > 0) || !(n > 0) || !(alpha > 0) || !(p < 1) || math.IsInf(n, 1) {
		return false
	}
	if p < 0 || alpha >= 1 {
		return true
	}
	k = min(k, n)
	a, b := k, n-k+1
	if alpha <= 0.1 && farBelowEvidence(meanDistance(a, b, p), p*(1-p)*(n+1)) {
		return false
	}
	return regIncBeta(a, b, p) < alpha
}

// countLower is the lower Garwood bound of a Poisson mean after a count of k >= 0. 0 for k <= 0.
//
// Source: F. Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28 (1936): the mu with P(k, mu) = alpha.
func countLower(k, alpha float64) float64 {
	if !(k > 0) || !(alpha > 0) || math.IsInf(k, 1) {
		return 0
	}
	if alpha >= 1 {
		return math.Inf(1)
	}
	return gammaQuantile(k, alpha, true)
}

// countUpper is the upper Garwood bound of a Poisson mean after a count of k: the mu with Q(k+1, mu) = alpha. A k
// below 0 counts as 0; 3.0 for k = 0 at 0.05.
func countUpper(k, alpha float64) float64 {
	if math.IsNaN(k) || !(alpha > 0) || math.IsInf(k, 1) {
		return math.Inf(1)
	}
	if alpha >= 1 {
		return 0
	}
	return gammaQuantile(max(k, 0)+1, alpha, false)
}

// countAbove says whether countLower(k, alpha) > mu, by one distribution function.
func countAbove(k, mu, alpha float64) bool {
	if !(k > 0) || !(alpha > 0) || math.IsNaN(mu) || math.IsInf(k, 1) {
		return false
	}
	if mu < 0 || alpha >= 1 {
		return true
	}
	if alpha <= 0.1 && farBelowEvidence(k-mu, mu) {
		return false
	}
	return regIncGammaLower(k, mu) < alpha
}

// farBelowEvidence says that an excess over an expectation of this variance is no evidence at a level of 0.1 or less:
// under half a standard deviation where the variance is at least 25 (tails of 0.3 and more; the skew there is below
// a fifth). It saves the slow middle of the distribution, where nearly every shard of a calm fleet lies.
func farBelowEvidence(excess, variance float64) bool {
	return variance >= 25 && (excess <= 0 || excess*excess < variance/4)
}

// normalQuantile is the z with P(Z <= z) = p of a standard normal Z; -Inf at 0, +Inf at 1, NaN outside.
//
// Source: Abramowitz and Stegun 26.2.23, then Halley steps on the complementary error function; error below 1e-14.
func normalQuantile(p float64) float64 {
	switch {
	case math.IsNaN(p) || p < 0 || p > 1:
		return math.NaN()
	case p > 0.5:
		return -normalQuantile(1 - p)
	case p == 0:
		return math.Inf(-1)
	}
	t := math.Sqrt(-2 * math.Log(p))
	z := -(t - (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308))))
	for range 3 {
		err := math.Erfc(-z/math.Sqrt2)/2 - p
		step := err * math.Sqrt(2*math.Pi) * math.Exp(z*z/2)
		z -= step / (1 + z*step/2)
	}
	return z
}

// tailQuantile is the x with I_x(a, b) = alpha, 0 < alpha < 1, a, b > 0.
func tailQuantile(a, b, alpha float64) float64 {
	// Normal start on the logit scale (Wilson-like), inside (0, 1).
	n, z := a+b, normalQuantile(alpha)
	start := 1 / (1 + b/a*math.Exp(-z*math.Sqrt(1/a+1/b)))
	if !(start > 0 && start < 1) {
		start = a / n
	}
	logBeta := stirlingError(n) - stirlingError(a) - stirlingError(b) + math.Log(a/(2*math.Pi)*(b/n))/2
	return newtonLog(start, 1, alpha, true, func(x float64) (cdf, slope float64) {
		y, lambda := 1-x, meanDistance(a, b, x)
		return regIncBeta(a, b, x), math.Exp(logBeta-betaDeviance(n*x, n*y, lambda)) / y
	})
}

// gammaQuantile is the x with P(a, x) = alpha (lower) or Q(a, x) = alpha, 0 < alpha < 1, a > 0.
func gammaQuantile(a, alpha float64, lower bool) float64 {
	z := normalQuantile(alpha)
	if !lower {
		z = -z
	}
	// Wilson and Hilferty's cube.
	cube := 1 - 1/(9*a) + z/(3*math.Sqrt(a))
	start := a * cube * cube * cube
	if !(cube > 0.1) {
		start = math.Exp((math.Log(alpha) + stirlingError(a) + (a+0.5)*math.Log(a) - a + math.Log(2*math.Pi)/2) / a)
	}
	logGamma := stirlingError(a) - math.Log(a/(2*math.Pi))/2
	return newtonLog(start, math.Inf(1), alpha, lower, func(x float64) (cdf, slope float64) {
		density := math.Exp(-logGamma - x*devianceTerm((a-x)/x))
		below, above := regIncGamma(a, x)
		if lower {
			return below, density
		}
		return above, -density
	})
}

// newtonLog solves cdf(x) = alpha on (0, limit) by Newton's method for log cdf over log x, where both families are
// concave, kept inside a bracket by bisection. f returns the probability and its derivative by log x; rising says
// that cdf grows with x. A step below 1e-9 of the distance to both ends leaves an error of its square.
func newtonLog(start, limit, alpha float64, rising bool, f func(x float64) (cdf, slope float64)) float64 {
	low, high := 0.0, limit
	x := start
	for range 100 {
		cdf, slope := f(x)
		if (cdf > alpha) == rising {
			high = x
		} else {
			low = x
		}
		next := x * math.Exp(math.Log(alpha/cdf)*cdf/slope)
		switch {
		case math.Abs(next-x) <= 1e-9*min(x, limit-x)+ulp*x:
			return next
		case high <= 2*math.SmallestNonzeroFloat64:
			return 0
		case !(next > low && next < high):
			next = middle(low, high)
		}
		x = next
	}
	return x
}

// middle is a point between two bounds, by their geometric mean where a bound is far, so that no scale is out of
// reach; the upper one may be infinite.
func middle(low, high float64) float64 {
	switch {
	case math.IsInf(high, 1):
		return 2*low + 1
	case high > 4*low:
		return math.Sqrt(max(low, math.SmallestNonzeroFloat64)) * math.Sqrt(high)
	}
	return low + (high-low)/2
}
