package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestHealthPart: a source of shard health is read strictly, its files stand beside the configuration, a shard that the fleet does not
// have is refused where the file says which it has, and no secret is shown.
func TestHealthPart(t *testing.T) {
	const query = `{url: "https://p", label: instance, password_file: pw, user: u, ca_file: ca, queries: [{metric: rows, query: q}]}`
	source := func(fleet, source string) string {
		return "fleets: [{name: a, " + fleet + ", health: {sources: [{name: p, " + source + "}]}}]"
	}
	c, err := Parse("f.yml", []byte(source("shards: 2, placement: {bytes: key}", "prometheus: "+query+", shards: {x: shard-1}")))
	if err != nil {
		t.Fatal(err)
	}
	c.Beside("/etc/fb")
	if p := c.Fleets[0].Health.Sources[0].Prometheus; p.PasswordFile != "/etc/fb/pw" || p.CAFile != "/etc/fb/ca" || p.TokenFile != "" {
		t.Errorf("%+v", p)
	}
	for name, text := range map[string]string{
		"log names them": source("placement: {map: explicit}, shards: [b]", "prometheus: "+query+", shards: {x: c}"),
		"in a document":  source("document: d.json", "prometheus: "+query+", shards: {x: c}"),
	} {
		if _, err := Parse("f.yml", []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, text := range map[string]string{
		`fleets[0].health.sources[0].shards: there is no shard "c"`:                                     source("shards: 2, placement: {bytes: key}", "prometheus: "+query+", shards: {x: c}"),
		`did you mean "latency_p99"?`:                                                                   source("shards: 2", strings.Replace("prometheus: "+query, "rows", "latency_p9", 1)),
		`unknown field "querys"; did you mean "queries"?`:                                               source("shards: 2", strings.Replace("prometheus: "+query, "queries", "querys", 1)),
		`fleets[0].health.sources[0].prometheus.user: user and password, or password_file, go together`: source("placement: {map: explicit}", strings.Replace("prometheus: "+query, "password_file: pw, ", "", 1)),
		`fleets[0].health.sources[0].prometheus.password_file: excludes password`:                       source("placement: {map: explicit}", strings.Replace("prometheus: "+query, "user:", "password: hunter2, user:", 1)),
	} {
		_, err := Parse("f.yml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	c, err = Parse("f.yml", []byte(source("placement: {map: explicit}", strings.Replace("prometheus: "+query, "password_file: pw", "password: hunter2", 1))))
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %+v %#v", c.Fleets[0].Health.Sources[0].Prometheus, *c.Fleets[0].Health.Sources[0].Prometheus, *c.Fleets[0].Health.Sources[0].Prometheus); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown: %s", text)
	}
}
