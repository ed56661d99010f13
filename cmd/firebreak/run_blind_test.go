package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/internal/history"
	"firebreak/internal/telemetry"
	"firebreak/pipeline/kafka"
)

// blindConfig is a configuration of the defaults' times.
const blindConfig = `
group: watch
kafka: {brokers: ["kafka:9092"]}
notify: {receivers: [{name: pager, webhook: {url: "http://localhost/hook", secret: a-secret-of-sixteen-bytes}}]}
fleets:
  - name: orders
    topics: [requests]
    shards: 8
    placement: {bytes: key}
    warmup: 1m
    record: {preset: canonical, format: json}
    policy: {capacity: {total: 400}}
`

// watched is an instance put together as newDaemon does, on a network in virtual time.
type watched struct {
	t       *testing.T
	net     *kfake.VirtualNetwork
	cfg     *config.Config
	opts    []kgo.Opt
	journal *journal
	member  *kafka.Member
	topic   *kafka.Log
	stop    context.CancelFunc
	done    chan struct{}
}

// begin makes an instance and starts what writes the journal and tells receivers.
func (w *watched) begin() {
	w.t.Helper()
	fleets, err := liveFleets(w.cfg, "")
	if err != nil {
		w.t.Fatal(err)
	}
	mc, err := memberConfig(w.cfg, fleets, false, zap.NewNop())
	if err != nil {
		w.t.Fatal(err)
	}
	mc.Clusters[0].Opts = append(mc.Clusters[0].Opts, w.opts...)
	if w.topic, err = kafka.OpenLog(mc.Clusters[0].Opts, kafka.JournalTopic(w.cfg.Group), 0); err != nil {
		w.t.Fatal(err)
	}
	metrics, err := telemetry.New(prometheus.NewRegistry(), telemetryConfig(w.cfg, fleets))
	if err != nil {
		w.t.Fatal(err)
	}
	keeper := history.NewKeeper(history.Options{Fleets: len(fleets), Unwritten: true})
	owes := newOwing(w.cfg.LongestWindow())
	watcher := newWatcher(actuator.Scribe{}, keeper, metrics, owes, zap.NewNop())
	w.journal = newJournal(topicLog{w.topic}, owes, "one", zap.NewNop())
	rules, _ := receiversOf(w.cfg, w.journal.guide)
	hook := notify.NewWebhook(*w.cfg.Notify.Receivers[0].Webhook, &notify.Guide{}, &http.Transport{DialContext: w.net.DialContext, DisableKeepAlives: true})
	w.journal.runner = notify.NewRunner(notify.NewQueue(rules, rand.New(rand.NewPCG(1, 2)).Float64), map[string]notify.Sender{"pager": hook}, w.journal, zap.NewNop())
	mc.Sink, mc.Observe = watcher, newObserver(metrics, fleets, false, zap.NewNop())
	if w.member, err = kafka.NewMember(mc); err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	w.stop, w.done = stop, make(chan struct{}, 3)
	for _, what := range []func(context.Context) error{
		w.journal.read, w.member.Run, func(ctx context.Context) error { return w.journal.decide(ctx, w.member) },
	} {
		go func() {
			if err := what(ctx); err != nil && ctx.Err() == nil {
				w.t.Error(err)
			}
			w.done <- struct{}{}
		}()
	}
}

func (w *watched) end() {
	w.stop()
	for range 3 {
		<-w.done
	}
	w.topic.Close()
}

// TestStoryS08: from the fault to the webhook. For ten minutes no coordinator is found and every fetch fails, while a key is hot.
// Within two minutes a receiver is told, once, that nothing is seen; it is not told that the hotspot resolved; and within a
// minute of the faults' end that all is seen again, without a restart.
func TestStoryS08(t *testing.T) {
	if testing.Short() {
		t.Skip("a story")
	}
	path := filepath.Join(t.TempDir(), "firebreak.yml")
	if err := os.WriteFile(path, []byte(blindConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := (&runFlags{config: path}).read()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &watched{t: t, cfg: cfg, net: &kfake.VirtualNetwork{}}
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(w.net.Listen), kfake.SeedTopics(4, "requests"))
		if err != nil {
			t.Fatal(err)
		}
		w.opts = []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.Dialer(w.net.DialContext)}
		producer, err := kgo.NewClient(append(w.opts, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))...)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&kafka.Ensure{Client: producer, Brokers: cluster.ListenAddrs()}).EnsureTopics(t.Context(), kafka.Topics(cfg.Group, cfg.LongestWindow())); err != nil {
			t.Fatal(err)
		}
		pager := &timedReceiver{}
		listener, err := w.net.Listen("tcp", "localhost:80")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: pager}
		go func() { _ = server.Serve(listener) }()
		w.begin()
		write := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
				hotLines(t, producer)
			}
		}
		write(5 * time.Minute)
		if n := len(pager.of("verdict", "firing")); n != 1 {
			t.Fatalf("told %d times that a key is hot: the story does not begin", n)
		}
		fault := time.Now()
		faults := cluster.Fault(
			kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.OffsetFetch, kmsg.OffsetCommit}, Err: kerr.NotCoordinator, Count: -1},
			kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1},
			kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.UnknownServerError, Count: -1},
		)
		write(10 * time.Minute)
		faults.Remove()
		back := time.Now()
		write(3 * time.Minute)
		pager.expect(t, "blind", fault, 2*time.Minute)
		pager.expect(t, "sighted", back, time.Minute)
		if told := pager.of("", "resolved"); len(told) > 0 {
			t.Errorf("told that it resolved, %v after the faults began", told[0].Sub(fault))
		}
		if n := len(pager.of("verdict", "firing")); n != 1 {
			t.Errorf("told %d times that a key is hot", n)
		}
		w.end()
		_ = server.Close()
		producer.Close()
		cluster.Close()
		time.Sleep(time.Minute)
	})
}

// hotLines writes 100 requests of many keys and as many of one.
func hotLines(t *testing.T, producer *kgo.Client) {
	var batch []*kgo.Record
	for n := range 200 {
		key := "the-hot-one"
		if n%2 == 0 {
			key = fmt.Sprint("key-", n)
		}
		value := fmt.Appendf(nil, `{"ts_ms":%d,"key":%q,"op":"PUT","weight":3}`, time.Now().UnixMilli(), key)
		batch = append(batch, &kgo.Record{Topic: "requests", Partition: int32(n % 4), Value: value})
	}
	if err := producer.ProduceSync(context.WithoutCancel(t.Context()), batch...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// timedReceiver is a receiver that knows when it was told.
type timedReceiver struct {
	toldReceiver

	times []time.Time
}

func (r *timedReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.toldReceiver.ServeHTTP(w, req)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, time.Now())
}

// of are the moments at which it was told of a kind of news and of a hotspot's phase; "" is any.
func (r *timedReceiver) of(kind, phase string) (times []time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, body := range r.bodies {
		line, _ := body["line"].(map[string]any)
		if (kind == "" || body["kind"] == kind) && (phase == "" || line["phase"] == phase) {
			times = append(times, r.times[i])
		}
	}
	return times
}

// expect fails the test unless it was told so once, and within a time.
func (r *timedReceiver) expect(t *testing.T, kind string, since time.Time, within time.Duration) {
	t.Helper()
	times := r.of(kind, "")
	if len(times) != 1 || times[0].Before(since) || times[0].Sub(since) > within {
		var after []time.Duration
		for _, at := range times {
			after = append(after, at.Sub(since))
		}
		t.Errorf("told of %s after %v, want once within %v", kind, after, within)
	}
}
