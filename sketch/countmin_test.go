package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"firebreak/bench/textbook"
)

// TestEpsilonDelta: what a Count-Min says too much of a name is at most e/w of all that was added, but for a share e^-4 of
// the names; over 50 seeds, with three standard deviations of room.
func TestEpsilonDelta(t *testing.T) {
	const width, names, asked, seeds = 256, 20_000, 2_000, 50
	failed := 0
	for seed := range uint64(seeds) {
		c, random := newCountMin(width), rand.New(rand.NewPCG(seed, 2))
		truth := make([]uint64, names)
		for range 4 * names {
			i := random.IntN(names)
			if random.IntN(3) == 0 {
				i %= 20
			}
			truth[i]++
			c.add(hashed(fmt.Append(nil, i), seed), 1)
		}
		limit := math.E / width * float64(c.mass)
		for i := range asked {
			at := c.locate(hashed(fmt.Append(nil, i), seed))
			over := c.least(at) - truth[i]
			if c.least(at) < truth[i] {
				t.Fatalf("seed %d: name %d has %d, answer %d", seed, i, truth[i], c.least(at))
			}
			if float64(over) > limit {
				failed++
			}
		}
	}
	n, p := float64(asked*seeds), math.Exp(-depth)
	if most := n*p + 3*math.Sqrt(n*p*(1-p)); float64(failed) > most {
		t.Errorf("%d of %.0f answers are too high by more than e/w, at most %.0f may be", failed, n, most)
	}
}

// TestRowsAreIndependent: two names that share a cell in one row share one in another as rarely as any two names do.
func TestRowsAreIndependent(t *testing.T) {
	const width, names = 64, 3_000
	c := newCountMin(width)
	spots := make([][depth]uint32, names)
	for i := range spots {
		spots[i] = c.locate(hashed(fmt.Append(nil, i), 5)).all()
	}
	var one, two float64
	for i := range spots {
		for j := range i {
			shared := 0
			for r := range depth {
				if spots[i][r] == spots[j][r] {
					shared++
				}
			}
			if shared >= 1 {
				one++
			}
			if shared >= 2 {
				two++
			}
		}
	}
	pairs, p := float64(names*(names-1)/2), 1.0/width
	wantOne := pairs * (1 - math.Pow(1-p, depth))
	wantTwo := pairs * (1 - math.Pow(1-p, depth) - depth*p*math.Pow(1-p, depth-1))
	// Names share pairs, so the spread is a little over the binomial one: five standard deviations.
	if math.Abs(one-wantOne) > 5*math.Sqrt(wantOne) || math.Abs(two-wantTwo) > 5*math.Sqrt(wantTwo) {
		t.Errorf("pairs that share a cell: %.0f, want %.0f; two cells: %.0f, want %.0f", one, wantOne, two, wantTwo)
	}
}

// TestFoldedIsAnUpperBound: after folding no name has less than before.
func TestFoldedIsAnUpperBound(t *testing.T) {
	c, b := newCountMin(1024), newBounds(64)
	for i := range 5_000 {
		c.add(hashed(fmt.Append(nil, i%700), 3), uint64(i%13)*One)
	}
	folded := make([]uint64, depth*64)
	c.foldInto(folded)
	b.addCells(folded, 0)
	for i := range 900 {
		h := hashed(fmt.Append(nil, i), 3)
		at := c.locate(h)
		if b.of(h) < c.least(at) {
			t.Fatalf("name %d: %d folded, %d before", i, b.of(h), c.least(at))
		}
	}
}

// TestBoundsCountAnything: cells of 32 bits stay upper bounds for sums of any size, in any order.
func TestBoundsCountAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		b, truth := newBounds(16), uint64(0)
		h := random.Uint64()
		for range 40 {
			v := random.Uint64() >> random.IntN(64)
			truth = plus(truth, v)
			b.addName(h, v)
			if got := b.of(h); got < truth {
				t.Fatalf("%d is under %d", got, truth)
			}
		}
		if b.of(h) > plus(truth, truth>>20+40<<b.shift) {
			t.Fatalf("%d is far over %d", b.of(h), truth)
		}
	}
}

// TestNoFalseHotKeys: of 5 M one-off keys beside a Zipf none looks hot. A ring of the same width whose rows are chosen by
// h1 + i*h2 does report such keys: this test would notice.
func TestNoFalseHotKeys(t *testing.T) {
	panes, perPane := 50, 111_112
	if testing.Short() {
		panes = 5
	}
	stream := textbook.Draw(textbook.Kind{Zipf: 1.2, Keys: 10_000, OneOff: .9}, panes, perPane, 3)
	cfg := Default(panes, 0, 0, 3)
	cfg.TenantSlots, cfg.PairSlots = 0, 0
	s, exact := newSliding(t, cfg), textbook.NewExact(panes)
	wrong := textbook.NewDoubleHashed(panes, 200, cfg.Width)
	right := textbook.NewRing(panes, 200, cfg.Width)
	e := event(0, "", One)
	for i := range stream.Len() {
		e.Key, e.Pane = stream.Key(i), int64(i/perPane)
		s.Add(e)
		if !stream.OneOff(i) { // one-off keys have 1, or 0 once they have left
			exact.Add(e.Key, 1)
		}
		wrong.Add(e.Key, 1)
		right.Add(e.Key, 1)
		if i%perPane == perPane-1 && i < stream.Len()-1 {
			s.Slide(e.Pane)
			for _, w := range []interface{ Tick() }{exact, wrong, right} {
				w.Tick()
			}
		}
	}
	s.Slide(int64(panes) - 1)
	line := exact.Top(100)[99].Count
	for _, l := range s.Window(100).Keys {
		if truth := exact.Count(l.Name); truth < line/2 && l.weight >= line*One {
			t.Errorf("%q has %d and is listed with %v; the line is %d", l.Name, truth, Float(l.weight), line)
		}
	}
	if n := falseHot(right, exact, line); n > 0 {
		t.Errorf("independent rows report %d keys that are not hot", n)
	}
	if n := falseHot(wrong, exact, line); n == 0 && !testing.Short() {
		t.Error("double hashing reports no key that is not hot: this test notices nothing")
	}
}

func falseHot(r *textbook.Ring, exact *textbook.Exact, line uint64) (n int) {
	noise := r.Estimate("a key that never came")
	for _, e := range r.Top(200) {
		if truth := exact.Count(e.Key); e.Count >= line+noise && truth < line/2 {
			n++
		}
	}
	return n
}
