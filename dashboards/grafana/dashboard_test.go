package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// TestCommitted: firebreak.json is what the generator prints.
func TestCommitted(t *testing.T) {
	var want bytes.Buffer
	if err := run(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("firebreak.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("firebreak.json is not what `go run . > firebreak.json` gives (want -, got +):\n%s", diff)
	}
}

// TestKnownToGrafana: every field of the file is one that Grafana's own schema knows, panels and queries included.
func TestKnownToGrafana(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	raw, err := os.ReadFile("firebreak.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard.Dashboard                                               //nolint:staticcheck // the schema of files that every Grafana imports; v2 is for its newest
	if err := d.UnmarshalJSONStrict(raw); err != nil && err.Error() != "" { // without a finding it is an error without a text
		t.Error(err)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(raw), "2^50") {
		t.Error("the limit of memory is drawn where there is none: 2^63 bytes")
	}
	d = dashboard.Dashboard{} //nolint:staticcheck // the schema of files that every Grafana imports; v2 is for its newest
	if err := d.UnmarshalJSONStrict([]byte(`{"panels":[{"type":"stat","heigth":1}]}`)); err == nil || err.Error() == "" {
		t.Error("a field that is misspelt is not found")
	}
}

// TestPanels: a panel says what it shows and in which unit, each series has a name made of labels that it has, and nothing
// stands twice.
func TestPanels(t *testing.T) {
	titles := map[string]bool{}
	panels := 0
	for _, s := range sections() {
		width := uint32(0)
		for i := range s.panels {
			p := &s.panels[i]
			panels++
			width += p.width
			if p.title == "" || p.unit == "" || len(p.about) < 30 || len(p.asks) == 0 || titles[p.title] {
				t.Errorf("%s: %q: unit %q, %d queries, title known %v, about %q", s.title, p.title, p.unit, len(p.asks), titles[p.title], p.about)
			}
			titles[p.title] = true
			for _, a := range p.asks {
				checkLegend(t, p.title, a)
			}
		}
		if width%24 != 0 {
			t.Errorf("%s: the last line is %d of 24 columns wide", s.title, width%24)
		}
	}
	if panels < 25 {
		t.Errorf("%d panels", panels)
	}
}

var placeholder = regexp.MustCompile(`{{(\w+)}}`)

// checkLegend: what a legend names survives the query's outer aggregation, if there is one.
func checkLegend(t *testing.T, title string, a ask) {
	t.Helper()
	if a.legend == "" {
		t.Errorf("%s: %s has no legend", title, a.expr)
	}
	by := regexp.MustCompile(`^\(?(?:max|min|sum|count) by \(([^)]*)\)`).FindStringSubmatch(a.expr)
	for _, m := range placeholder.FindAllStringSubmatch(a.legend, -1) {
		if by != nil && !strings.Contains(", "+by[1]+",", " "+m[1]+",") {
			t.Errorf("%s: the legend has %s, the query gives %s", title, m[1], by[1])
		}
	}
}

// TestQueries: all that a query names exists.
func TestQueries(t *testing.T) {
	v := readVocabulary(t)
	for _, s := range sections() {
		for i := range s.panels {
			for _, a := range s.panels[i].asks {
				for _, p := range v.problems(inGrafana(a.expr)) {
					t.Errorf("%s: %s: %s", s.panels[i].title, a.expr, p)
				}
			}
		}
	}
}

// TestVariables: the variables ask for a metric that exists by a label that it has, and every query is of the chosen ones.
func TestVariables(t *testing.T) {
	v := readVocabulary(t)
	d, err := build(sections())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(d.Templating)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		List []struct{ Name, Type, Definition string }
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range all.List {
		names = append(names, one.Name)
		if one.Type != "query" {
			continue
		}
		m := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(one.Definition)
		if m == nil {
			t.Fatalf("%s: %q", one.Name, one.Definition)
		}
		for _, p := range v.problems("max by (" + m[2] + ") (" + inGrafana(m[1]) + ")") {
			t.Errorf("%s: %s", one.Name, p)
		}
	}
	if diff := cmp.Diff([]string{"datasource", "job", "fleet"}, names); diff != "" {
		t.Errorf("variables (want -, got +):\n%s", diff)
	}
	for _, s := range sections() {
		for i := range s.panels {
			for _, a := range s.panels[i].asks {
				if !strings.Contains(a.expr, `job=~"$job"`) {
					t.Errorf("%s: %s is of all jobs", s.panels[i].title, a.expr)
				}
			}
		}
	}
}

// TestProblems: what is wrong with a query is found.
func TestProblems(t *testing.T) {
	v := readVocabulary(t)
	for expr, want := range map[string]string{
		`firebreak_hotspot`:                            "no metric",
		`firebreak_hotspots{shard="1"}`:                "no label",
		`firebreak_hotspots{cause="hotkey"}`:           "never",
		`firebreak_hotspots{cause=~"volume|whale"}`:    "never",
		`sum by (topic) (firebreak_hotspots)`:          "has no label",
		`firebreak_blind and on (topic) up`:            "has no label",
		`firebreak_verdicts_total`:                     "is a counter",
		`rate(firebreak_hotspots[5m])`:                 "is a gauge",
		`rate(firebreak_hotspots_bucket[5m])`:          "no metric",
		`rate(firebreak_tick_duration_seconds_p99[1m]`: "parse error",
	} {
		if got := strings.Join(v.problems(expr), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", expr, got, want)
		}
	}
	for _, expr := range []string{
		`sum by (le) (rate(firebreak_tick_duration_seconds_bucket[1m]))`, `firebreak_hotspots{cause="volume", severity="critical"}`,
		`sum without (instance) (up)`,
	} {
		if got := v.problems(expr); len(got) > 0 {
			t.Errorf("%s: %v", expr, got)
		}
	}
}
