package health

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/internal/secret"
	"firebreak/policy"
)

// vector is the answer of Prometheus to an instant query: series as labels and a value.
func vector(series ...string) string {
	return `{"status":"success","data":{"resultType":"vector","result":[` + strings.Join(series, ",") + `]}}`
}

func sample(label, name, value string) string {
	return fmt.Sprintf(`{"metric":{"__name__":"x",%q:%q},"value":[1435781451.781,%q]}`, label, name, value)
}

// served is a server that answers queries by their text, and notes the requests.
type served struct {
	*httptest.Server

	answers map[string]string
	status  int
	got     []*http.Request // with their forms
}

func serve(t *testing.T, start func(http.Handler) *httptest.Server, answers map[string]string) *served {
	t.Helper()
	s := &served{answers: answers, status: http.StatusOK}
	s.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.got = append(s.got, r)
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.answers[r.Form.Get("query")])
	}))
	t.Cleanup(s.Close)
	return s
}

func promConfig(url string, queries ...PromQuery) Config {
	return Config{Sources: []SourceConfig{{Name: "prom", Prometheus: &Prometheus{URL: url, Label: "instance", Queries: queries}}}}
}

func askProm(t *testing.T, c Config, shards ...string) []Result {
	t.Helper()
	f, err := New(&c, "orders", shards, nil, nop())
	if err != nil {
		t.Fatal(err)
	}
	p, ok := f.sources[0].asker.(*prometheus)
	if !ok {
		t.Fatal("no Prometheus")
	}
	defer p.client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	return p.ask(ctx)
}

// TestPrometheus: of each query the series whose label names a shard of the fleet, by its own name or a mapped one, in the metric's
// unit. What is no number is no reading.
func TestPrometheus(t *testing.T) {
	s := serve(t, httptest.NewServer, map[string]string{
		"lag": vector(sample("instance", "pg-a:9187", "0.25"), sample("instance", "pg-b:9187", "1.5"), sample("instance", "pg-c:9187", "NaN"), sample("instance", "pg-d:9187", "+Inf"),
			sample("instance", "pg-e:9187", "7"), sample("other", "pg-a:9187", "8"), sample("instance", "web", "9")),
		"pool": vector(sample("server", "pg-old", "80"), sample("server", "pg-b:1", "5e1")),
		"none": vector(),
	})
	c := promConfig(s.URL+"/prometheus/",
		PromQuery{Metric: Metric(policy.MetricReplicaLag), Query: "lag"},
		PromQuery{Metric: Metric(policy.MetricPool), Query: "pool", Label: "server", Factor: 0.01},
		PromQuery{Metric: Metric(policy.MetricRows), Query: "none"},
	)
	c.Sources[0].Regex, c.Sources[0].Shards = "^pg-([a-z]+)", map[string]string{"old": "d"}
	c.Sources[0].Prometheus.Headers = map[string]string{"X-Scope-OrgID": "shop"}
	got := askProm(t, c, "a", "b", "c", "d")
	want := []Result{
		{Metric: policy.MetricReplicaLag, Readings: []policy.Reading{{Shard: "a", Metric: policy.MetricReplicaLag, Value: 0.25}, {Shard: "b", Metric: policy.MetricReplicaLag, Value: 1.5}}, Strange: []string{"pg-e:9187", "", "web"}},
		{Metric: policy.MetricPool, Readings: []policy.Reading{{Shard: "d", Metric: policy.MetricPool, Value: 0.8}, {Shard: "b", Metric: policy.MetricPool, Value: 0.5}}},
		{Metric: policy.MetricRows},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, r := range s.got {
		if r.Method != http.MethodPost || r.URL.String() != "/prometheus/api/v1/query" || r.Header.Get("X-Scope-OrgID") != "shop" || r.Header.Get("Authorization") != "" || r.Form.Get("limit") != "8193" {
			t.Errorf("%s %s %v %v", r.Method, r.URL, r.Header, r.Form)
		}
	}
}

// TestPrometheusSaysNo: what is no answer is told in one line that says what to do, and takes nothing from the next query.
func TestPrometheusSaysNo(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(sample("instance", "a", "1")+",", mostSeries+1), ",")
	for answer, want := range map[string]string{
		`{"status":"error","errorType":"bad_data","error":"1:3: parse error:\nunexpected"}`: "status 200: bad_data: 1:3: parse error: unexpected",
		`{"status":"success","data":{"resultType":"matrix","result":[]}}`:                   "the query gives a matrix: want an instant vector",
		`{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}`:              "the query gives a scalar",
		`{"status":"success","data":{"resultType":"vector","result":{}}}`:                   "this is no vector of Prometheus",
		vector(`{"metric":{"instance":"a"},"histogram":[1,{"count":"1"}]}`):                 "want a number, such as histogram_quantile",
		vector(`{"metric":{"instance":"a"},"value":[1]}`):                                   "want a time and a value",
		vector(`{"metric":{"instance":"a"},"value":[1,2]}`):                                 "want a time and a value",
		vector(sample("instance", "a", "many")):                                             "no value of Prometheus: many",
		vector(many):                                                                        "more than 8192 series",
		`<html>login</html>`:                                                                "this is no answer of Prometheus",
		``:                                                                                  "this is no answer of Prometheus",
		vector(strings.Repeat(" ", mostBody)):                                               "longer than 4 MB",
	} {
		s := serve(t, httptest.NewServer, map[string]string{"first": answer, "second": vector(sample("instance", "a", "1"))})
		got := askProm(t, promConfig(s.URL, PromQuery{Metric: Metric(policy.MetricRows), Query: "first"}, PromQuery{Metric: Metric(policy.MetricStorage), Query: "second"}), "a")
		if err := got[0].Err; err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || len(got[0].Readings) > 0 {
			t.Errorf("%.80s: %v, want %s", answer, err, want)
		}
		if got[1].Err != nil || len(got[1].Readings) != 1 {
			t.Errorf("%.80s: the next query: %v", answer, got[1].Err)
		}
	}
}

