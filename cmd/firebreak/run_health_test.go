package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// shardMetrics is the API of a Prometheus that has the latency of the eight shards of runConfig: of shard-3 80 ms.
func shardMetrics(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "fb" || password != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var series []string
		for i := range 8 {
			ms := 4
			if i == 3 {
				ms = 80
			}
			series = append(series, fmt.Sprintf(`{"metric":{"instance":"db-%d:9187"},"value":[1,"%d"]}`, i, ms))
		}
		if r.FormValue("query") != "p99" {
			series = nil
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(series, ","))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// healthPart is the part of a fleet that reads them. What it asks for as replica_lag gives nothing.
const healthPart = `
    health:
      sources:
        - name: pg
          prometheus: {url: %q, user: fb, password: %s, label: instance, queries: [{metric: latency_p99, query: p99, factor: 0.001}, {metric: replica_lag, query: none}]}
          regex: "^db-(.*):"
          shards: {"0": shard-0, "1": shard-1, "2": shard-2, "3": shard-3, "4": shard-4, "5": shard-5, "6": shard-6, "7": shard-7}
`

// TestRunReadsShards: a shard that is slow at ordinary load is advised about, to who is told and on the page, and is no hotspot; what is
// asked for and not known is said. Alone or not.
func TestRunReadsShards(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	for _, flag := range []string{"--standalone=false", "--standalone"} {
		t.Run(flag, func(t *testing.T) {
			config, receiver, _ := liveLog(t)
			r := startRun(t, strings.TrimRight(config, "\n")+fmt.Sprintf(healthPart, shardMetrics(t), "hunter2"), flag)
			eventually(t, 40*time.Second, "told of the slow shard", func() bool {
				return len(receiver.of(func(text string) bool {
					return strings.Contains(text, "latency_p99 is 80 ms") && strings.Contains(text, `"shard-3"`) && strings.Contains(text, `"not_traffic"`)
				})) > 0
			})
			eventually(t, 10*time.Second, "the page says both", func() bool {
				page, api := r.ask("console", "/"), r.ask("console", "/api/v1/fleets")
				return strings.Contains(page, "look at the host") && strings.Contains(page, "No shard&#39;s replica_lag is known") &&
					strings.Contains(api, `"topic":"not_traffic"`) && strings.Contains(api, `"unread":["no shard's replica_lag is known`)
			})
			for _, want := range []string{`firebreak_health_readings{fleet="orders",source="pg"} 8`, `firebreak_health_reads_total{fleet="orders",outcome="failed",source="pg"} 0`, `firebreak_advice{fleet="orders",topic="not_traffic"} 1`} {
				if !strings.Contains(r.page("/metrics"), want) {
					t.Errorf("the metrics lack %s", want)
				}
			}
			if told := receiver.of(func(text string) bool { return strings.Contains(text, `"verdict"`) }); len(told) > 0 {
				t.Errorf("it is a hotspot: %s", told)
			}
			r.end(t)
			if strings.Contains(r.log.String(), "hunter2") {
				t.Error("a secret is logged")
			}
		})
	}
}

// TestDoctorReadsShards: each query is tried, and what is wrong with it said.
func TestDoctorReadsShards(t *testing.T) {
	head := fmt.Sprintf("kafka: {brokers: %q}\nfleets:\n  - name: orders\n    topics: [requests]\n    shards: 8\n    placement: {bytes: key}\n    record: {preset: canonical, format: json}", fakeBroker(t, kfake.SeedTopics(1, "requests")))
	url := shardMetrics(t)
	for name, tt := range map[string]struct {
		password string
		want     []string
	}{
		"one gives nothing": {"hunter2", []string{"ok     health of fleet orders: pg: latency_p99: 8 of 8 shards, 0.004 to 0.08 s", "WRONG  health of fleet orders: pg: replica_lag: it gives nothing", "mend: look at the query"}},
		"nobody let in":     {"hunter3", []string{"WRONG  health of fleet orders: pg: latency_p99: no answer: status 401"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := doctored(t, head+fmt.Sprintf(healthPart, url, tt.password), "--standalone")
			for _, want := range tt.want {
				if err == nil || !strings.Contains(out, want) {
					t.Errorf("%v: no %q in\n%s", err, want, out)
				}
			}
			if strings.Contains(out, tt.password) {
				t.Errorf("a secret is shown:\n%s", out)
			}
		})
	}
}

// TestRunRefusesSources: what can never be read ends a run at its start, and is not valid to doctor.
func TestRunRefusesSources(t *testing.T) {
	head := fmt.Sprintf("kafka: {brokers: %q}\nfleets:\n  - name: orders\n    topics: [requests]\n    placement: {map: explicit}\n    record: {preset: canonical, format: json}\n", fakeBroker(t, kfake.SeedTopics(1, "requests")))
	yaml := head + "    health: {sources: [{name: rds, cloudwatch: {region: eu-central-1, namespace: AWS/RDS, dimensions: {DBInstanceIdentifier: \"{shard}\"}, queries: [{metric: replica_lag, name: ReplicaLag}]}}]}\n"
	out, err := doctored(t, yaml)
	if want := "WRONG  configuration: fleet orders: health: source rds: shards: the log names them"; err == nil || !strings.Contains(out, want) {
		t.Errorf("%v: no %q in\n%s", err, want, out)
	}
	file := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	var ran, log bytes.Buffer
	if err := run(t.Context(), []string{"run", "--config", file}, strings.NewReader(""), &ran, &log); exitCode(err) != exitUsage {
		t.Errorf("run: %v, want exit %d", err, exitUsage)
	}
}
