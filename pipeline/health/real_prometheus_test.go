//go:build watch && linux

package health_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// exporter serves metrics as the exporters of PostgreSQL, of the host and of Redis do, with counters that rise.
func exporter(t *testing.T) string {
	t.Helper()
	start := time.Now()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		up := time.Since(start).Seconds()
		fmt.Fprintf(w, `pg_stat_activity_count{datname="shop",state="active"} 30
pg_stat_activity_count{datname="shop",state="idle"} 20
pg_settings_max_connections{server="x"} 100
pg_stat_user_tables_n_live_tup{relname="a"} 1000
pg_stat_user_tables_n_live_tup{relname="b"} 500
pg_replication_lag_seconds 0.25
node_cpu_seconds_total{cpu="0",mode="idle"} %[1]f
node_filesystem_avail_bytes{device="a",mountpoint="/data"} 25
node_filesystem_size_bytes{device="a",mountpoint="/data"} 100
node_filesystem_avail_bytes{device="b",mountpoint="/"} 1
node_filesystem_size_bytes{device="b",mountpoint="/"} 100
node_disk_io_time_seconds_total{device="a"} %[2]f
db_request_duration_seconds_bucket{le="0.01"} %[3]f
db_request_duration_seconds_bucket{le="0.02"} %[4]f
db_request_duration_seconds_bucket{le="+Inf"} %[4]f
redis_cpu_sys_main_thread_seconds_total %[2]f
redis_cpu_user_main_thread_seconds_total %[2]f
redis_memory_used_bytes 80
redis_memory_max_bytes 100
redis_connected_clients 10
redis_config_maxclients 1000
redis_connected_slave_lag_seconds{slave="a"} 1
redis_connected_slave_lag_seconds{slave="b"} 2
redis_db_keys{db="db0"} 7
redis_errors_total{err="ERR"} %[5]f
redis_commands_processed_total %[4]f
`, up*0.75, up*0.25, up*50, up*100, up*2)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// realPrometheus scrapes the exporter as four targets, under the names of the examples' shards. It runs until the test ends.
func realPrometheus(t *testing.T) string {
	t.Helper()
	dir, from := t.TempDir(), exporter(t)
	targets := ""
	for _, labels := range []string{"{instance: \"pg-a:9187\", primary: \"pg-a:5432\"}", "{instance: \"pg-b:9187\", primary: \"pg-b:5432\"}", "{instance: \"redis-0:9121\"}", "{instance: \"redis-1:9121\"}"} {
		targets += fmt.Sprintf("      - {targets: [%q], labels: %s}\n", from, labels)
	}
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte("global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n  - job_name: shards\n    static_configs:\n"+targets), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	cmd := exec.Command("prometheus", "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "tsdb"), "--web.listen-address="+at) //nolint:noctx // it ends by signal
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said strings.Builder
	cmd.Stderr = &said
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the child dies with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return "http://" + at
}

// TestRealPrometheus: the examples for Prometheus name both shards, with the values that the exporters' metrics have, on a server that
// scrapes them.
func TestRealPrometheus(t *testing.T) {
	url := realPrometheus(t)
	for name, want := range map[string][]string{
		"orders": {
			"connection_pool: 2 of 2 shards, 0.5 to 0.5", "rows: 2 of 2 shards, 1500 to 1500", "replica_lag: 2 of 2 shards, 0.25 to 0.25 s", "utilization: 2 of 2 shards, 0.25 to 0.25",
			"storage: 2 of 2 shards, 0.75 to 0.75", "disk_io: 2 of 2 shards, 0.25 to 0.25", "latency_p99: 2 of 2 shards, 0.0198 to 0.0198 s",
		},
		"sessions": {
			"utilization: 2 of 2 shards, 0.5 to 0.5", "storage: 2 of 2 shards, 0.8 to 0.8", "connection_pool: 2 of 2 shards, 0.01 to 0.01", "replica_lag: 2 of 2 shards, 2 to 2 s",
			"rows: 2 of 2 shards, 7 to 7", "errors: 2 of 2 shards, 0.02 to 0.02",
		},
	} {
		f := example(t, name)
		p := f.Health.Sources[0].Prometheus
		p.URL, p.TokenFile = url, ""
		for i := range p.Queries { // a rate over two minutes wants two minutes of samples
			p.Queries[i].Query = strings.ReplaceAll(p.Queries[i].Query, "[2m]", "[5s]")
		}
		var got []string
		right := func(line string) bool {
			return slices.ContainsFunc(want, func(w string) bool { return strings.Contains(line, " "+w) })
		}
		for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(500 * time.Millisecond) { // rates need a few scrapes
			got = checked(t, f, nil)
			if !slices.ContainsFunc(got, func(line string) bool { return !right(line) }) && len(got) == len(want) {
				got = nil
				break
			}
		}
		if got != nil {
			t.Errorf("%s, of which one does not fit (-want +got):\n%s", name, cmp.Diff(want, got))
		}
	}
	f := example(t, "orders")
	f.Health.Sources[0].Prometheus.URL, f.Health.Sources[0].Prometheus.TokenFile = url, ""
	f.Health.Sources[0].Prometheus.Queries = f.Health.Sources[0].Prometheus.Queries[:2]
	f.Health.Sources[0].Prometheus.Queries[0].Query = "sum("
	f.Health.Sources[0].Prometheus.Queries[1].Query = "up[1m]"
	for i, want := range []string{"status 400: bad_data: ", "the query gives a matrix"} {
		if got := checked(t, f, nil)[i]; !strings.Contains(got, want) {
			t.Errorf("%s: want %s", got, want)
		}
	}
}
