package console

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"firebreak/dashboards/draw"
	"firebreak/internal/history"
	"firebreak/routing"
)

// minuteOf makes a minute of n shards; full gives load / line of each.
func minuteOf(at int64, n int, full func(shard int) float64) *history.Minute {
	m := &history.Minute{Fleet: "orders", Start: time.Unix(at*60, 0).UTC(), Covered: time.Minute, Samples: 1e6, Load: float64(n) * 100}
	for i := range n {
		m.Shards = append(m.Shards, history.Shard{Name: fmt.Sprint("shard-", i), Role: routing.Serving, Load: 100 * full(i), Full: full(i), Line: 100, Capacity: 150})
	}
	return m
}

// TestGridIsTheMaximum: whatever minutes come in whatever order, what is shown is the maximum of those of the last 24 hours, each
// taken once.
func TestGridIsTheMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const first = 30_000_000
		var g grid
		truth := map[int64]float64{}
		newest := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "minutes") {
			at := first + rapid.Int64Range(0, 2*gridMinutes).Draw(t, "minute")
			full := rapid.Float64Range(0, 0.99).Draw(t, "full")
			taken := g.add(minuteOf(at, 3, func(int) float64 { return full }))
			if _, known := truth[at]; known && taken {
				t.Fatalf("minute %d is taken twice", at)
			}
			if taken {
				truth[at] = full
			}
			newest = max(newest, g.newest)
		}
		minutes, most := rapid.IntRange(1, gridMinutes).Draw(t, "asked"), rapid.IntRange(1, gridMinutes).Draw(t, "columns")
		s := g.last(minutes, most)
		if s.columns > most {
			t.Fatalf("%d columns, at most %d", s.columns, most)
		}
		step := int64(s.width / time.Minute)
		for i, c := range s.cells[1] {
			want := draw.Cell{}
			for m := s.from.Unix()/60 + int64(i)*step; m < s.from.Unix()/60+int64(i+1)*step; m++ {
				if m > newest-gridMinutes {
					want = want.Join(draw.Cell{Full: float32(truth[m])})
				}
			}
			if c != want {
				t.Fatalf("column %d: %v, want %v", i, c, want)
			}
		}
	})
}

// TestGridShards: shards beyond the bound are counted; a shard that joins later has a row from then on.
func TestGridShards(t *testing.T) {
	var g grid
	full := func(int) float64 { return 0.5 }
	g.add(minuteOf(100, 2, full))
	g.add(minuteOf(101, gridShards+7, full))
	if len(g.names) != gridShards || g.left != 7 {
		t.Errorf("%d shards, %d left out", len(g.names), g.left)
	}
	s := g.last(10, 10)
	if s.cells[5][s.columns-2].Full != 0 || s.cells[5][s.columns-1].Full != 0.5 || s.cells[1][s.columns-2].Full != 0.5 {
		t.Errorf("cells: %v %v", s.cells[5], s.cells[1])
	}
}

// TestThinMinute: a load over the line on a handful of records is drawn as doubt, on many as what it is.
func TestThinMinute(t *testing.T) {
	for _, tt := range []struct {
		samples float64
		want    draw.Cell
	}{{1e6, draw.Cell{Full: 1.5}}, {100, draw.Cell{Full: 1, Thin: 1.5}}, {20, draw.Cell{Full: 1}}} {
		m := minuteOf(100, 4, func(i int) float64 { return []float64{1.5, 0.5, 0.5, 0.5}[i] })
		m.Samples = tt.samples
		if got := minuteCell(&m.Shards[0], m); got != tt.want {
			t.Errorf("%v records: %+v, want %+v", tt.samples, got, tt.want)
		}
	}
}

// dayMinute is a minute of a day of which no two neighbours are alike.
func dayMinute(i, n int) *history.Minute {
	return minuteOf(int64(30_000_000+i), n, func(s int) float64 { return float64((i*7919+s*104_729)%1300) / 1000 })
}

// fullDay is a model of n shards with a whole day of minutes.
func fullDay(tb testing.TB, n int) *Model {
	m := New([]Fleet{{Name: "orders"}}, nil)
	m.fleets[0].Judge.Lines.Warning, m.fleets[0].Judge.Lines.Critical = 0.7, 0.8
	for i := range gridMinutes {
		m.Minute(dayMinute(i, n))
	}
	if got := m.fleets[0].grid.last(gridMinutes, gridMinutes); got.minutes != gridMinutes || len(got.cells) != n {
		tb.Fatalf("%d minutes of %d shards", got.minutes, len(got.cells))
	}
	return m
}

// BenchmarkDay draws 32 shards x 1,440 minutes of which no two neighbours are alike: the page, and the answer of the API.
func BenchmarkDay(b *testing.B) {
	h := served(b, fullDay(b, 32), &oracle{})
	for name, path := range map[string]string{"page": "/?hours=24", "api": "/api/v1/heatmap"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if w := get(b, h, path); w.Code != 200 {
					b.Fatal(w.Code)
				} else {
					b.ReportMetric(float64(w.Body.Len()), "bytes")
				}
			}
		})
	}
}
