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
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"

	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/pipeline/kafka"
	"firebreak/routing"
	"firebreak/routing/control"
	routingkafka "firebreak/routing/kafka"
)

// blindConfig is a configuration of the defaults' times.
const blindConfig = `
group: watch
kafka: {brokers: ["kafka:9092"]}
notify: {receivers: [{name: pager, kinds: [verdict, plan, hold, blind, sighted, acted], webhook: {url: "http://localhost/hook", secret: a-secret-of-sixteen-bytes}}]}
fleets:
  - name: orders
    topics: [requests]
    shards: 8
    placement: {bytes: key}
    warmup: 1m
    record: {preset: canonical, format: json}
    policy: {capacity: {total: 400}, undo_delay: 1m, grace: 1m}
  - name: carts
    topics: [requests]
    shards: 1
    placement: {bytes: key}
    warmup: 1m
    record: {preset: canonical, format: json}
`

// watched is a broker in virtual time, one instance that watches its topic "requests", and a receiver.
type watched struct {
	t        *testing.T
	cluster  *kfake.Cluster
	producer *kgo.Client
	pager    timedReceiver
	metrics  *prometheus.Registry // of the instance
}

// watchedStory tells a story of a broker, which seeds make, from before the instance begins until it has ended.
func watchedStory(t *testing.T, tell func(t *testing.T, w *watched), seeds ...kfake.Opt) {
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
		network := &kfake.VirtualNetwork{}
		w := &watched{t: t}
		if w.cluster, err = kfake.NewCluster(append(seeds, kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(network.Listen))...); err != nil {
			t.Fatal(err)
		}
		if w.producer, err = kgo.NewClient(
			kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.Dialer(network.DialContext), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0),
		); err != nil {
			t.Fatal(err)
		}
		if err := (&kafka.Ensure{Client: w.producer, Brokers: w.cluster.ListenAddrs()}).EnsureTopics(t.Context(), kafka.Topics(cfg.Group, cfg.LongestWindow())); err != nil {
			t.Fatal(err)
		}
		listener, err := network.Listen("tcp", "localhost:80")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: &w.pager}
		go func() { _ = server.Serve(listener) }()
		w.salt(cfg, network)
		end := w.watch(cfg, network)
		tell(t, w)
		end()
		_ = server.Close()
		w.producer.Close()
		w.cluster.Close()
		time.Sleep(time.Minute) // what is left of connections ends
	})
}

// salted is a key of the fleet orders that lies in eight pieces, one on each shard.
const salted = "the-salted-one"

// salt makes the routing in which that key is salted.
func (w *watched) salt(cfg *config.Config, network *kfake.VirtualNetwork) {
	fleets, err := liveFleets(cfg, "")
	if err != nil {
		w.t.Fatal(err)
	}
	d := fleets[0].Document.Clone()
	table, err := routing.NewTable(d)
	if err != nil {
		w.t.Fatal(err)
	}
	salt, on := routing.Salt{Key: salted, Read: 8, Write: 8}, map[routing.ShardID]bool{}
	for suffix := uint32(0); len(on) < 8; suffix++ {
		if _, shard := table.PiecePlace(nil, []byte(salted), suffix); !on[shard] {
			on[shard], salt.Suffixes = true, append(salt.Suffixes, suffix)
		}
	}
	d.PutSalt(salt)
	log, err := routingkafka.Open([]kgo.Opt{kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.Dialer(network.DialContext)}, cfg.Group)
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	if _, err := log.Store("orders").Write(w.t.Context(), control.At{}, control.First(d)); err != nil {
		w.t.Fatal(err)
	}
}

// watch begins an instance, which differs from a daemon in its network only; end ends it.
func (w *watched) watch(cfg *config.Config, network *kfake.VirtualNetwork) (end func()) {
	fleets, err := liveFleets(cfg, "")
	if err != nil {
		w.t.Fatal(err)
	}
	mc, err := memberConfig(cfg, fleets, false, zap.NewNop())
	if err != nil {
		w.t.Fatal(err)
	}
	mc.Clusters[0].Opts = append(mc.Clusters[0].Opts, kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.Dialer(network.DialContext))
	d := &daemon{cfg: cfg, log: zap.NewNop(), fleets: fleets, opts: mc.Clusters[0].Opts, gather: prometheus.NewRegistry(), leaving: make(chan struct{})}
	if err := d.assemble(mc); err != nil {
		w.t.Fatal(err)
	}
	w.metrics = d.gather
	rules, _ := receiversOf(cfg, d.journal.guide)
	hook := notify.NewWebhook(*cfg.Notify.Receivers[0].Webhook, &notify.Guide{}, &http.Transport{DialContext: network.DialContext, DisableKeepAlives: true})
	d.journal.runner = notify.NewRunner(notify.NewQueue(rules, rand.New(rand.NewPCG(1, 2)).Float64), map[string]notify.Sender{"pager": hook}, d.journal, zap.NewNop())
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan error)
	go func() { done <- d.watch(ctx) }()
	return func() {
		stop()
		if err := <-done; err != nil {
			w.t.Errorf("it ended with %v", err)
		}
		d.close()
	}
}

// write writes 300 requests twice a second for a time: a third of them of one key, and another of the salted one.
func (w *watched) write(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		hotLines(w.t, w.producer)
	}
}

// hotLines writes 100 requests of many keys and as many of each of two.
func hotLines(t *testing.T, producer *kgo.Client) {
	var batch []*kgo.Record
	for n := range 300 {
		key := [...]string{fmt.Sprint("key-", n), "the-hot-one", salted}[n%3]
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

// of are the moments at which it was told of a kind of news of the fleet orders and of a hotspot's phase; "" is any.
func (r *timedReceiver) of(kind, phase string) (times []time.Time) {
	return r.ofFleet("orders", kind, phase)
}

func (r *timedReceiver) ofFleet(fleet, kind, phase string) (times []time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, body := range r.bodies {
		line, _ := body["line"].(map[string]any)
		if body["fleet"] == fleet && (kind == "" || body["kind"] == kind) && (phase == "" || line["phase"] == phase) {
			times = append(times, r.times[i])
		}
	}
	return times
}

// expect fails the test unless it was told so once of each fleet, and within a time.
func (r *timedReceiver) expect(t *testing.T, kind string, since time.Time, within time.Duration) {
	t.Helper()
	for _, fleet := range []string{"orders", "carts"} {
		times := r.ofFleet(fleet, kind, "")
		if len(times) == 1 && !times[0].Before(since) && times[0].Sub(since) <= within {
			continue
		}
		var after []time.Duration
		for _, at := range times {
			after = append(after, at.Sub(since))
		}
		t.Errorf("told that %s is %s after %v, want once within %v", fleet, kind, after, within)
	}
}
