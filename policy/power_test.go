package policy

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// poissonDraws draws Poisson counts by inversion: the number of cumulative probabilities at or below a uniform number.
func poissonDraws(r *rand.Rand, mean float64) func() int {
	var cdf []float64
	sum := 0.0
	for k := 0.0; k <= mean+12*math.Sqrt(mean)+20; k++ {
		logGamma, _ := math.Lgamma(k + 1)
		sum += math.Exp(k*math.Log(mean) - mean - logGamma)
		cdf = append(cdf, sum)
	}
	return func() int { return sort.SearchFloat64s(cdf, r.Float64()) }
}

// TestPowerIsSimulated draws whole windows of requests, in clumps where there is a design effect, and judges
// each by the bounds that the verdicts use.
func TestPowerIsSimulated(t *testing.T) {
	const runs = 10_000
	tests := []struct {
		name   string
		watch  Watch
		ratio  float64
		window time.Duration
		clump  int
		within float64
	}{
		{"share, at 1.2, 312 on the shard", Watch{Samples: 100, Shards: 32, Line: 1.5}, 1.2, time.Minute, 1, 0.02},
		{"share, long window", Watch{Samples: 100, Shards: 32, Line: 1.5}, 1.1, 5 * time.Minute, 1, 0.02},
		{"share, thin", Watch{Samples: 5, Shards: 16, Line: 1.5}, 2, time.Minute, 1, 0.02},
		{"share, 4 shards", Watch{Samples: 5, Shards: 4, Line: 1.5}, 1.3, time.Minute, 1, 0.02},
		{"share, at the line: the level", Watch{Samples: 50, Shards: 4, Line: 1.5}, 1, time.Minute, 1, 0.003},
		{"rate, at 1.25", Watch{Samples: 60, Shards: 16, Line: 0.9, Absolute: true}, 1.25, time.Minute, 1, 0.02},
		{"rate, thin", Watch{Samples: 2, Shards: 8, Line: 1.2, Absolute: true}, 2, time.Minute, 1, 0.02},
		{"share, clumps of 4", Watch{Samples: 200, Shards: 16, Line: 1.5, DesignEffect: 4}, 1.35, time.Minute, 4, 0.02},
		{"rate, clumps of 4", Watch{Samples: 200, Shards: 16, Line: 0.9, Absolute: true, DesignEffect: 4}, 1.3, time.Minute, 4, 0.02},
	}
	for _, tt := range tests {
		r := rand.New(rand.NewPCG(1, uint64(len(tt.name))))
		w, found := tt.watch, 0
		share := tt.ratio * w.Line / float64(w.Shards)
		effect, level := max(1, w.DesignEffect), hotLevel/float64(w.Shards)
		line := w.Line / float64(w.Shards)
		want := w.Samples * tt.window.Seconds() // records of the fleet, were the shard's load even
		clumps := want / float64(tt.clump)
		drawHere, drawRest := poissonDraws(r, clumps*share), poissonDraws(r, clumps*(1-share))
		for range runs {
			here := float64(drawHere()*tt.clump) / effect
			if w.Absolute {
				if countAbove(here, want/effect*line, level) {
					found++
				}
				continue
			}
			rest := float64(drawRest()*tt.clump) / effect
			if propAbove(here, here+rest, line, level) {
				found++
			}
		}
		got, measured := w.Power(tt.ratio, tt.window), float64(found)/runs
		if math.Abs(got-measured) > tt.within {
			t.Errorf("%s: power %.3f, measured %.3f in %d windows", tt.name, got, measured, runs)
		}
	}
}

