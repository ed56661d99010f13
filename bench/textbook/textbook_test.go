package textbook

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestRingsCountWhatExactCounts: over more panes than the window has, a ring never says less than there is, and its heap
// holds the heaviest keys.
func TestRingsCountWhatExactCounts(t *testing.T) {
	stream := Draw(Kind{Zipf: 1.2, Keys: 5_000, Drift: 3}, 8, 1_000, 1)
	exact := NewExact(4)
	rings := []*Ring{NewRing(4, 200, 4096), NewDoubleHashed(4, 200, 4096)}
	for i := range stream.Len() {
		exact.Add(stream.Key(i), 2)
		for _, r := range rings {
			r.Add(stream.Key(i), 2)
		}
		if i%stream.PerPane != stream.PerPane-1 || i == stream.Len()-1 {
			continue
		}
		exact.Tick()
		for _, r := range rings {
			r.Tick()
		}
	}
	for n, r := range rings {
		for i := range stream.Len() {
			key := string(stream.Key(i))
			if r.Estimate(key) < exact.Count(key) {
				t.Fatalf("ring %d: %s has %d, estimate %d", n, key, exact.Count(key), r.Estimate(key))
			}
		}
		top := r.Top(50)
		for _, want := range exact.Top(20) {
			if !slices.ContainsFunc(top, func(e Entry) bool { return e.Key == want.Key }) {
				t.Errorf("ring %d: %s with %d is not among its 50 heaviest", n, want.Key, want.Count)
			}
		}
	}
	for range 4 {
		exact.Tick()
	}
	if exact.Distinct() != 0 {
		t.Errorf("%d keys are left after a silent window", exact.Distinct())
	}
}

// TestDraw: the law, the one-off keys and the tenants are as asked for, and the same seed draws the same stream.
func TestDraw(t *testing.T) {
	const n = 200_000
	kind := Kind{Zipf: 1, Keys: 100, OneOff: .5}
	a, b := Draw(kind, 2, n/2, 5), Draw(kind, 2, n/2, 5)
	if !slices.Equal(a.keys, b.keys) || !slices.Equal(a.tenants, b.tenants) {
		t.Error("the same seed draws another stream")
	}
	once, counts := 0, map[string]int{}
	for i := range a.Len() {
		if len(a.Key(i)) != KeyBytes {
			t.Fatalf("key of %d bytes", len(a.Key(i)))
		}
		if a.OneOff(i) {
			once++
		}
		counts[string(a.Key(i))]++
		if a.Tenant(i) != fmt.Sprintf("tenant-%04d", a.TenantID(i)) {
			t.Fatalf("tenant %q", a.Tenant(i))
		}
	}
	if math.Abs(float64(once)/n-.5) > .01 || len(counts) != once+100 {
		t.Errorf("%d of %d are one-off, %d keys in all", once, n, len(counts))
	}
	first := float64(counts[string(appendKey(nil, 0))])
	if second := float64(counts[string(appendKey(nil, 1))]); math.Abs(first/second-2) > .1 {
		t.Errorf("the first rank has %v times what the second has, want 2", first/second)
	}
}
