package quality

import (
	"math"
	"math/rand/v2"
)

// source is the only randomness of this package: PCG with an explicit seed and a stream for each purpose, so that one
// draw more in the fleet does not change the log.
type source struct{ *rand.Rand }

func newSource(seed, stream uint64) source {
	return source{rand.New(rand.NewPCG(seed, stream))}
}

// between is uniform in [low, high).
func (s source) between(low, high float64) float64 { return low + (high-low)*s.Float64() }

// logBetween is log-uniform in [low, high), low > 0.
func (s source) logBetween(low, high float64) float64 {
	return low * math.Exp(s.Float64()*math.Log(high/low))
}

// logInt is log-uniform in low..high, both included, low > 0.
func (s source) logInt(low, high int) int {
	return min(high, int(s.logBetween(float64(low), float64(high)+1)))
}

// chance is true with probability p.
func (s source) chance(p float64) bool { return s.Float64() < p }

// weighted picks an index with probability proportional to its weight.
func (s source) weighted(weights []float64) int {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	u := s.Float64() * sum
	for i, w := range weights {
		if u < w {
			return i
		}
		u -= w
	}
	return len(weights) - 1
}

// shares parts 1 into n random parts, none below a fifth of an even one.
func (s source) shares(n int) []float64 {
	out := make([]float64, n)
	var sum float64
	for i := range out {
		out[i] = s.between(0.2, 1)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// poisson draws a Poisson count, exact at any mean: inversion below 10, above it PTRS.
//
// Source: W. Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance:
// Mathematics and Economics 12 (1993), algorithm PTRS.
func (s source) poisson(mean float64) int {
	switch {
	case !(mean > 0):
		return 0
	case mean < 10:
		return s.poissonInverted(mean)
	}
	b := 0.931 + 2.53*math.Sqrt(mean)
	a := -0.059 + 0.02483*b
	inverse := 1.1239 + 1.1328/(b-3.4)
	ratio := 0.9277 - 3.6224/(b-2)
	logMean := math.Log(mean)
	for {
		u, v := s.Float64()-0.5, s.Float64()
		edge := 0.5 - math.Abs(u)
		k := math.Floor((2*a/edge+b)*u + mean + 0.43)
		if edge >= 0.07 && v <= ratio {
			return int(k)
		}
		if k < 0 || (edge < 0.013 && v > edge) {
			continue
		}
		logFactorial, _ := math.Lgamma(k + 1)
		if math.Log(v*inverse/(a/(edge*edge)+b)) <= k*logMean-mean-logFactorial {
			return int(k)
		}
	}
}

// poissonInverted walks the distribution up from 0.
func (s source) poissonInverted(mean float64) int {
	u, p := s.Float64(), math.Exp(-mean)
	k := 0
	for u >= p && k < 200 {
		u -= p
		k++
		p *= mean / float64(k)
	}
	return k
}

// zipf returns n weights rank^-s that sum to 1, none above most: what is cut off goes to the others in proportion.
// most must be at least 1/n; 1 cuts nothing.
func zipf(n int, s, most float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Pow(float64(i+1), -s)
	}
	ceiling := ceilingFor(out, most)
	var sum float64
	for i := range out {
		out[i] = min(out[i], ceiling)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// ceilingFor is the c with c = most x sum(min(w, c)), by bisection: the left side grows faster.
func ceilingFor(weights []float64, most float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		c := (low + high) / 2
		var sum float64
		for _, w := range weights {
			if w <= c {
				sum += w
			} else {
				sum += c
			}
		}
		if c <= most*sum {
			low = c
		} else {
			high = c
		}
	}
	if low == 0 {
		return high
	}
	return low
}
