package telemetry

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"firebreak/internal/admin"
)

var promtool = flag.String("promtool", "", "path of promtool, which TestPromtool runs; .ci/metrics gives it")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestText: classic histograms for any scraper.
func TestText(t *testing.T) {
	page, kind := scrape(t, "")
	if !strings.HasPrefix(kind, "text/plain") {
		t.Fatalf("served as %q", kind)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	h := families["firebreak_detection_delay_seconds"].GetMetric()[0].GetHistogram()
	var bounds []float64
	for _, b := range h.GetBucket() {
		bounds = append(bounds, b.GetUpperBound())
	}
	if len(bounds) < 10 || !slices.Contains(bounds, 60) {
		t.Errorf("bounds of the classic buckets: %v", bounds)
	}
	for _, name := range []string{"process_cpu_seconds_total", "go_goroutines", "firebreak_build_info"} {
		if families[name] == nil {
			t.Errorf("no %s", name)
		}
	}
}

// TestOpenMetrics: the form that Prometheus asks for first where protobuf is off.
func TestOpenMetrics(t *testing.T) {
	page, kind := scrape(t, "application/openmetrics-text;version=1.0.0")
	if !strings.HasPrefix(kind, "application/openmetrics-text") || !bytes.HasSuffix(page, []byte("# EOF\n")) {
		t.Errorf("served as %q, ending in %q", kind, page[max(0, len(page)-20):])
	}
}

// TestNativeHistograms: over protobuf every histogram of ours has native buckets beside the classic ones.
func TestNativeHistograms(t *testing.T) {
	page, kind := scrape(t, "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	decoder := expfmt.NewDecoder(bytes.NewReader(page), expfmt.Format(kind))
	var native []string
	for {
		var f dto.MetricFamily
		if err := decoder.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if f.GetType() != dto.MetricType_HISTOGRAM || !ours(f.GetName()) {
			continue
		}
		for _, m := range f.GetMetric() {
			h := m.GetHistogram()
			if h.Schema == nil || len(h.GetPositiveSpan()) == 0 || len(h.GetBucket()) == 0 || h.GetSampleCount() == 0 {
				t.Errorf("%s{%s}: native %d spans, classic %d buckets, %d observations", f.GetName(), values(m), len(h.GetPositiveSpan()), len(h.GetBucket()), h.GetSampleCount())
			}
		}
		native = append(native, f.GetName())
	}
	want := []string{
		"firebreak_delta_published_bytes", "firebreak_detection_delay_seconds",
		"firebreak_tick_duration_seconds",
	}
	if diff := cmp.Diff(want, native); diff != "" {
		t.Errorf("histograms: want (-), got (+):\n%s", diff)
	}
}

// TestPromtool: promtool check metrics has nothing to say about what is served. It exits 3 on a matter of style.
func TestPromtool(t *testing.T) {
	if *promtool == "" {
		t.Skip("no -promtool PATH; .ci/metrics runs this test with it")
	}
	page, _ := scrape(t, "")
	check := exec.CommandContext(t.Context(), *promtool, "check", "metrics")
	check.Stdin = bytes.NewReader(page)
	said, err := check.CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}
	t.Logf("promtool has read %d bytes", len(page))
}

// scrape serves all metrics, populated, and gets them once.
func scrape(t *testing.T, accept string) (page []byte, kind string) {
	t.Helper()
	m, reg := newTest(t, testConfig())
	populate(m)
	server, err := admin.Open(t.Context(), admin.Config{Listen: "127.0.0.1:0"}, reg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+server.Addr().String()+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err = io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, error %v", resp.StatusCode, err)
	}
	return page, resp.Header.Get("Content-Type")
}
