package health

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/internal/secret"
	"firebreak/policy"
)

// good is a valid configuration with a source of either kind, for shards a and b.
func good() Config {
	c := promConfig("https://prom:9090", PromQuery{Metric: Metric(policy.MetricRows), Query: "rows"})
	return Config{Sources: append(c.Sources, rdsConfig(CloudQuery{Metric: Metric(policy.MetricStorage), Name: "FreeStorageSpace", Expression: "1 - x"}).Sources...)}
}

// TestValidate: each mistake is told by the path of its field, alone; no secret stands in it.
func TestValidate(t *testing.T) {
	if c := good(); c.Validate([]string{"a", "b"}) != nil || c.Validate(nil) != nil || (&Config{}).Validate(nil) != nil || !c.On() || (&Config{}).On() {
		t.Fatal("what is right is refused")
	}
	for want, change := range map[string]func(c *Config, p *Prometheus, w *CloudWatch){
		"every: 5s: want 10s to 1m30s":                           func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Every = 5 * time.Second },
		"every: 2m0s: want":                                      func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Every = 2 * time.Minute },
		"timeout: 20s: want at most every, 15s":                  func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Every, c.Timeout = 15*time.Second, 20*time.Second },
		"sources[0].name: want 1 to 64 bytes":                    func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[0].Name = "" },
		`sources[1].name: "prom" stands twice`:                   func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[1].Name = "prom" },
		"sources[1]: want prometheus or cloudwatch, exactly one": func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[1].CloudWatch = nil },
		"sources[0].regex: error parsing":                        func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[0].Regex = "(" },
		"sources[0].regex: want a group":                         func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[0].Regex = "a" },
		"sources[1].regex: is of prometheus":                     func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[1].Regex = "(a)" },
		`sources[0].shards: there is no shard "c"`:               func(c *Config, _ *Prometheus, _ *CloudWatch) { c.Sources[0].Shards = map[string]string{"x": "c"} },
		"sources[0].prometheus.url: want https":                  func(_ *Config, p *Prometheus, _ *CloudWatch) { p.URL = "prom:9090" },
		"sources[0].prometheus.url: holds a user":                func(_ *Config, p *Prometheus, _ *CloudWatch) { p.URL = "https://u:hunter2@prom" },
		"sources[0].prometheus.url: is not https":                func(_ *Config, p *Prometheus, _ *CloudWatch) { p.URL, p.CAFile = "http://prom", "ca" },
		"sources[0].prometheus.password_file: excludes password": func(_ *Config, p *Prometheus, _ *CloudWatch) {
			p.User, p.Password, p.PasswordFile = "u", "hunter2", "f"
		},
		"sources[0].prometheus.token_file: excludes token":        func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Token, p.TokenFile = "hunter2", "f" },
		"sources[0].prometheus.user: user and password":           func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Password = "hunter2" },
		"sources[0].prometheus.user: excludes a token":            func(_ *Config, p *Prometheus, _ *CloudWatch) { p.User, p.Password, p.Token = "u", "hunter2", "hunter2" },
		"sources[0].prometheus.cert_file: cert_file and key_file": func(_ *Config, p *Prometheus, _ *CloudWatch) { p.CertFile = "c" },
		"sources[0].prometheus.headers: authorization": func(_ *Config, p *Prometheus, _ *CloudWatch) {
			p.Headers = map[string]string{"authorization": "hunter2"}
		},
		"sources[0].prometheus.queries: want one":                            func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Queries = nil },
		"sources[0].prometheus.queries[0].metric: want one of utilization":   func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Queries[0].Metric = 0 },
		"sources[0].prometheus.queries[0].query: want a query":               func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Queries[0].Query = " " },
		"sources[0].prometheus.queries[0].label: want the label":             func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Label = "" },
		"sources[0].prometheus.queries[0].factor: -1":                        func(_ *Config, p *Prometheus, _ *CloudWatch) { p.Queries[0].Factor = -1 },
		"sources[1].cloudwatch.endpoint: want an absolute":                   func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Endpoint = "host" },
		"sources[1].cloudwatch.namespace: want that":                         func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Namespace = "" },
		"sources[1].cloudwatch.dimensions: want one whose value has {shard}": func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Dimensions = map[string]string{"A": "b"} },
		"sources[1].cloudwatch.queries: want one":                            func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Queries = nil },
		"sources[1].cloudwatch.queries[0].metric: want one":                  func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Queries[0].Metric = 0 },
		"sources[1].cloudwatch.queries[0].name: want the name":               func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Queries[0].Name = "" },
		"sources[1].cloudwatch.queries[0].stat: is of name": func(_ *Config, _ *Prometheus, w *CloudWatch) {
			w.Queries[0] = CloudQuery{Metric: 1, Stat: "Sum", Expression: "a", Of: map[string]CloudMetric{"a": {Name: "A"}}}
		},
		"sources[1].cloudwatch.queries[0].factor: -1": func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Queries[0].Factor = -1 },
		"sources[1].cloudwatch.queries[0].expression: want one over": func(_ *Config, _ *Prometheus, w *CloudWatch) {
			w.Queries[0].Expression, w.Queries[0].Of = "", map[string]CloudMetric{"a": {Name: "A"}}
		},
		`sources[1].cloudwatch.queries[0].of: "A": want a small letter`: func(_ *Config, _ *Prometheus, w *CloudWatch) {
			w.Queries[0].Of = map[string]CloudMetric{"A": {Name: "A"}}
		},
		"sources[1].cloudwatch.queries[0].of: x is the metric of name": func(_ *Config, _ *Prometheus, w *CloudWatch) {
			w.Queries[0].Of = map[string]CloudMetric{"x": {Name: "A"}}
		},
		"sources[1].cloudwatch.queries[0].of: a: want the name of a metric": func(_ *Config, _ *Prometheus, w *CloudWatch) { w.Queries[0].Of = map[string]CloudMetric{"a": {}} },
	} {
		c := good()
		change(&c, c.Sources[0].Prometheus, c.Sources[1].CloudWatch)
		err := c.Validate([]string{"a", "b"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v\nwant %s", err, want)
		}
		if of, ok := errors.AsType[*ConfigError](err); ok {
			if path, problem := of.Field(); of.Error() != path+": "+problem || slices.Contains(of.Compared(), path) {
				t.Errorf("%v is at %s: %s", of, path, problem)
			}
		}
		if _, again := New(&c, "f", []string{"a", "b"}, nil, nop()); again == nil {
			t.Errorf("New takes what is not valid: %s", want)
		}
	}
}

// TestFiles: the paths of files can be changed in place.
func TestFiles(t *testing.T) {
	c := good()
	for _, f := range c.Files() {
		*f = "/x/" + *f
	}
	if p := c.Sources[0].Prometheus; len(c.Files()) != 5 || p.PasswordFile != "/x/" || p.TokenFile != "/x/" || p.CAFile != "/x/" || p.CertFile != "/x/" || p.KeyFile != "/x/" {
		t.Errorf("%+v", c.Sources[0].Prometheus)
	}
}

// TestMetricText: the configuration spells metrics as policy does.
func TestMetricText(t *testing.T) {
	for _, m := range policy.Metrics() {
		text, err := Metric(m).MarshalText()
		var back Metric
		if err != nil || back.UnmarshalText(text) != nil || policy.Metric(back) != m {
			t.Errorf("%s: %v, reads back as %s", text, err, back)
		}
	}
	var m Metric
	if err := m.UnmarshalText([]byte("replica_lagg")); err == nil {
		t.Error("what is none is read")
	}
	if text := secret.Value("hunter2").String(); text == "hunter2" {
		t.Error("a secret is shown")
	}
}
