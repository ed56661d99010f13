package console

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// dayBytes bounds the page of a day of 32 shards, of which no two neighbours are alike: the worst that there is to draw.
const dayBytes = 300_000

// TestDayIsWhole: the page of 32 shards x 1,440 minutes shows all 46,080 cells, each in its class, and is small; the API has them all.
// How long it takes is measured by BenchmarkDay.
func TestDayIsWhole(t *testing.T) {
	const shards = 32
	m := fullDay(t, shards)
	h := served(t, m, &oracle{})
	w := get(t, h, "/?hours=24")
	page := w.Body.String()
	if w.Code != 200 || len(page) > dayBytes {
		t.Errorf("%d: a page of %d bytes, at most %d", w.Code, len(page), dayBytes)
	}
	parsed(t, page)
	classes := classesOf(t, page)
	api := read[heatAnswer](t, h, "/api/v1/heatmap")
	if len(api.Shards) != shards || api.Columns != gridMinutes || api.More != 0 {
		t.Fatalf("the API has %d shards x %d minutes, and %d more", len(api.Shards), api.Columns, api.More)
	}
	scale, cells := m.fleets[0].scale(), 0
	for j := range gridMinutes {
		minute := dayMinute(j, shards)
		for i, row := range api.Shards {
			want := minuteCell(&minute.Shards[i], minute)
			if math.Abs(float64(row.Cells[j])-float64(want.Full)) > 1e-5 {
				t.Fatalf("shard %d, minute %d: the API says %v, want %v", i, j, row.Cells[j], want.Full)
			}
			if got := classes[[2]int{j, i}]; got != scale.Class(float64(want.Full)) {
				t.Fatalf("shard %d, minute %d: the page has class %d for %v", i, j, got, want.Full)
			}
			cells++
		}
	}
	if cells != 46_080 {
		t.Errorf("%d cells", cells)
	}
}

// classesOf reads the heat map of a page back, stroke by stroke: the class of each (column, row) that is not idle.
func classesOf(t *testing.T, page string) map[[2]int]int {
	t.Helper()
	grid := regexp.MustCompile(`(?s)<g class="grid".*?</g>`).FindString(page)
	out := map[[2]int]int{}
	for _, layer := range regexp.MustCompile(`<path class="c([1-9])" d="M([^"]*)"`).FindAllStringSubmatch(grid, -1) {
		for stroke := range strings.SplitSeq(layer[2], "M") {
			var x, y, n int
			if _, err := fmt.Sscanf(stroke, "%d %d.5h%d", &x, &y, &n); err != nil {
				t.Fatalf("stroke %q: %v", stroke, err)
			}
			for c := x; c < x+n; c++ {
				out[[2]int{c, y}] = int(layer[1][0] - '0')
			}
		}
	}
	return out
}
