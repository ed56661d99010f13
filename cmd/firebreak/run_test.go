package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// toldReceiver is a receiver that keeps what it is told.
type toldReceiver struct {
	mu     sync.Mutex
	bodies []map[string]any
}

func (r *toldReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var body map[string]any
	if json.Unmarshal(b, &body) == nil {
		r.mu.Lock()
		r.bodies = append(r.bodies, body)
		r.mu.Unlock()
	}
}

// of are the bodies that satisfy a condition.
func (r *toldReceiver) of(is func(text string) bool) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bodies {
		text, _ := json.Marshal(b)
		if is(string(text)) {
			found = append(found, string(text))
		}
	}
	return found
}

// runConfig is a configuration whose times are a tenth of the defaults. startRun gives it a port.
const runConfig = `
group: watch
kafka: {brokers: %q, session: 3s}
admin: {listen: "127.0.0.1:0"}
console: {listen: "127.0.0.1:0"}
log: {level: info, format: text}
notify: {receivers: [{name: pager, webhook: {url: %q, secret: a-secret-of-sixteen-bytes}}]}
fleets:
  - name: orders
    topics: [requests]
    shards: 8
    placement: {bytes: key}
    pane: 1s
    window: 30s
    warmup: 5s
    record: {preset: canonical, format: json}
    policy: {capacity: {total: 400}, for: 3s, resolve: 5s}
`

// requestLog writes 1,000 requests a second, of which hot are of one key.
func requestLog(t *testing.T, ctx context.Context, broker []string, hot *share) {
	writeLog(t, ctx, broker, func(rng *rand.Rand) (key, tenant string) {
		if key = fmt.Sprintf("key-%d", rng.IntN(5000)); rng.Float64() < hot.get() {
			key = "the-hot-one"
		}
		return key, fmt.Sprintf("t%d", rng.IntN(200))
	})
}

// writeLog writes 1,000 requests a second.
func writeLog(t *testing.T, ctx context.Context, broker []string, next func(rng *rand.Rand) (key, tenant string)) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	for ctx.Err() == nil {
		var batch []*kgo.Record
		for range 50 {
			key, tenant := next(rng)
			value := fmt.Appendf(nil, `{"ts_ms":%d,"key":%q,"tenant":%q,"op":"PUT"}`, time.Now().UnixMilli(), key, tenant)
			batch = append(batch, &kgo.Record{Topic: "requests", Partition: rng.Int32N(4), Value: value})
		}
		client.ProduceSync(context.WithoutCancel(ctx), batch...)
		pause(ctx, 50*time.Millisecond)
	}
}

// share is a share that a test turns while a log is written.
type share struct {
	mu sync.Mutex
	v  float64
}

func (s *share) get() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.v
}

func (s *share) set(v float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.v = v
}

// running is a run in this process.
type running struct {
	stop context.CancelFunc
	done chan error
	log  *lockedBuffer
	path string // of its configuration
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func startRun(t *testing.T, config string, args ...string) *running {
	t.Helper()
	path := filepath.Join(t.TempDir(), "firebreak.yml")
	config = strings.Replace(config, "127.0.0.1:0", free(t), 1)
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &running{stop: stop, done: make(chan error, 1), log: &lockedBuffer{}, path: path}
	go func() { r.done <- run(ctx, append([]string{"run", "--config", path}, args...), nil, io.Discard, r.log) }()
	return r
}

func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	if err := <-r.done; err != nil {
		t.Errorf("run ended with %v\n%s", err, r.log.String())
	}
}

func eventually(t *testing.T, within time.Duration, what string, ok func() bool) bool {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	t.Errorf("not within %v: %s", within, what)
	return false
}

// free is an address of this machine that nobody listens at.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of this process
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// page asks the admin listener, whose address the log says.
func (r *running) page(path string) string { return r.ask("admin", path) }

// ask asks a listener, whose address the log says.
func (r *running) ask(listener, path string) string {
	found := regexp.MustCompile(listener + `\s+listener\s+\{"address": "([^"]+)"\}`).FindStringSubmatch(r.log.String())
	if found == nil {
		return "no listener yet"
	}
	resp, err := http.Get("http://" + found[1] + path) //nolint:noctx // of this process
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.Status + "\n" + string(b)
}

// liveLog is a broker inside the process with a request log that is written until the test ends, in which one key has the share hot, and a
// configuration that watches it and tells a receiver.
func liveLog(t *testing.T) (config string, receiver *toldReceiver, hot *share) {
	t.Helper()
	hot = &share{}
	config, receiver = liveLogOf(t, func(ctx context.Context, broker []string) { requestLog(t, ctx, broker, hot) })
	return config, receiver, hot
}

