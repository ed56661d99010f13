package telemetry

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

// TestDocs: docs/metrics.md lists every metric of ours, each once, with its type, its labels and its help text; and
// every label whose values are a closed list.
func TestDocs(t *testing.T) {
	m, reg := newTest(t, testConfig())
	populate(m)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	served := labelRows(families)
	for _, f := range families {
		if ours(f.GetName()) {
			served = append(served, row(f))
		}
	}
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `") {
			documented = append(documented, strings.TrimSpace(line))
		}
	}
	slices.Sort(served)
	slices.Sort(documented)
	if diff := cmp.Diff(served, documented); diff != "" {
		t.Errorf("served (-), documented (+):\n%s", diff)
	}
}

// labelRows are the lines of the page about closed lists: label, metrics that have it with these values, values.
func labelRows(families []*dto.MetricFamily) []string {
	metrics := map[[2]string][]string{} // by label and values
	for _, f := range families {
		found := map[string][]string{}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				found[l.GetName()] = append(found[l.GetName()], l.GetValue())
			}
		}
		for label, all := range found {
			if ours(f.GetName()) && closed(label, f.GetName()) {
				slices.Sort(all)
				id := [2]string{label, strings.Join(slices.Compact(all), ", ")}
				metrics[id] = append(metrics[id], "`"+f.GetName()+"`")
			}
		}
	}
	var rows []string
	for id, names := range metrics {
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |", id[0], strings.Join(names, ", "), id[1]))
	}
	return rows
}

// closed says whether a label's values are a list in code; the others are names of the configuration and of the build.
func closed(label, metric string) bool {
	switch label {
	case "fleet", "source", "cluster", "receiver", "version", "revision", "goversion":
		return false
	}
	return label != "topic" || metric == "firebreak_advice"
}

// row is the line of the page about a metric.
func row(f *dto.MetricFamily) string {
	var labels []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		labels = append(labels, l.GetName())
	}
	if len(labels) == 0 {
		labels = []string{"-"}
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), f.GetHelp())
}

// TestLint: what promtool says, without promtool.
func TestLint(t *testing.T) {
	m, reg := newTest(t, testConfig())
	populate(m)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
