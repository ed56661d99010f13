package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// readRules reads the rules that are deployed.
func readRules(t *testing.T) []rulefmt.Rule {
	t.Helper()
	files, err := filepath.Glob("../../deploy/prometheus/rules/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of rules: %v", len(files), err)
	}
	var out []rulefmt.Rule
	for _, f := range files {
		groups, errs := rulefmt.ParseFile(f, false)
		for _, err := range errs {
			t.Error(err)
		}
		for _, g := range groups.Groups {
			out = append(out, g.Rules...)
		}
	}
	return out
}

// record adds what rules record to the vocabulary. The labels stand in the name's first part: job_fleet:metric:how.
func (v *vocabulary) record(rules []rulefmt.Rule) {
	v.recordings = map[string][]string{}
	for i := range rules {
		if name := rules[i].Record; name != "" {
			level, _, _ := strings.Cut(name, ":")
			v.recordings[name] = strings.Split(level, "_")
		}
	}
}

// TestRules: all that a rule names exists, and a recorded series has the labels that its name says, and one that says of what.
func TestRules(t *testing.T) {
	v, rules := readVocabulary(t), readRules(t)
	v.record(rules)
	for i := range rules {
		r := &rules[i]
		for _, p := range v.problems(r.Expr) {
			t.Errorf("%s%s: %s", r.Record, r.Alert, p)
		}
		if r.Record == "" {
			continue
		}
		tree, err := parser.ParseExpr(r.Expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range v.recordings[r.Record] {
			if !v.carries(tree, l) {
				t.Errorf("%s: %s has no label %s", r.Record, r.Expr, l)
			}
		}
		if parts := strings.Split(r.Record, ":"); len(parts) != 3 {
			t.Errorf("%s is not called labels:metric:how", r.Record)
		}
	}
}

// TestAlerts: an alert says how bad it is, in a line what it is, what that means, and where the runbook is; what its texts name are
// labels that it has.
func TestAlerts(t *testing.T) {
	v, rules := readVocabulary(t), readRules(t)
	v.record(rules)
	var alerts []string
	for i := range rules {
		r := &rules[i]
		if r.Alert == "" {
			continue
		}
		alerts = append(alerts, r.Alert)
		tree, err := parser.ParseExpr(r.Expr)
		if err != nil {
			t.Fatal(err)
		}
		own := r.Labels["severity"]
		if !slices.Contains([]string{"warning", "critical"}, own) && (own != "" || !v.carries(tree, "severity")) {
			t.Errorf("%s: severity %q", r.Alert, own)
		}
		if got, want := r.Annotations["runbook"], "docs/alerts.md#"+strings.ToLower(r.Alert); got != want {
			t.Errorf("%s: runbook %q, want %q", r.Alert, got, want)
		}
		summary, description := r.Annotations["summary"], r.Annotations["description"]
		if summary == "" || len(summary) > 120 || len(description) < 50 {
			t.Errorf("%s: summary %q, description %q", r.Alert, summary, description)
		}
		for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(summary+description, -1) {
			if !v.carries(tree, m[1]) {
				t.Errorf("%s names the label %s, which it does not have", r.Alert, m[1])
			}
		}
	}
	if diff := cmp.Diff(alerts, runbook(t)); diff != "" {
		t.Errorf("alerts of the rules (-), sections of docs/alerts.md (+):\n%s", diff)
	}
}

// runbook lists the sections of docs/alerts.md, each of which says what an alert means and what to do.
func runbook(t *testing.T) (sections []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strings.Split("\n"+string(page), "\n## ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		sections = append(sections, name)
		if !strings.Contains(text, "**Means:**") || !strings.Contains(text, "**Do") && !strings.Contains(text, "**do") {
			t.Errorf("%s does not say what it means and what to do", name)
		}
		for _, link := range regexp.MustCompile(`\]\(#(\w+)\)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(strings.ToLower(string(page)), fmt.Sprintf("## %s\n", link[1])) {
				t.Errorf("%s links to #%s, which is not there", name, link[1])
			}
		}
	}
	return sections
}
