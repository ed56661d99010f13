package draw

import (
	"html/template"
	"regexp"
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