// liveLogOf is the same of any request log.
func liveLogOf(t *testing.T, write func(ctx context.Context, broker []string)) (config string, receiver *toldReceiver) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(4, "requests"),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	receiver = &toldReceiver{}
	hook := httptest.NewServer(receiver)
	t.Cleanup(hook.Close)
	var producing sync.WaitGroup
	producing.Go(func() { write(t.Context(), c.ListenAddrs()) })
	t.Cleanup(producing.Wait)
	return fmt.Sprintf(runConfig, strings.Join(c.ListenAddrs(), ","), hook.URL), receiver
}

// TestRun: two instances watch a log in which a key becomes hot; a receiver is told once, the one that decides ends, and the
// other one tells that it resolved, under the same hotspot id.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute of real time")
	}
	t.Parallel()
	config, receiver, hot := liveLog(t)
	a := startRun(t, config)
	eventually(t, 30*time.Second, "ready", func() bool { return strings.HasPrefix(a.page("/-/ready"), "200") })
	b := startRun(t, config)
	eventually(t, 30*time.Second, "ready", func() bool { return strings.HasPrefix(b.page("/-/ready"), "200") })
	time.Sleep(8 * time.Second)
	hot.set(0.5)
	fired := func(text string) bool {
		return strings.Contains(text, `"the-hot-one"`) && strings.Contains(text, `"hot_key"`) && strings.Contains(text, `"firing"`)
	}
	if !eventually(t, 40*time.Second, "told that a key is hot", func() bool { return len(receiver.of(fired)) > 0 }) {
		t.Log(a.log.String(), b.log.String(), a.page("/-/ready?verbose"), a.page("/metrics"))
	}
	eventually(t, 10*time.Second, "every metric of this instance has its value", func() bool {
		text := b.page("/metrics")
		for _, name := range []string{"sketch_memory_bytes", "sketch_unlisted_key_ratio", "coverage_ratio", "source_lag_records", "follower_lag_records", "tick_duration_seconds_count", "records_counted_total", "deltas_accepted_total"} {
			if at := strings.Index(text, "\nfirebreak_"+name); at < 0 || strings.Contains(strings.SplitN(text[at+1:], "\n", 2)[0], "NaN") {
				return false
			}
		}
		return !strings.Contains(text, "firebreak_owned_partitions 0\n") && !strings.Contains(text, "firebreak_decider_epoch 0\n")
	})
	for name, r := range map[string]*running{"the decider or the other": a, "the other": b} {
		eventually(t, 20*time.Second, name+" has the hotspot on its page, with what the journal says of it", func() bool {
			answer := r.ask("console", "/api/v1/hotspots")
			id := regexp.MustCompile(`"hotspot":"([0-9a-f]+)"`).FindStringSubmatch(answer)
			return id != nil && strings.Contains(r.ask("console", "/fleets/orders/hotspots/"+id[1]), "Fired, ") && strings.Contains(r.ask("console", "/"), "the-hot-one")
		})
		for path, want := range map[string]string{
			"/api/v1/search?key=the-hot-one": `"shard":"shard-`, "/api/v1/status": `"partitions":2`, "/api/v1/whatif?share=12%25&rate=1000&shards=8": `"type":"whatif"`,
			"/api/v1/whatif?share=nothing&rate=1&shards=2": `share nothing: want`, "/status": "This instance is ready.", "/api/v1/fleets": `"state":"hot"`,
		} {
			if text := r.ask("console", path); !strings.Contains(text, want) {
				t.Errorf("%s: %s of %s", path, text, name)
			}
		}
	}
	eventually(t, 90*time.Second, "a whole minute is on the map", func() bool { return strings.Contains(b.ask("console", "/api/v1/heatmap"), `"shard":"shard-3"`) })
	speaks(t, a, b)
	a.end(t)
	time.Sleep(10 * time.Second)
	c2 := startRun(t, config) // begins while the hotspot is open: it knows it from the journal, and its minutes from the history
	eventually(t, 40*time.Second, "one that begins later shows the same", func() bool {
		page := c2.ask("console", "/")
		return strings.Contains(page, "the-hot-one") && strings.Contains(page, "Accepted by ") && strings.Contains(c2.ask("console", "/api/v1/heatmap"), `"shard":"shard-3"`)
	})
	c2.end(t)
	hot.set(0)
	eventually(t, 60*time.Second, "told that it resolved", func() bool {
		return len(receiver.of(func(text string) bool { return strings.Contains(text, `"resolved"`) })) > 0
	})
	b.end(t)
	hotspots, keys := map[string]bool{}, map[string]int{}
	for _, body := range receiver.bodies {
		if body["kind"] == "verdict" {
			hotspots[fmt.Sprint(body["hotspot"])] = true
			keys[fmt.Sprint(body["dedup_key"])]++
		}
	}
	if len(hotspots) != 1 {
		t.Errorf("told of hotspots %v, want one, whoever tells", hotspots)
	}
	for key, n := range keys {
		if n > 1 {
			t.Errorf("told %d times of %s", n, key)
		}
	}
	if !strings.Contains(a.log.String()+b.log.String(), "this process decides now") {
		t.Error("nobody decided")
	}
}