// TestPowerExact checks the binomial sum against one that is added up term by term.
func TestPowerExact(t *testing.T) {
	w := Watch{Samples: 2, Shards: 8, Line: 1.5}
	const n, ratio = 120, 2.5
	p := ratio * w.Line / float64(w.Shards)
	want, term := 0.0, math.Pow(1-p, n)
	for k := range n + 1 {
		if propAbove(float64(k), n, w.Line/float64(w.Shards), hotLevel/float64(w.Shards)) {
			want += term
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
	if got := w.Power(ratio, time.Minute); relErr(got, want) > 1e-9 {
		t.Errorf("Power(%g) = %.12f, want %.12f", ratio, got, want)
	}
}

// TestPromiseOfTheTable: where the published table has a p99 delay below two minutes the power of one fast window is
// high, where it has three minutes and more it is not, but that of the long window is.
func TestPromiseOfTheTable(t *testing.T) {
	tests := []struct {
		ratio, samples float64 // load / line, effective samples a minute on the shard
		soon           bool
	}{
		{1.15, 1000, false},
		{1.15, 3000, true},
		{1.2, 300, false},
		{1.2, 1000, true},
		{1.3, 300, false},
		{1.3, 1000, true},
		{1.5, 100, false},
		{1.5, 300, true},
		{2, 30, false},
		{2, 100, true},
		{3, 30, true},
	}
	for _, tt := range tests {
		w := Watch{Shards: 32, Line: 1.5}
		w.Samples = tt.samples / 60 / (tt.ratio * w.Line / float64(w.Shards))
		fast, long := w.Power(tt.ratio, time.Minute), w.Power(tt.ratio, 5*time.Minute)
		if (fast >= 0.9) != tt.soon || long < 0.95 {
			t.Errorf("%g x line, %g samples a minute: power %.3f and %.3f, want soon %v", tt.ratio, tt.samples, fast, long, tt.soon)
		}
	}
}

func TestDetectable(t *testing.T) {
	got := Watch{Samples: 1000, Shards: 16, Line: 1.5, DesignEffect: 1}.Detectable()
	if math.Abs(got.Samples-5625) > 1e-6 || got.Fast < 1.05 || got.Fast > 1.10 || got.Long < 1.02 || got.Long > 1.05 {
		t.Errorf("Detectable at 1000/s on 16 shards = %+v", got)
	}
	for name, w := range map[string]Watch{
		"nothing logged": {Shards: 16, Line: 1.5},
		"no line":        {Samples: 10, Shards: 16},
		"one shard":      {Samples: 10, Shards: 1, Line: 1.5},
		"one request":    {Samples: 1. / 300, Shards: 200, Line: 1.5},
		"not a number":   {Samples: math.NaN(), Shards: 16, Line: 1.5},
		"without end":    {Samples: math.Inf(1), Shards: 16, Line: 1.5},
	} {
		if d := w.Detectable(); !math.IsInf(d.Fast, 1) || w.Power(1.5, time.Minute) != 0 {
			t.Errorf("%s: %+v, power %g, want nothing", name, d, w.Power(1.5, time.Minute))
		}
	}
}

func TestSmallestInvertsPower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Watch{
			Samples:      math.Exp(rapid.Float64Range(-1, 10).Draw(t, "log samples")),
			Shards:       rapid.IntRange(2, 512).Draw(t, "shards"),
			Line:         rapid.Float64Range(0.3, 1.9).Draw(t, "line"),
			Absolute:     rapid.Bool().Draw(t, "absolute"),
			DesignEffect: rapid.Float64Range(1, 10).Draw(t, "design effect"),
		}
		window := time.Duration(rapid.IntRange(10, 300).Draw(t, "seconds")) * time.Second
		ratio := w.Smallest(window, Promise)
		if math.IsInf(ratio, 1) {
			if got := w.Power(100, window); got != 0 {
				t.Fatalf("%+v: nothing is found, yet power is %g", w, got)
			}
			return
		}
		if got := w.Power(ratio, window); math.Abs(got-Promise) > 1e-6 {
			t.Fatalf("%+v: power at its smallest ratio %g is %g, want %g", w, ratio, got, Promise)
		}
		if ratio <= 1 || w.Power(ratio*1.01, window) < Promise-1e-9 {
			t.Fatalf("%+v: smallest ratio %g is no threshold", w, ratio)
		}
	})
}
