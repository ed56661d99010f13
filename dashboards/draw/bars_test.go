package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestShardBarsHighest: however many shards share a bar, the heaviest of them is there.
func TestShardBarsHighest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loads := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 600).Draw(t, "loads")
		hot := rapid.IntRange(0, len(loads)-1).Draw(t, "hot")
		b := ShardBars{Loads: loads, Was: loads, Hot: hot, Target: 50, Line: 60, Top: 100}
		f := b.Figure()
		highest, bars := 100.0, 0
		for _, l := range f.Layers {
			for bar := range strings.SplitSeq(strings.TrimPrefix(l.Path, "M"), "M") {
				var x, top float64
				var bottom int
				if _, err := fmt.Sscanf(bar, "%f %dV%fh", &x, &bottom, &top); err != nil {
					t.Fatalf("bar %q: %v", bar, err)
				}
				if bars++; l.Class != "hot" {
					highest = min(highest, top)
				}
				if over := top < b.y(b.Target); l.Class != "hot" && math.Abs(top-b.y(b.Target)) > 0.02 && over != (l.Class == "over") {
					t.Fatalf("bar %q is %s, target at %v", bar, l.Class, b.y(b.Target))
				}
			}
		}
		want := 0.0
		for i, load := range loads {
			if i != hot {
				want = max(want, load)
			}
		}
		if want > 2 && math.Abs(highest-b.y(want)) > 0.02 {
			t.Fatalf("the highest of the others is drawn at %v, want %v", highest, b.y(want))
		}
		if bars > barsMost+1 {
			t.Fatalf("%d bars", bars)
		}
	})
}

// TestShardBarsClasses: who gains, who is new and who is over the target can be told apart.
func TestShardBarsClasses(t *testing.T) {
	b := ShardBars{Loads: []float64{5, 9, 5, 5, 12, 20}, Was: []float64{40, 9, 5, 2, 12}, Hot: 0, Target: 10, Line: 10, Upper: 8, Top: 40}
	f := b.Figure()
	var got []string
	for _, l := range f.Layers {
		got = append(got, fmt.Sprint(l.Class, strings.Count(l.Path, "M")))
	}
	if want := "rest2 gain1 new1 over1 hot1"; strings.Join(got, " ") != want {
		t.Errorf("layers %v, want %s: a shard that was added may run hot", got, want)
	}
	if f.Whisker == "" || f.Target != 75 {
		t.Errorf("whisker %q, target at %v", f.Whisker, f.Target)
	}
}

func TestRange(t *testing.T) {
	if got, want := (Range{Value: 0.2, Low: 0.1, High: 0.9, Top: 0.5}).Figure(), (RangeFigure{Value: "400", Low: "200", High: "1000", Whisker: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (Range{}).Figure(); got.Whisker || got.Value != "0" {
		t.Errorf("an empty range is %+v", got)
	}
	for v, want := range map[float64]float64{0.011: 0.02, 0.1: 0.1, 0.11: 0.25, 0.6: 1, 3: 1} {
		if got := NiceTop(v); got != want {
			t.Errorf("NiceTop(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestCurve(t *testing.T) {
	from := time.Unix(0, 0)
	c := Curve{ID: "c", Loads: []float64{0, 50, 100, 25}, From: from, Step: time.Second, Line: 50, Mark: Mark{Onset: from.Add(time.Second)}}
	f := c.Figure()
	if want := "M0 100H250V55.357H500V10.714H750V77.679H1000"; f.Stroke != want || f.Area != want+"V100H0z" {
		t.Errorf("stroke %s, want %s", f.Stroke, want)
	}
	if !f.HasOnset || f.Onset != 250 || f.Told || f.HasResolved {
		t.Errorf("marks %+v", f)
	}
	nan := math.NaN()
	c.Loads = []float64{nan, 50, nan, nan, 100}
	f = c.Figure()
	if stroke, area := "M200 55.357H400M800 10.714H1000", "M200 55.357H400V100H200zM800 10.714H1000V100H800z"; f.Stroke != stroke || f.Area != area {
		t.Errorf("with what is not known it is %s and %s", f.Stroke, f.Area)
	}
	if empty := (&Curve{}).Figure(); empty.Stroke != "" || empty.HasOnset {
		t.Errorf("an empty curve is %+v", empty)
	}
}

// TestFiguresAreMarkup: every figure is well-formed XML with a title and a description, whatever the names in it.
func TestFiguresAreMarkup(t *testing.T) {
	page, err := Parse(template.New("test"))
	if err != nil {
		t.Fatal(err)
	}
	hostile := `</title><script>alert(1)</script>"'><img src=x onerror=y>]]>&`
	m := HeatMap{
		ID: "m", Title: hostile, Desc: hostile, From: time.Unix(0, 0), Width: time.Second, Scale: OfMean(1.5),
		Rows: []Row{{Label: hostile, Title: hostile, Cells: []Cell{{Full: 2}, {Full: 1, Thin: 3}}, Marks: []Mark{{Number: 1, Onset: time.Unix(0, 0), Verdict: time.Unix(1, 0)}}}},
		Gaps: []Gap{{0, 1}}, Unjudged: []Gap{{1, 2}},
	}
	bars := ShardBars{ID: "b", Title: hostile, Desc: hostile, Loads: []float64{1, 2}, Hot: 0, Upper: 1.5, Target: 1, Line: 1, Top: 2}
	curve := Curve{ID: "c", Title: hostile, Desc: hostile, Loads: []float64{1, 2}, Step: time.Second, Line: 1}
	for name, data := range map[string]any{
		"heatmap": m.Figure(), "bars": bars.Figure(), "curve": curve.Figure(), "range": Range{Value: 1, High: 2, Top: 3}.Figure(), "legend": OfMean(2).Steps(),
		"glyph-onset": nil, "glyph-told": nil, "glyph-end": nil, "glyph-thin": nil, "glyph-gap": nil, "glyph-hatch": nil,
	} {
		var b bytes.Buffer
		if err := page.ExecuteTemplate(&b, name, data); err != nil {
			t.Fatal(err)
		}
		text := wellFormed(t, name, b.String())
		if named := name == "heatmap" || name == "bars" || name == "curve"; named && strings.Count(text, hostile) < 2 {
			t.Errorf("%s: the title and description do not stand as text: %s", name, text)
		}
	}
}

// wellFormed reads XML, refuses elements that no figure has, and returns its text.
func wellFormed(t *testing.T, name, markup string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(markup))
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Fatalf("%s: %v in %s", name, err, markup)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "svg", "g", "path", "text", "title", "desc", "circle", "rect", "ul", "li", "defs", "pattern":
			default:
				t.Errorf("%s has an element %s", name, token.Name.Local)
			}
		case xml.CharData:
			text.Write(token)
		}
	}
}

// TestShardBarsTargets: a shard is held against the target of its own capacity where that is known; one that may run hot is never over.
func TestShardBarsTargets(t *testing.T) {
	b := ShardBars{Loads: []float64{5, 20, 12, 30, 12}, Was: []float64{40, 0, 12, 0}, Hot: 0, Target: 10, Line: 10, Top: 40}
	for _, tt := range []struct {
		targets []float64
		want    []bool
	}{{nil, []bool{false, true, true, true, false}}, {[]float64{10, 21, 10, math.Inf(1), 10}, []bool{false, false, true, false, true}}} {
		b.Targets = tt.targets
		for i, want := range tt.want {
			if got := b.over(i); got != want {
				t.Errorf("targets %v: shard %d over: %v", tt.targets, i, got)
			}
		}
	}
}
