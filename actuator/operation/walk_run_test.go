package operation_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"firebreak/actuator/operation"
)

var seeds = flag.Uint64("seeds", 150, "how many walks TestAnyOrder makes")

// TestAnyOrder: whatever happens in whatever order, every property holds, and in the end nothing is stuck.
func TestAnyOrder(t *testing.T) {
	n := *seeds
	if testing.Short() {
		n = min(n, 30)
	}
	for seed := range n {
		w := seeded(t, seed, operation.Machines())
		if w.run(60); w.broken != "" {
			t.Fatalf("seed %d: %s: %s", seed, w.broken, w.why)
		}
	}
}

// TestAnyShortOrder is TestAnyOrder with walks that are made as short as they can be where a property breaks.
func TestAnyShortOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("100 walks, of which each draws thousands of times")
	}
	one := rapid.IntRange(0, 1<<20)
	rapid.Check(t, func(t *rapid.T) {
		w := newWalk(newRig(t), func(n int) int { return one.Draw(t, "pick") % n }, operation.Machines())
		if w.run(12); w.broken != "" {
			t.Fatalf("%s: %s", w.broken, w.why)
		}
	})
}

func seeded(t *testing.T, seed uint64, tables []operation.Machine) *walk {
	t.Helper()
	return newWalk(newRig(t), rand.New(rand.NewPCG(seed, 1)).IntN, tables)
}
