package policy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBlindHashFigures(t *testing.T) {
	// Published from a simulation (9,554, 8,585 and 7,807/s, its error 0.1 %). Of 16^4 placements of 4 pieces
	// 43,680 are apart, 20,880 have two on the fullest shard, 960 three and 16 four, which is exact.
	for s, want := range map[int]float64{4: 9_554, 8: 8_585, 16: 7_807} {
		if got := twelve().BlindHash(s); math.Abs(got.Mean/want-1) > 0.0015 {
			t.Errorf("mean hottest of %d hashed pieces = %.1f/s, want about %g", s, got.Mean, want)
		}
	}
	exact := 5_500 + 3_000*(43_680+2*20_880+3*960+4*16)/65_536.
	if got := twelve().BlindHash(4); relErr(got.Mean, exact) > 1e-12 || got.P05 != 8_500 || got.P95 != 11_500 {
		t.Errorf("4 hashed pieces = %+v, want mean %.3f between 8,500 and 11,500", got, exact)
	}
	eight := twelve().BlindHash(8)
	if math.Abs(eight.Collides-0.88) > 0.005 {
		t.Errorf("8 pieces on 16 shards collide with probability %.4f, want 0.88", eight.Collides)
	}
	if one := twelve().BlindHash(1); one != (Spread{Mean: 17_500, P05: 17_500, P95: 17_500}) {
		t.Errorf("one piece = %+v, want the load of now", one)
	}
	if lone := (Form{Share: 0.5, Rate: 100, Shards: 1}).BlindHash(4); math.Abs(lone.Mean-100) > 1e-9 || lone.Collides != 1 {
		t.Errorf("4 pieces on one shard = %+v, want all on it", lone)
	}
}

// TestFullestIsEnumeration counts all n^s placements one by one.
func TestFullestIsEnumeration(t *testing.T) {
	for _, tt := range []struct{ s, n int }{{1, 1}, {2, 1}, {1, 5}, {3, 2}, {4, 4}, {6, 3}, {7, 4}, {5, 8}} {
		total := int(math.Pow(float64(tt.n), float64(tt.s)))
		seen := make([]int, tt.s+1)
		for code := range total {
			bins, rest, most := make([]int, tt.n), code, 0
			for range tt.s {
				bins[rest%tt.n]++
				most = max(most, bins[rest%tt.n])
				rest /= tt.n
			}
			seen[most]++
		}
		got, sum := fullest(tt.s, tt.n), 0
		for m, n := range seen {
			sum += n
			want := float64(sum) / float64(total)
			if p := got[min(m, len(got)-1)]; math.Abs(p-want) > 1e-12 {
				t.Errorf("P(fullest of %d bins <= %d of %d) = %.15g, want %.15g", tt.n, m, tt.s, p, want)
			}
		}
	}
}

func TestBlindHashIsNeverBetterThanPlaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Form{
			Share: rapid.Float64Range(0, 1).Draw(t, "f"), Rate: 1000,
			Shards: rapid.IntRange(1, 64).Draw(t, "N"), Reads: rapid.Float64Range(0, 1).Draw(t, "r"),
		}
		s := rapid.IntRange(1, 64).Draw(t, "s")
		got := f.BlindHash(s)
		if got.Mean < f.Salted(s)*(1-1e-9) || got.P05 > got.P95 || got.P05 < f.Salted(s)*(1-1e-9) {
			t.Fatalf("BlindHash(%d) of %+v = %+v, placed %g", s, f, got, f.Salted(s))
		}
		if !(got.Collides >= 0 && got.Collides <= 1) {
			t.Fatalf("collides %g", got.Collides)
		}
	})
}

func BenchmarkBlindHash(b *testing.B) {
	f := Form{Share: 0.1, Rate: 1e5, Shards: 512}
	for b.Loop() {
		_ = f.BlindHash(512)
	}
}
