package measure

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRun measures two cases by a clock that they move: medians, quartiles, ratios, order and calibration are known.
func TestRun(t *testing.T) {
	var now time.Duration
	var order strings.Builder
	calls := map[string]int{}
	slowRound := 0
	move := func(name string, by func() time.Duration) func() {
		return func() {
			now += by()
			calls[name]++
			order.WriteString(name)
		}
	}
	results, err := Run([]Case{
		{Name: "a", Units: 10, Bytes: 1000, Run: move("a", func() time.Duration { return time.Millisecond })},
		{Name: "b", Units: 1, Run: move("b", func() time.Duration {
			if slowRound > 4 {
				return 40 * time.Millisecond // a burst of noise in few rounds
			}
			return 4 * time.Millisecond
		})},
	}, Config{Rounds: 7, Round: 4 * time.Millisecond, Clock: func() time.Duration { return now }, Done: func(n int) { slowRound = n }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := results[0], results[1]
	if a.Nanos != 100_000 || a.Low != 100_000 || a.High != 100_000 || a.MBs != 1 {
		t.Errorf("a: %+v, want 100 us a unit and 1 MB/s", a)
	}
	if b.Nanos != 4e6 || b.Low != 4e6 || b.High != 22e6 || b.MBs != 0 {
		t.Errorf("b: %+v, want a median of 4 ms that the noise does not move", b)
	}
	if got := b.Ratio(a); got != 40 {
		t.Errorf("b/a = %v, want 40", got)
	}
	if calls["a"] != 1+2+4+7*4 || calls["b"] != 1+7 {
		t.Errorf("calls %v: a needs 4 calls a round, b 1", calls)
	}
	if want := "aaaaaaab" + strings.Repeat("aaaabbaaaa", 3) + "aaaab"; order.String() != want {
		t.Errorf("order %s, want %s", order.String(), want)
	}
}

func TestAllocations(t *testing.T) {
	var sink []byte
	results, err := Run([]Case{
		{Name: "none", Units: 1, Run: func() { sink = sink[:0] }},
		{Name: "two", Units: 4, Run: func() {
			for range 8 {
				sink = make([]byte, 1024)
			}
		}},
	}, Config{Round: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if none := results[0]; none.Allocs > 0.01 || none.Nanos <= 0 {
		t.Errorf("%+v, want no allocations in more than no time", none)
	}
	if two := results[1]; math.Abs(two.Allocs-2) > 0.01 || math.Abs(two.AllocBytes-2048) > 16 || len(two.Rounds) != MinRounds {
		t.Errorf("%v allocations of %v bytes in %d rounds, want 2 of 2048 in %d", two.Allocs, two.AllocBytes, len(two.Rounds), MinRounds)
	}
}

func TestRefuses(t *testing.T) {
	work := func() {}
	for _, c := range []struct {
		cases []Case
		cfg   Config
	}{
		{[]Case{{Name: "idle", Units: 1}}, Config{}},
		{[]Case{{Name: "nothing", Run: work}}, Config{}},
		{[]Case{{Name: "hasty", Units: 1, Run: work}}, Config{Rounds: MinRounds - 1}},
	} {
		if _, err := Run(c.cases, c.cfg); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{4, 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 1: 4, 0.25: 1.75} {
		if got := quantile(values, q); got != want {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
	if !slices.Equal(values, []float64{4, 1, 3, 2}) || quantile(nil, 0.5) != 0 {
		t.Error("quantile sorts its argument, or finds something in nothing")
	}
}
