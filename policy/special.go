package policy

import "math"

// The distribution functions behind every bound that a verdict shows (stats.go). All are pure, allocate nothing and
// return on any input; NaN, or a shape below 0, gives NaN.

const (
	// betaGammaLarge is the smaller shape parameter above which the uniform asymptotic expansion replaces the
	// continued fraction. Its relative error there is below z * 1e-12 at z standard deviations.
	betaGammaLarge = 1e8
	// fractionSteps bounds the continued fraction. It needs about sqrt(betaGammaLarge) steps at the mean and a few
	// dozen where bounds are taken.
	fractionSteps = 200_000
	// ulp is the relative change at which an iteration has converged.
	ulp = 0x1p-52
)

// regIncBeta is the regularised incomplete beta function I_x(a, b), the probability that a Beta(a, b) variable is at
// most x. a, b >= 0 and 0 <= x <= 1; x outside is clamped. Relative error about 1e-12 up to a, b = 1e9.
//
// Source: continued fraction of A. R. DiDonato and A. H. Morris, "Algorithm 708", ACM TOMS 18 (1992), eq. 9; front factor in the saddle-point form of C. Loader, "Fast and
// accurate computation of binomial probabilities" (2000), because differences of log-gammas lose six digits at 1e9.
func regIncBeta(a, b, x float64) float64 {
	switch {
	case math.IsNaN(a) || math.IsNaN(b) || math.IsNaN(x) || a < 0 || b < 0 || (a == 0 && b == 0):
		return math.NaN()
	case x <= 0:
		return 0
	case x >= 1 || a == 0:
		return 1
	case b == 0:
		return 0
	case math.IsInf(a, 1):
		return 0
	case math.IsInf(b, 1):
		return 1
	}
	lambda := meanDistance(a, b, x)
	if lambda >= 0 {
		return betaTail(a, b, x, 1-x, lambda)
	}
	return 1 - betaTail(b, a, 1-x, x, -lambda)
}

// betaTail is I_x(a, b) for x at or below the mean a/(a+b), with y = 1-x and lambda = a - (a+b)x >= 0.
func betaTail(a, b, x, y, lambda float64) float64 {
	n := a + b
	deviance := betaDeviance(n*x, n*y, lambda)
	if min(a, b) > betaGammaLarge {
		return asymptoticTail(deviance, lambda/math.Sqrt(a)/math.Sqrt(b/n), (1/a-1/b)*math.Sqrt(a)*math.Sqrt(b/n)/3)
	}
	// x^a y^b / B(a, b), by Loader's form of the binomial probability.
	front := math.Sqrt(a/(2*math.Pi)*(b/n)) * math.Exp(stirlingError(n)-stirlingError(a)-stirlingError(b)-deviance)
	if front == 0 {
		return 0
	}
	return min(1, front*lowerTailFraction(a, b*x, n*x, x, lambda))
}

// regIncGammaLower is P(a, x), the probability that a Gamma(a, 1) variable is at most x; a >= 0, x below 0 counts as
// 0. It is also the probability that a Poisson(x) count is at least a. Relative error about 1e-12 up to a = 1e9.
func regIncGammaLower(a, x float64) float64 {
	lower, _ := regIncGamma(a, x)
	return lower
}

// regIncGammaUpper is Q(a, x) = 1 - P(a, x), without cancellation where it is small: the probability that a
// Poisson(x) count is below a.
func regIncGammaUpper(a, x float64) float64 {
	_, upper := regIncGamma(a, x)
	return upper
}

// regIncGamma returns P(a, x) and Q(a, x); the one that is a tail is computed, the other is its complement.
//
// Source: P by the limit b -> infinity of the fraction of [regIncBeta], Q by Legendre's fraction (Abramowitz and
// Stegun 6.5.31), evaluated by Lentz's method.
func regIncGamma(a, x float64) (lower, upper float64) {
	switch {
	case math.IsNaN(a) || math.IsNaN(x) || a < 0 || (math.IsInf(a, 1) && math.IsInf(x, 1)):
		return math.NaN(), math.NaN()
	case x <= 0 || math.IsInf(a, 1):
		return 0, 1
	case math.IsInf(x, 1) || a == 0:
		return 1, 0
	}
	lambda := a - x
	deviance := x * devianceTerm(lambda/x)
	if a > betaGammaLarge {
		score, skew := lambda/math.Sqrt(a), 1/math.Sqrt(a)/3
		if lambda >= 0 {
			lower = asymptoticTail(deviance, score, skew)
			return lower, 1 - lower
		}
		upper = asymptoticTail(deviance, -score, -skew)
		return 1 - upper, upper
	}
	// x^a e^-x / Gamma(a).
	front := math.Sqrt(a/(2*math.Pi)) * math.Exp(-stirlingError(a)-deviance)
	if lambda >= 0 {
		lower = min(1, front*lowerTailFraction(a, x, x, 0, lambda))
		return lower, 1 - lower
	}
	upper = min(1, front*upperGammaFraction(a, x))
	return 1 - upper, upper
}

