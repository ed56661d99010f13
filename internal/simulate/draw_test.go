package simulate

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestAlias: every index keeps its weight, exactly: what the cells give sums to it.
func TestAlias(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 50).Draw(t, "weights")
		weights[0] += 0.1
		a := newAlias(weights)
		var sum float64
		got := make([]float64, len(weights))
		for i, c := range a.cells {
			sum += weights[i]
			got[i] += min(1, c.keep)
			got[c.other] += max(0, 1-c.keep)
		}
		for i, w := range weights {
			if want := w / sum * float64(len(weights)); math.Abs(got[i]-want) > 1e-9 {
				t.Fatalf("weight %d of %v: cells give %g, want %g", i, weights, got[i], want)
			}
		}
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		for range 100 {
			if i := a.draw(r); weights[i] == 0 {
				t.Fatalf("drew %d, which has no weight", i)
			}
		}
	})
}

// TestCapped: weights sum to 1, none is above most, and those below keep their proportions.
func TestCapped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "n")
		s := rapid.Float64Range(0, 3).Draw(t, "s")
		most := rapid.Float64Range(1/float64(n), 1).Draw(t, "most")
		w := capped(n, s, most)
		var sum float64
		for i, x := range w {
			sum += x
			if x > most*(1+1e-9) || x < 0 {
				t.Fatalf("rank %d has %g, most is %g", i+1, x, most)
			}
			if i > 0 && w[i-1] < most*(1-1e-9) {
				if want := math.Pow(float64(i+1)/float64(i), -s); math.Abs(x/w[i-1]-want) > 1e-9 {
					t.Fatalf("rank %d has %g of the one before, want %g", i+1, x/w[i-1], want)
				}
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("weights sum to %g", sum)
		}
	})
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"tenants": func(c *Config) { c.Tenants = 0 }, "zipf": func(c *Config) { c.Zipf = math.NaN() }, "most": func(c *Config) { c.Most = 1e-9 },
		"keys": func(c *Config) { c.Keys = 0 }, "rate": func(c *Config) { c.Rate = 0 }, "capacity": func(c *Config) { c.Capacity = math.Inf(1) },
		"every": func(c *Config) { c.Every = 0 }, "partitions": func(c *Config) { c.Partitions = 0 },
	} {
		cfg := Default()
		change(&cfg)
		if err := cfg.Validate(); err == nil {
			t.Errorf("%s: %+v is taken", name, cfg)
		}
	}
	cfg := Default()
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}
