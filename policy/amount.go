package policy

import "math"

// amount is a sum with its variance, both over one window; the variance holds
// the design effect already. The zero value is nothing seen.
type amount struct {
	load     float64
	variance float64
}

func (a amount) plus(b amount) amount { return amount{a.load + b.load, a.variance + b.variance} }

// minus takes a part away; rounding never leaves less than nothing. A part may
// vary more than the whole does by its share: what remains keeps at least the
// variance of its own share.
func (a amount) minus(b amount) amount {
	left := math.Max(0, a.load-b.load)
	return amount{left, math.Max(a.variance*ratio(left, a.load), a.variance-b.variance)}
}

func (a amount) times(f float64) amount { return amount{a.load * f, a.variance * f * f} }

// part is the share f of a, chosen by what it is: its variance falls with it.
func (a amount) part(f float64) amount { return amount{a.load * f, a.variance * f} }

// samples are the effective samples: load^2 / variance.
func (a amount) samples() float64 {
	if a.variance <= 0 {
		return 0
	}
	return a.load * a.load / a.variance
}

// upper is the one-sided upper bound of the sum at level alpha, by Garwood's
// bound on its effective samples. What was not seen takes its scale (weight of
// one effective sample) from the caller.
func (a amount) upper(alpha, scale float64) float64 {
	n := a.samples()
	if n <= 0 {
		return countUpper(0, alpha) * scale
	}
	return a.load * countUpper(n, alpha) / n
}

// lower is the one-sided lower bound of the sum at the level of comparisons.
func (a amount) lower() float64 {
	n := a.samples()
	if n <= 0 {
		return 0
	}
	return a.load * countLower(n, causeLevel) / n
}

// share is a part of a whole, as the two amounts that make the whole up.
type share struct {
	part, rest amount
}

// value is the point estimate, 0 to 1.
func (s share) value() float64 {
	whole := s.part.load + s.rest.load
	if whole <= 0 {
		return 0
	}
	return s.part.load / whole
}

// samples are the effective samples behind the share: p(1-p) / var(p), where
// var(p) = ((1-p)^2 V_part + p^2 V_rest) / whole^2 (delta method), so that
// parts sampled at other rates than the rest weigh as they should.
func (s share) samples() float64 {
	whole := s.part.plus(s.rest)
	p := s.value()
	spread := (1-p)*(1-p)*s.part.variance + p*p*s.rest.variance
	if p <= 0 || p >= 1 || spread <= 0 {
		return whole.samples()
	}
	return p * (1 - p) * whole.load * whole.load / spread
}

// above says whether the share's lower bound at level alpha lies over p.
func (s share) above(p, alpha float64) bool {
	n := s.samples()
	return s.value() > p && propAbove(n*s.value(), n, p, alpha)
}

// bounds are Clopper-Pearson's, one-sided alpha each, on effective counts.
func (s share) bounds(alpha float64) (low, high float64) {
	n := s.samples()
	if n <= 0 {
		return 0, 1
	}
	k := n * s.value()
	return propLower(k, n, alpha), propUpper(k, n, alpha)
}
