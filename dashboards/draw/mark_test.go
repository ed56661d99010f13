package draw

import (
	"html/template"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMarksDiffer: onset, verdict and end are told apart by shape, not by what is filled, and the legend has the same shapes.
func TestMarksDiffer(t *testing.T) {
	tmpl, err := Parse(template.New(""))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	figure := (&HeatMap{ID: "m", From: at, Width: time.Minute, Scale: OfMean(1.5), Rows: []Row{{
		Label: "shard-0", Cells: make([]Cell, 20), Marks: []Mark{{Onset: at.Add(2 * time.Minute), Verdict: at.Add(5 * time.Minute), Resolved: at.Add(9 * time.Minute)}},
	}}}).Figure()
	drawn := func(name string, v any) string {
		var b strings.Builder
		if err := tmpl.ExecuteTemplate(&b, name, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	page, shapes := drawn("heatmap", figure), map[string]string{}
	for _, class := range []string{"onset", "told", "end"} {
		mark := regexp.MustCompile(`<(path|circle) class="` + class + `"[^>]*>`).FindString(page)
		if mark == "" || !strings.Contains(drawn("glyph-"+class, nil), mark) {
			t.Errorf("%s is drawn as %q, and otherwise in the legend", class, mark)
		}
		shape := strings.Replace(mark, class, "", 1)
		if other, same := shapes[shape]; same {
			t.Errorf("%s and %s have one shape", class, other)
		}
		shapes[shape] = class
	}
}

// TestMarksHideNothing: whatever the marks of a row, above them the upper part of every cell is seen: no mark with its edge reaches into
// it, nor into another row, and neither does the line of a hotspot's life.
func TestMarksHideNothing(t *testing.T) {
	css, err := os.ReadFile("../report/report.css")
	if err != nil {
		t.Fatal(err)
	}
	edge := 0.0
	if m := regexp.MustCompile(`\.onset,\.told,\.end\{[^}]*stroke-width:([0-9.]+)`).FindSubmatch(css); m != nil {
		edge, _ = strconv.ParseFloat(string(m[1]), 64)
	}
	tmpl, err := os.ReadFile("draw.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	tallest := 0.0
	for _, shape := range []string{`L4\.8 0L-3\.5 ([0-9.]+)z`, `circle class="told" r="([0-9.]+)"`, `M-3\.8 -([0-9.]+)h7`} {
		m := regexp.MustCompile(shape).FindSubmatch(tmpl)
		if m == nil {
			t.Fatalf("no mark has the shape %s", shape)
		}
		half, _ := strconv.ParseFloat(string(m[1]), 64)
		tallest = max(tallest, 2*half)
	}
	if edge <= 0 || math.Abs(tallest+edge-markSize) > 1e-9 {
		t.Fatalf("the tallest mark is %v high with an edge of %v, markSize is %v", tallest, edge, markSize)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, n := range []int{1, 8, 9, 16, 17, 32, 33, 60} {
		m := HeatMap{ID: "m", From: at, Width: time.Minute, Scale: OfMean(1.5)}
		for range n {
			m.Rows = append(m.Rows, Row{Label: "s", Cells: make([]Cell, 180), Marks: []Mark{{Number: 1, Onset: at.Add(time.Hour), Verdict: at.Add(61 * time.Minute), Resolved: at.Add(62 * time.Minute)}}})
		}
		height := rowHeight(n)
		for i, track := range m.Figure().Tracks {
			top, bottom := mapTop+float64(i)*height, mapTop+float64(i+1)*height
			half := max(track.Scale*markSize, 3.4) / 2 // a mark, or the halo of the line
			if seen := track.Y - half - top; seen < 0.44*height || track.Y+half > bottom+0.01 {
				t.Errorf("%d rows, row %d: marks from %v to %v of a row from %v to %v", n, i, track.Y-half, track.Y+half, top, bottom)
			}
			if track.Scale < 0.55 {
				t.Errorf("%d rows: marks at %v of their size are too small to tell", n, track.Scale)
			}
		}
	}
}
