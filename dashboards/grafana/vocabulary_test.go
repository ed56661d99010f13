package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// metric is what docs/metrics.md says of one.
type metric struct {
	kind   string
	labels []string
}

// vocabulary is every name that a query may use. docs/metrics.md is held against what is served by internal/telemetry.
type vocabulary struct {
	metrics map[string]metric
	values  map[[2]string][]string // by metric and label, of labels whose values are a closed list

	recordings map[string][]string // labels of what rules record, by name; see record
}

// readVocabulary reads docs/metrics.md, and adds what Prometheus and its client library give to every target.
func readVocabulary(t *testing.T) *vocabulary {
	t.Helper()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	v := &vocabulary{metrics: map[string]metric{}, values: map[[2]string][]string{}}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "| `"):
		case len(cells) == 4:
			v.metrics[strings.Trim(cells[0], "`")] = metric{cells[1], list(cells[2])}
		case len(cells) == 3:
			for _, of := range list(cells[1]) {
				v.values[[2]string{strings.Trim(of, "`"), strings.Trim(cells[0], "`")}] = list(cells[2])
			}
		}
	}
	if len(v.metrics) < 30 || len(v.values) < 10 {
		t.Fatalf("docs/metrics.md lists %d metrics and %d closed labels: its form has changed", len(v.metrics), len(v.values))
	}
	for name, kind := range map[string]string{
		"up": "gauge", "process_resident_memory_bytes": "gauge", "process_cpu_seconds_total": "counter",
		"process_start_time_seconds": "gauge", "go_goroutines": "gauge", "go_gc_gomemlimit_bytes": "gauge",
	} {
		v.metrics[name] = metric{kind: kind}
	}
	return v
}

func list(s string) []string {
	if s == "-" {
		return nil
	}
	return strings.Split(s, ", ")
}

// labels are those of the series of a name, in order; ok says whether there is such a metric. A histogram has series of three
// more names.
func (v *vocabulary) labels(name string) (labels []string, kind string, ok bool) {
	if labels, ok := v.recordings[name]; ok {
		return labels, "gauge", true
	}
	m, ok := v.metrics[name]
	labels = append(slices.Clone(m.labels), "job", "instance")
	if ok {
		return labels, m.kind, true
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, cut := strings.CutSuffix(name, suffix)
		if m, ok := v.metrics[base]; cut && ok && m.kind == "histogram" {
			labels = append(slices.Clone(m.labels), "job", "instance")
			if suffix == "_bucket" {
				labels = append(labels, "le")
			}
			return labels, "counter", true
		}
	}
	return nil, "", false
}
