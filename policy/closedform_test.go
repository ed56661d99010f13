package policy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// twelve and thirty are the fleets of the published arithmetic: one written key of 12 % and 30 % on 16 shards.
func twelve() Form { return Form{Share: 0.12, Rate: 100_000, Shards: 16} }
func thirty() Form { return Form{Share: 0.30, Rate: 100_000, Shards: 16} }

func TestFormFigures(t *testing.T) {
	read10, read50 := twelve(), twelve()
	read10.Reads, read50.Reads = 0.10, 0.50
	tests := []struct {
		name      string
		got, want float64
		within    float64
	}{
		{"12 %: hottest now", twelve().Hottest(16), 17_500, 1e-9},
		{"12 %: mean", twelve().Mean(), 6_250, 1e-9},
		{"12 %: on 1,024 shards", twelve().Hottest(1024), 12_086, 0.5},
		{"12 %: floor", twelve().Floor(), 12_000, 1e-9},
		{"12 %: one piece is no salt", twelve().Salted(1), 17_500, 1e-9},
		{"12 %: salt 3", twelve().Salted(3) / twelve().Mean(), 1.52, 1e-9},
		{"12 %: salt 4", twelve().Salted(4), 8_500, 1e-9},
		{"12 %: salt 4 over mean", twelve().Salted(4) / twelve().Mean(), 1.36, 1e-9},
		{"12 %: salt 4 reads", twelve().FleetReadMultiplier(4, 0.12), 1.36, 1e-9},
		{"12 %: salt 8", twelve().Salted(8), 7_000, 1e-9},
		{"12 %: salt 8 over mean", twelve().Salted(8) / twelve().Mean(), 1.12, 1e-9},
		{"12 %: salt 8 reads", twelve().FleetReadMultiplier(8, 0.12), 1.84, 1e-9},
		{"12 %: salt 16", twelve().Salted(16), 6_250, 1e-9},
		{"12 %: salt 16 reads", twelve().FleetReadMultiplier(16, 0.12), 2.80, 1e-9},
		{"12 %: 32 pieces on 16 shards are two each", twelve().Salted(32), 6_250, 1e-9},
		{"30 %: hottest now", thirty().Hottest(16), 34_375, 1e-9},
		{"30 %: on 1,024 shards", thirty().Hottest(1024), 30_068, 0.5},
		{"30 %: salt 6 reads", thirty().FleetReadMultiplier(6, 0.30), 2.5, 1e-9},
		{"30 %: salt 6 reads of the key", thirty().KeyReadMultiplier(6), 6, 0},
		{"12 %, 10 % reads: salt 4", read10.Salted(4), 9_400, 1e-9},
		{"12 %, 10 % reads: salt floor", read10.SaltFloor(), 6_700, 1e-9},
		{"12 %, 50 % reads: salt floor", read50.SaltFloor(), 11_500, 1e-9},
		{"key never read", twelve().FleetReadMultiplier(4, 0), 1, 0},
	}
	for _, tt := range tests {
		if math.Abs(tt.got-tt.want) > tt.within {
			t.Errorf("%s = %g, want %g", tt.name, tt.got, tt.want)
		}
	}
}

func TestSmallestSalt(t *testing.T) {
	reads := func(f Form, r float64) Form { f.Reads = r; return f }
	tests := []struct {
		name   string
		form   Form
		target float64
		want   int
		ok     bool
	}{
		{"12 % for 1.5 x mean", twelve(), 9_375, 4, true},
		{"30 % for 1.5 x mean, met exactly", thirty(), 9_375, 6, true},
		{"10 % reads: 4 leaves 9,400", reads(twelve(), 0.10), 9_375, 5, true},
		{"50 % reads: no s is enough", reads(twelve(), 0.50), 9_375, 0, false},
		{"nothing to do", twelve(), 17_500, 1, true},
		{"below the mean", twelve(), 6_000, 0, false},
		{"not a number", twelve(), math.NaN(), 0, false},
	}
	for _, tt := range tests {
		if got, ok := tt.form.SmallestSalt(tt.target); got != tt.want || ok != tt.ok {
			t.Errorf("%s: SmallestSalt(%g) = %d, %v, want %d, %v", tt.name, tt.target, got, ok, tt.want, tt.ok)
		}
	}
}

// TestSmallestSaltIsSmallest checks the search against s >= f*N / (t - 1 + f) for written keys.
func TestSmallestSaltIsSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Form{Share: rapid.Float64Range(0.001, 0.999).Draw(t, "f"), Rate: 100_000, Shards: rapid.IntRange(2, 512).Draw(t, "N")}
		over := rapid.Float64Range(1.05, 4).Draw(t, "t")
		want := math.Ceil(f.Share*float64(f.Shards)/(over-1+f.Share) - 1e-6)
		s, ok := f.SmallestSalt(over * f.Mean())
		if !ok || math.Abs(float64(s)-max(1, want)) > 1e-9 {
			t.Fatalf("SmallestSalt(%g x mean) of %+v = %d, %v, want %g", over, f, s, ok, want)
		}
		if s > 1 && f.Salted(s-1) <= over*f.Mean() {
			t.Fatalf("a salt of %d meets it too", s-1)
		}
	})
}

