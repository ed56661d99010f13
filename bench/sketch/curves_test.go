package sketch

import (
	"strings"
	"testing"

	"firebreak/bench/textbook"
)

// TestOperations: every call is measured, and nothing that answers from running totals is a matter of milliseconds.
func TestOperations(t *testing.T) {
	o, err := RunOperations(tiny())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := o.Write(&out); err != nil {
		t.Fatal(err)
	}
	if len(o.Calls) != 4 || o.Part < 100 || o.Part > 512<<10 || o.Speedup <= 0 {
		t.Errorf("%+v, want four calls, parts on a log, two goroutines", o)
	}
	for _, c := range o.Calls {
		if c.Nanos <= 0 || !strings.Contains(out.String(), c.Name) {
			t.Errorf("%s takes %v ns:\n%s", c.Name, c.Nanos, out.String())
		}
	}
}

// TestCurves: the points are those that were asked for, and what is counted in them came.
func TestCurves(t *testing.T) {
	cfg := tiny()
	cfg.Panes, cfg.Updates = 10, 100
	curves, err := RunCurves(cfg)
	if err != nil || len(curves) != 4 {
		t.Fatalf("%d curves, %v, want 4", len(curves), err)
	}
	want := [][]float64{{10_000, 20_000}, {10_000, 20_000}, {100, 200, 500, 1000, 2000, 5000}, {1, 2, 4, 8, 16, 32}}
	for i := range curves {
		c := &curves[i]
		if len(c.Points) != len(want[i]) {
			t.Fatalf("%s: %d points, want %d", c.Title, len(c.Points), len(want[i]))
		}
		for j, p := range c.Points {
			if p[0] != want[i][j] || len(p) != len(c.Columns) || len(p) != len(c.Digits) || p[len(p)-1] <= 0 {
				t.Errorf("%s: %v, want one of %v with %d figures", c.Title, p, want[i][j], len(c.Columns))
			}
		}
		var out strings.Builder
		if err := c.Write(&out); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 2+len(c.Points) || !strings.HasPrefix(out.String(), c.Title) {
			t.Errorf("%d lines, want a title, a head and %d points:\n%s", lines, len(c.Points), out.String())
		}
	}
	for _, p := range curves[0].Points {
		if p[1] != p[0] || p[2] != p[0] {
			t.Errorf("%v: want every key once", p)
		}
	}
	for _, p := range curves[1].Points {
		if p[1] < p[0]/20 || p[1] > p[0]/2 {
			t.Errorf("%v: %v of the keys came, want some, as Zipf 1.1 has it", p, p[1])
		}
	}
	if a, b := curves[0].Points[0], curves[0].Points[1]; a[6] != b[6] {
		t.Errorf("%v and %v KiB: memory grows with the keys", a[6], b[6])
	}
}

// TestDrawer: an even draw has each key once before any comes again; Zipf's has ranks in their order.
func TestDrawer(t *testing.T) {
	even := newDrawer(1000, 500, 0, 1)
	times := map[string]int{}
	for pane := range 4 {
		even.draw()
		for i := range even.of {
			times[string(even.pane[i*textbook.KeyBytes:(i+1)*textbook.KeyBytes])]++
		}
		if want := min(1000, 500*(pane+1)); even.distinct() != want || len(times) != want {
			t.Errorf("%d and %d keys after pane %d, want %d", even.distinct(), len(times), pane, want)
		}
	}
	for key, n := range times {
		if n != 2 || !strings.HasPrefix(key, "key:0000") {
			t.Errorf("%q came %d times, want 2", key, n)
		}
	}
	const drawn = 200_000
	skewed := newDrawer(1000, drawn, 1.1, 1)
	skewed.draw()
	counts := make([]int, 3)
	for i := range skewed.of {
		switch string(skewed.pane[i*textbook.KeyBytes : (i+1)*textbook.KeyBytes]) {
		case "key:0000000000000000":
			counts[0]++
		case "key:0000000000000001":
			counts[1]++
		case "key:00000000000003e7":
			counts[2]++
		}
	}
	// By the continuous law: (1 - 2^-.1) / (1 - 1001^-.1) = 13.4 %, (2^-.1 - 3^-.1) / ... = 7.4 %, and the last .01 %.
	for i, want := range []float64{.134, .0743, .0001} {
		if got := float64(counts[i]) / drawn; got < want*.7 || got > want*1.3 {
			t.Errorf("rank %d has a share of %.4f, want about %.4f", i, got, want)
		}
	}
}
