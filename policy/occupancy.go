package policy

import "math"

// Spread is the distribution of the hottest shard where pieces are not placed but hashed.
type Spread struct {
	Mean     float64 // expected load of the hottest shard, requests/s
	P05, P95 float64 // loads that 5 % and 95 % of hashes stay at or below, requests/s
	Collides float64 // probability that at least two pieces share a shard, 0 to 1
}

// BlindHash is what becomes of [Form.Salted] when all s pieces, the bare key's too, are hashed independently: the hottest
// shard bears the most pieces that any shard got, and its part of the rest. Exact, by the distribution of the fullest
// of N bins after s balls; 8 pieces on 16 shards collide 88 % of the time.
func (f Form) BlindHash(s int) Spread {
	atMost := fullest(max(1, s), max(1, f.Shards))
	out := Spread{Collides: 1 - atMost[1]}
	load := func(pieces int) float64 { return float64(pieces)*f.piece(s) + f.rest(f.Shards) }
	out.P05, out.P95 = math.NaN(), math.NaN()
	for m := 1; m < len(atMost); m++ {
		out.Mean += (atMost[m] - atMost[m-1]) * load(m)
		if math.IsNaN(out.P05) && atMost[m] >= 0.05 {
			out.P05 = load(m)
		}
		if math.IsNaN(out.P95) && atMost[m] >= 0.95 {
			out.P95 = load(m)
		}
	}
	return out
}

// fullest returns, by m, the probability that no bin of n holds more than m of s balls that fell independently; the
// last entry is 1.
//
// Source: counts of independent Poisson(s/n) bins, cut at m, given that they add up to s; see W. Feller, "An
// Introduction to Probability Theory", vol. 1, ch. II.5, for the occupancy numbers.
func fullest(s, n int) []float64 {
	bin := poisson(float64(s)/float64(n), s)
	whole := power(bin, n)[s]
	atMost := []float64{0}
	for m := 1; m < s && atMost[m-1] < 1-1e-13; m++ {
		cut := make([]float64, s+1)
		copy(cut, bin[:m+1])
		atMost = append(atMost, min(1, max(atMost[m-1], power(cut, n)[s]/whole)))
	}
	return append(atMost, 1)
}

// poisson returns the probabilities of 0 to n events at a mean above 0.
func poisson(mean float64, n int) []float64 {
	out := make([]float64, n+1)
	for k := range out {
		logGamma, _ := math.Lgamma(float64(k) + 1)
		out[k] = math.Exp(float64(k)*math.Log(mean) - mean - logGamma)
	}
	return out
}

// power is the n-th power of a polynomial, n >= 1, cut at its own length. Coefficients are probabilities: nothing cancels,
// and those below 1e-150 are dropped, because denormal numbers are slow.
func power(p []float64, n int) []float64 {
	var out []float64
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = product(out, p)
		}
		if n > 1 {
			p = product(p, p)
		}
	}
	return out
}

func product(a, b []float64) []float64 {
	if a == nil {
		return b
	}
	out := make([]float64, len(b))
	for i, x := range a {
		if x == 0 {
			continue
		}
		for j, y := range b[:len(b)-i] {
			out[i+j] += x * y
		}
	}
	for i, x := range out {
		if x < 1e-150 {
			out[i] = 0
		}
	}
	return out
}
