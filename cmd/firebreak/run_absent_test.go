package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline/kafka"
)

// TestStoryAbsentTopic: the topic of the only fleet is not there, so that its window never begins. Within two minutes a receiver is
// told, once, that nothing is seen; when the topic is made, within three minutes that all is.
func TestStoryAbsentTopic(t *testing.T) {
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
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(w.net.Listen))
		if err != nil {
			t.Fatal(err)
		}
		w.opts = []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.Dialer(w.net.DialContext)}
		producer, err := kgo.NewClient(append(w.opts, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0))...)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&kafka.Ensure{Client: producer, Brokers: cluster.ListenAddrs()}).EnsureTopics(context.WithoutCancel(t.Context()), kafka.Topics(cfg.Group, cfg.LongestWindow())); err != nil {
			t.Fatal(err)
		}
		pager := &timedReceiver{}
		listener, err := w.net.Listen("tcp", "localhost:80")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: pager}
		go func() { _ = server.Serve(listener) }()
		begun := time.Now()
		w.begin()
		time.Sleep(10 * time.Minute)
		pager.expect(t, "blind", begun, 2*time.Minute)
		there := time.Now()
		if err := cluster.CreateTopic("requests", 4, nil); err != nil {
			t.Fatal(err)
		}
		for time.Since(there) < 5*time.Minute {
			time.Sleep(500 * time.Millisecond)
			hotLines(t, producer)
		}
		pager.expect(t, "sighted", there, 3*time.Minute)
		w.end()
		_ = server.Close()
		producer.Close()
		cluster.Close()
		time.Sleep(time.Minute)
	})
}