// TestPrometheusAway: a server that is not there, does not answer, sends elsewhere or lets nobody in is asked once, and no secret is
// said or sent elsewhere.
func TestPrometheusAway(t *testing.T) {
	elsewhere := serve(t, httptest.NewServer, map[string]string{"first": vector(sample("instance", "a", "1"))})
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
		asked  int
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "hunter2 is wrong", http.StatusUnauthorized)
		}, "no answer: status 401", 1},
		"forbidden": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }, "no answer: status 403", 1},
		"redirected": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "status 307", 2},
		"busy":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, "status 503", 2},
		"cut off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no answer: ", 1},
	} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			tt.answer(w, r)
		}))
		c := promConfig(server.URL, PromQuery{Metric: Metric(policy.MetricRows), Query: "first"}, PromQuery{Metric: Metric(policy.MetricStorage), Query: "second"})
		c.Sources[0].Prometheus.User, c.Sources[0].Prometheus.Password = "fb", "hunter2"
		got := askProm(t, c, "a")
		server.Close()
		for _, r := range got {
			if r.Err == nil || !strings.Contains(r.Err.Error(), tt.want) || strings.Contains(r.Err.Error(), "hunter2") {
				t.Errorf("%s: %v, want %s", name, r.Err, tt.want)
			}
		}
		if asked != tt.asked {
			t.Errorf("%s: asked %d times, want %d", name, asked, tt.asked)
		}
	}
	if len(elsewhere.got) > 0 {
		t.Errorf("it went where it was sent, with %v", elsewhere.got[0].Header)
	}
	c := promConfig("http://127.0.0.1:1", PromQuery{Metric: Metric(policy.MetricRows), Query: "first"})
	if r := askProm(t, c, "a")[0]; r.Err == nil || !strings.Contains(r.Err.Error(), "no answer: ") {
		t.Errorf("nobody there: %v", r.Err)
	}
}

// TestPrometheusCredentials: a password, a token, and their files, which are read anew; a file that is gone is told, without a request.
func TestPrometheusCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, httptest.NewServer, map[string]string{"up": vector()})
	query := PromQuery{Metric: Metric(policy.MetricRows), Query: "up"}
	last := func(change func(*Prometheus)) (string, error) {
		c := promConfig(s.URL, query)
		change(c.Sources[0].Prometheus)
		s.got = nil
		err := askProm(t, c, "a")[0].Err
		if len(s.got) == 0 {
			return "", err
		}
		return s.got[0].Header.Get("Authorization"), err
	}
	write("one\n")
	for want, change := range map[string]func(*Prometheus){
		"Basic ZmI6c2VjcmV0": func(c *Prometheus) { c.User, c.Password = "fb", secret.Value("secret") },
		"Basic ZmI6b25l":     func(c *Prometheus) { c.User, c.PasswordFile = "fb", file },
		"Bearer t0ken":       func(c *Prometheus) { c.Token = secret.Value("t0ken") },
		"Bearer one":         func(c *Prometheus) { c.TokenFile = file },
	} {
		if got, err := last(change); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	write("two")
	if got, _ := last(func(c *Prometheus) { c.TokenFile = file }); got != "Bearer two" {
		t.Errorf("a changed file: %q", got)
	}
	if got, err := last(func(c *Prometheus) { c.TokenFile = file + ".gone" }); got != "" || err == nil {
		t.Errorf("no file: %q, %v", got, err)
	}
}

// TestPrometheusTLS: the authority of the file is trusted, no other; a file that is none is told at the start.
func TestPrometheusTLS(t *testing.T) {
	s := serve(t, httptest.NewTLSServer, map[string]string{"up": vector(sample("instance", "a", "1"))})
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c := promConfig(s.URL, PromQuery{Metric: Metric(policy.MetricRows), Query: "up"})
	if r := askProm(t, c, "a")[0]; r.Err == nil || !strings.Contains(r.Err.Error(), "certificate") {
		t.Errorf("an authority that nobody trusts: %v", r.Err)
	}
	c.Sources[0].Prometheus.CAFile = file
	if r := askProm(t, c, "a")[0]; r.Err != nil || len(r.Readings) != 1 {
		t.Errorf("its authority: %v", r.Err)
	}
	c.Sources[0].Prometheus.ServerName = "elsewhere.example"
	if r := askProm(t, c, "a")[0]; r.Err == nil {
		t.Error("another name is taken")
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(&c, "orders", nil, nil, nop()); err == nil || !strings.Contains(err.Error(), "holds no certificate") {
		t.Errorf("no authority: %v", err)
	}
}

// FuzzParseSeries: whatever a server says, it is read or refused, within its bounds.
func FuzzParseSeries(f *testing.F) {
	f.Add([]byte(vector(sample("instance", "a", "1"), sample("instance", "b", "-Inf"))))
	f.Add([]byte(vector(`{"metric":{},"histogram":[1,{}]}`)))
	f.Add([]byte(`{"status":"error","errorType":"timeout","error":"x"}`))
	f.Add([]byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[0,"0x1p-2"]}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parseSeries(body)
		if err != nil && (len(got) > 0 || strings.Contains(err.Error(), "\n")) || len(got) > mostSeries {
			t.Errorf("%d series, %v", len(got), err)
		}
	})
}