func TestSmallestFleet(t *testing.T) {
	tests := []struct {
		target float64
		want   int
		ok     bool
	}{
		{17_500, 16, true},
		{17_499, 17, true},
		{12_086, 1024, true},
		{100_000, 1, true},
		{12_000, 0, false},
		{9_375, 0, false},
		{12_000.00001, 0, false},
		{math.NaN(), 0, false},
	}
	for _, tt := range tests {
		if n, ok := twelve().SmallestFleet(tt.target); n != tt.want || ok != tt.ok {
			t.Errorf("SmallestFleet(%g) = %d, %v, want %d, %v", tt.target, n, ok, tt.want, tt.ok)
		}
	}
}

func TestSplitAndCache(t *testing.T) {
	f := Form{Share: 0.12, Rate: 100_000, Shards: 16, Reads: 0.75}
	tests := []struct {
		name      string
		got, want float64
	}{
		{"alone", f.Alone(), 12_000},
		{"alone, small key", Form{Share: 0.02, Rate: 100_000, Shards: 11}.Alone(), 9_800},
		{"alone, one shard", Form{Share: 0.02, Rate: 100_000, Shards: 1}.Alone(), 100_000},
		{"cached", f.Cached(1), 8_500},
		{"cached, writes in 3", f.Cached(3), 6_500},
		{"cached, 32 pieces on 16 shards", f.Cached(32), 5_500 + 2*3_000/32.},
		{"cached, never written", Form{Share: 0.12, Rate: 100_000, Shards: 16, Reads: 1}.Cached(1), 5_500},
	}
	for _, tt := range tests {
		if math.Abs(tt.got-tt.want) > 1e-9 {
			t.Errorf("%s = %g, want %g", tt.name, tt.got, tt.want)
		}
	}
	if s, ok := f.SmallestCachedSalt(6_500); s != 3 || !ok {
		t.Errorf("SmallestCachedSalt(6,500) = %d, %v, want 3", s, ok)
	}
	if s, ok := f.SmallestCachedSalt(5_500); ok {
		t.Errorf("SmallestCachedSalt(5,500) = %d, want none", s)
	}
}

// TestSmallestSaltedFleet: the formula agrees with the salt it promises, one shard less does not have one.
func TestSmallestSaltedFleet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Form{
			Share: rapid.Float64Range(0.001, 0.999).Draw(t, "f"), Rate: 100_000,
			Reads: rapid.Float64Range(0, 1).Draw(t, "r"), Shards: 1,
		}
		target := rapid.Float64Range(500, 100_000).Draw(t, "target")
		n, ok := f.SmallestSaltedFleet(target)
		if !ok {
			if f.Reads*f.Floor() < target*0.999 {
				t.Fatalf("no fleet of %+v meets %g", f, target)
			}
			return
		}
		if f.Shards = n; n < 5000 && f.Salted(n) > target*(1+1e-8) {
			t.Fatalf("%d shards: salted %g, target %g", n, f.Salted(n), target)
		}
		if cached, ok := f.SmallestCachedFleet(target); !ok || cached > n {
			t.Fatalf("%d shards with a cache, %v, %d without", cached, ok, n)
		} else if f.Shards = cached; f.Cached(cached) > target*(1+1e-8) {
			t.Fatalf("%d shards with a cache: %g, target %g", cached, f.Cached(cached), target)
		}
		if f.Shards = n - 1; n > 1 && f.Salted(n-1) <= target*(1-1e-8) {
			t.Fatalf("%d shards are enough: salted %g, target %g", n-1, f.Salted(n-1), target)
		}
	})
}

func TestZipf(t *testing.T) {
	tests := []struct {
		s            float64
		top          int
		want, within float64
	}{
		{1.5, 1000, 0.98, 0.005},
		{1.5, 1, 0.38, 0.005},
		{0.8, 1000, 0.34, 0.005}, // published as "35 % is about Zipf 0.8"
		{0.81, 1000, 0.35, 0.01},
		{0, 1000, 0.01, 1e-12},
		{1.2, 100_000, 1, 1e-12},
	}
	for _, tt := range tests {
		if got := Zipf(tt.s, 100_000, tt.top); math.Abs(got-tt.want) > tt.within {
			t.Errorf("Zipf(%g) share of the top %d = %.4f, want %g", tt.s, tt.top, got, tt.want)
		}
	}
	if got := Zipf(1, 0, 1); got != 0 {
		t.Errorf("Zipf of no keys = %g, want 0", got)
	}
}

func TestMovedShares(t *testing.T) {
	fleet, shard := MovedShares(100, 10_240, 32)
	if math.Abs(fleet-0.01) > 5e-4 || math.Abs(shard-0.31) > 5e-3 {
		t.Errorf("100 of 10,240 vshards on 32 shards = %.4f of the fleet, %.4f of a shard, want 0.01, 0.31", fleet, shard)
	}
}
