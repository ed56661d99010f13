package quality

import (
	"math"
	"testing"
)

// moments are the mean and the variance of n draws.
func moments(n int, draw func() float64) (mean, variance float64) {
	for i := 1; i <= n; i++ {
		x := draw()
		d := x - mean
		mean += d / float64(i)
		variance += d * (x - mean)
	}
	return mean, variance / float64(n-1)
}

// TestPoissonMoments draws on both sides of the change of algorithm. A mean of n draws is off by 5 standard errors once
// in two million.
func TestPoissonMoments(t *testing.T) {
	s := newSource(1, 9)
	const n = 200_000
	for _, want := range []float64{0.01, 0.7, 9.9, 10, 13.5, 400, 1e6} {
		mean, variance := moments(n, func() float64 { return float64(s.poisson(want)) })
		if off := math.Abs(mean-want) / math.Sqrt(want/n); off > 5 {
			t.Errorf("poisson(%v): mean %v, %.1f standard errors off", want, mean, off)
		}
		// The variance of the sample variance of a Poisson count is (2 mu^2 + mu) / n.
		if off := math.Abs(variance-want) / math.Sqrt((2*want*want+want)/n); off > 5 {
			t.Errorf("poisson(%v): variance %v, %.1f standard errors off", want, variance, off)
		}
	}
	for _, none := range []float64{0, -1, math.NaN()} {
		if k := s.poisson(none); k != 0 {
			t.Errorf("poisson(%v) = %d, want 0", none, k)
		}
	}
}

// TestPoissonTails compares whole distributions: chi-squared over counts around the mean.
func TestPoissonTails(t *testing.T) {
	s := newSource(2, 9)
	const n = 100_000
	for _, mean := range []float64{4, 12, 40} {
		seen := map[int]int{}
		for range n {
			seen[s.poisson(mean)]++
		}
		var chi float64
		cells := 0
		for k := range int(3 * mean) {
			logFactorial, _ := math.Lgamma(float64(k) + 1)
			want := n * math.Exp(float64(k)*math.Log(mean)-mean-logFactorial)
			if want < 10 {
				continue
			}
			d := float64(seen[k]) - want
			chi += d * d / want
			cells++
		}
		if limit := float64(cells) + 5*math.Sqrt(2*float64(cells)); chi > limit {
			t.Errorf("poisson(%v): chi-squared %.0f over %d counts, want at most %.0f", mean, chi, cells, limit)
		}
	}
}

func TestZipf(t *testing.T) {
	for _, test := range []struct {
		n       int
		s, most float64
	}{{100, 1.5, 1}, {5000, 1.5, 0.001}, {5000, 0.5, 0.01}, {100, 1, 0.011}} {
		w := zipf(test.n, test.s, test.most)
		if got := sum(w); math.Abs(got-1) > 1e-9 {
			t.Errorf("zipf(%v): sum %v, want 1", test, got)
		}
		if w[0] > test.most*(1+1e-6) {
			t.Errorf("zipf(%v): heaviest %v", test, w[0])
		}
		if last, next := w[test.n-1], w[test.n-2]; math.Abs(next/last-math.Pow(float64(test.n)/float64(test.n-1), test.s)) > 1e-9 && next != last {
			t.Errorf("zipf(%v): the light end is no Zipf: %v, %v", test, next, last)
		}
	}
	if w := zipf(1000, 1.5, 1); w[0] < 0.38 || w[0] > 0.40 {
		t.Errorf("the top of Zipf 1.5 over 1,000 is %v, want 0.39", w[0])
	}
}
