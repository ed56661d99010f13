package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/pipeline/kafka"
)

// TestRegistryOfACluster: doctor asks the schema registry, and a run has one that asks it.
func TestRegistryOfACluster(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"error_code":40403,"message":"Schema not found"}`)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	yaml := func(url string) string {
		return "kafka: {brokers: \"" + fakeBroker(t, kfake.SeedTopics(1, "x")) + "\", registry: {url: '" + url + "'}}\n" +
			"fleets: [{name: a, topics: [x], shards: 2, placement: {function: md5}, record: {preset: canonical, format: confluent}}]\n"
	}
	out, err := doctored(t, yaml(server.URL), "--standalone")
	if err != nil || !strings.Contains(out, "ok     main: registry "+host+": answers\n") {
		t.Errorf("%v:\n%s", err, out)
	}
	out, err = doctored(t, yaml("http://127.0.0.1:1/hunter2"), "--standalone")
	if err == nil || !strings.Contains(out, "WRONG  main: registry 127.0.0.1:1: ") || !strings.Contains(out, "mend: check the address") || strings.Contains(out, "hunter2") {
		t.Errorf("a registry that is not there: %v:\n%s", err, out)
	}
	cfg, err := config.Parse("f.yml", []byte(yaml(server.URL)))
	if err != nil {
		t.Fatal(err)
	}
	fleets, err := liveFleets(cfg, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, err := memberConfig(cfg, fleets, true, zap.NewNop())
	if err != nil || len(m.Clusters) != 1 || m.Clusters[0].Schemas == nil {
		t.Errorf("%v: a run asks nobody: %+v", err, m.Clusters)
	}
	cfg.Kafka.Registry.URLs, cfg.Kafka.Registry.CAFile = kafka.URLs{"https://r"}, "nowhere.pem"
	if _, err := memberConfig(cfg, fleets, true, zap.NewNop()); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "cluster main: registry: open nowhere.pem") {
		t.Errorf("a file that is not there: %v", err)
	}
}