// lowerTailFraction is the continued fraction of DiDonato and Morris for a lower tail: with bx = b*x and nx = (a+b)*x
// that of I_x(a, b), with bx = nx = X and x = 0 its limit, that of P(a, X).
func lowerTailFraction(a, bx, nx, x, lambda float64) float64 {
	const tiny = 1e-300
	f := a / (a + 1) * (lambda + 1)
	if f == 0 {
		f = tiny
	}
	c, d := f, 0.0
	for i := 1; i <= fractionSteps; i++ {
		m := float64(i)
		low, high := a+2*m-1, a+2*m+1
		alpha := (a + m - 1) / low * ((nx + (m-1)*x) / low) * (m * (bx - m*x))
		beta := m + m*(bx-m*x)/low + (a+m)/high*(lambda+1+m*(2-x))
		if c = beta + alpha/c; c == 0 {
			c = tiny
		}
		if d = beta + alpha*d; d == 0 {
			d = tiny
		}
		d = 1 / d
		step := c * d
		f *= step
		if math.Abs(step-1) <= ulp {
			break
		}
	}
	return 1 / f
}

// upperGammaFraction is Legendre's continued fraction for Gamma(a, x) / (x^a e^-x), x > a.
func upperGammaFraction(a, x float64) float64 {
	const tiny = 1e-300
	b := x + 1 - a
	if b == 0 {
		b = tiny
	}
	c, d := 1/tiny, 1/b
	f := d
	for i := 1; i <= fractionSteps; i++ {
		m := float64(i)
		an := m * (a - m)
		b += 2
		if d = an*d + b; d == 0 {
			d = tiny
		}
		if c = b + an/c; c == 0 {
			c = tiny
		}
		d = 1 / d
		step := c * d
		f *= step
		if math.Abs(step-1) <= ulp {
			break
		}
	}
	return f
}

// asymptoticTail is the tail probability at a deviance (half the squared signed root) and a score (distance from the
// mean in standard deviations, >= 0 towards the tail); skew is the limit of the correction at the mean.
//
// Source: N. M. Temme, "The uniform asymptotic expansion of a class of integrals related to cumulative distribution
// functions" (1982), first term; error of order (shape)^-1.5.
func asymptoticTail(deviance, score, skew float64) float64 {
	root := math.Sqrt(2 * deviance)
	correction := skew
	if root > 1e-3 {
		correction = 1/score - 1/root
	}
	density := math.Exp(-deviance) / math.Sqrt(2*math.Pi)
	return max(0, math.Erfc(root/math.Sqrt2)/2+density*correction)
}

// betaDeviance is the log-likelihood distance between the mean and a point where nx and ny are expected and lambda more
// than nx is there.
func betaDeviance(nx, ny, lambda float64) float64 {
	nx, ny = max(nx, math.SmallestNonzeroFloat64), max(ny, math.SmallestNonzeroFloat64)
	return nx*devianceTerm(lambda/nx) + ny*devianceTerm(-lambda/ny)
}

// devianceTerm is (1+u) log(1+u) - u for u >= -1, to full relative precision near 0.
func devianceTerm(u float64) float64 {
	switch {
	case u <= -1:
		return 1
	case math.IsInf(u, 1):
		return u
	}
	if math.Abs(u) > 0.4 {
		return (1+u)*math.Log1p(u) - u
	}
	v := u / (2 + u)
	square, power, sum := v*v, v, 0.0
	for j := 3.0; ; j += 2 {
		next := sum + power/j
		if next == sum {
			return 2 * square / (1 - v) * (1 + (1+v)*sum)
		}
		sum, power = next, power*square
	}
}

// stirlingError is log Gamma(n+1) - (n + 1/2) log n + n - log(2 pi)/2, n > 0.
func stirlingError(n float64) float64 {
	if n < 10 {
		logGamma, _ := math.Lgamma(n + 1)
		return logGamma - (n+0.5)*math.Log(n) + n - math.Log(2*math.Pi)/2
	}
	r := 1 / n
	s := r * r
	return r * (1./12 - s*(1./360-s*(1./1260-s*(1./1680-s*(1./1188-s*(691./360360-s/156))))))
}

// meanDistance is a - (a+b)x with twice the working precision, so that a result at 1e9 keeps its digits.
func meanDistance(a, b, x float64) float64 {
	if math.IsInf(a+b, 1) {
		return a*(1-x) - b*x
	}
	ax, bx := a*x, b*x
	first, firstErr := twoDiff(a, ax)
	second, secondErr := twoDiff(first, bx)
	return second + (firstErr + secondErr - math.FMA(a, x, -ax) - math.FMA(b, x, -bx))
}

// twoDiff returns a-b rounded and the exact rounding error (Knuth).
func twoDiff(a, b float64) (diff, err float64) {
	diff = a - b
	t := diff - a
	return diff, (a - (diff - t)) - (b + t)
}
