package main

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/zap"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
)

// TestTopicLags: offsets are held against the ends of now, or what was known last; the time of a partition stands still from its
// last delta on, whoever counts it.
func TestTopicLags(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	id, other := pipeline.TopicID{1}, pipeline.TopicID{2}
	part := func(number int32) pipeline.Partition { return pipeline.Partition{Topic: id, Number: number} }
	view := &pipeline.View{
		Topics: []pipeline.Topic{{ID: id, Name: "main/requests", Partitions: 4}, {ID: other, Name: "main/new", Partitions: 1}},
		Counted: map[pipeline.Partition]pipeline.Progress{
			part(0):                      {To: 100, End: 100, Clock: at.UnixNano(), At: at},
			part(1):                      {To: 100, End: 103, Clock: at.Add(-20 * time.Second).UnixNano(), At: at},
			part(2):                      {To: 100, End: -1, Clock: record.NoTime, At: at},
			{Topic: pipeline.TopicID{9}}: {To: 5, End: 10_000, Clock: 0, At: at}, // of a topic that is no more
		},
	}
	for _, tt := range []struct {
		name string
		ends map[int32]int64
		now  time.Time
		want topicLag
	}{
		{"at rest", map[int32]int64{0: 100, 1: 100, 2: 100}, at, topicLag{0, 20 * time.Second}},
		{"nobody counts for a while", map[int32]int64{0: 150, 1: 100, 2: 107, 3: 1000}, at.Add(37 * time.Second), topicLag{57, 57 * time.Second}},
		{"no broker answers", nil, at.Add(time.Minute), topicLag{3, 80 * time.Second}},
		{"counted since the ends were asked", map[int32]int64{0: 90, 1: 90, 2: 90}, at.Add(-time.Minute), topicLag{}},
	} {
		got := topicLags(view, map[string]map[int32]int64{"main/requests": tt.ends}, tt.now)
		want := map[string]topicLag{"main/requests": tt.want}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(topicLag{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestLagsWhileNobodyCounts: no coordinator is found, so no delta is published; what is written meanwhile is measured all the same, as
// is the time that passes. A cluster without a name has the one that it has by default.
func TestLagsWhileNobodyCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of real time")
	}
	t.Parallel()
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "requests"),
		kfake.BrokerConfigs(map[string]string{"group.min.session.timeout.ms": "1000", "group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	cfg := daemonConfigOf(t, broker.ListenAddrs()[0], "")
	cfg.Kafka.Session, cfg.Fleets[0].Pane, cfg.Fleets[0].Window = 3*time.Second, time.Second, 30*time.Second
	d, err := newDaemon(cfg, "", false, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.run(ctx) }()
	measured := func(series string) float64 { return gauge(t, d.gather, series) }
	if !eventually(t, 40*time.Second, "counting has begun, and the window", func() bool {
		return measured("firebreak_source_lag_records{main,orders,requests}") == 0 && measured("firebreak_window_lag_seconds{orders}") < 10
	}) {
		t.FailNow()
	}
	faults := broker.Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.OffsetFetch, kmsg.OffsetCommit}, Err: kerr.NotCoordinator, Count: -1},
		kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1},
	)
	pause(ctx, 6*time.Second) // for the last delta
	producer, err := kgo.NewClient(kgo.SeedBrokers(broker.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for range 7 {
		if err := producer.ProduceSync(ctx, &kgo.Record{Topic: "requests", Value: []byte(`{"key":"k"}`)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, 40*time.Second, "7 offsets, and the time since, are told", func() bool {
		return measured("firebreak_source_lag_records{main,orders,requests}") == 7 && measured("firebreak_source_lag_seconds{main,orders,requests}") > 15 &&
			measured("firebreak_window_lag_seconds{orders}") > 15
	})
	faults.Remove()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// gauge is the value of a series: its metric with the values of its labels in braces. NaN = there is none.
func gauge(t *testing.T, from prometheus.Gatherer, series string) float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			if f.GetName()+"{"+strings.Join(labels, ",")+"}" == series {
				return m.GetGauge().GetValue()
			}
		}
	}
	return math.NaN()
}
