package main

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/internal/config"
	"firebreak/pipeline/record"
)

// TestProduce: the log of a minute stands in the topic at once, in every partition, readable by the configuration of the
// demonstration; then it goes on with the clock until the time asked for is over.
func TestProduce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes real time")
	}
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	flags := thinDemo(1)
	flags.produce, flags.topic, flags.duration = strings.Join(c.ListenAddrs(), ","), "log", 4*time.Second
	flags.admin = freeAddress(t)
	began := time.Now()
	var out bytes.Buffer
	answers := make(chan string, 1)
	go func() { answers <- healthDuring(t.Context(), flags.admin, 3*time.Second) }()
	if err := runProduce(t.Context(), flags, &demoOutput{w: &out}); err != nil {
		t.Fatal(err)
	}
	ended := time.Now()
	if got := <-answers; got != "ready" {
		t.Errorf("while it writes /-/ready says %q", got)
	}
	if !strings.Contains(out.String(), "to topic log") {
		t.Errorf("it says %q", out.String())
	}
	fleet, _, err := demoFleet()
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := record.NewDecoder(fleet.Record)
	if err != nil {
		t.Fatal(err)
	}
	first, last, partitions, lines := ended, began.Add(-time.Hour), map[int32]bool{}, 0
	for _, r := range readTopic(t, flags.produce, "log") {
		var rec record.Record
		if why := decoder.Decode(r.Value, &rec); why != record.ReasonNone {
			t.Fatalf("refused, %v: %s", why, r.Value)
		}
		at := time.Unix(0, rec.Time)
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
		partitions[r.Partition] = true
		lines++
	}
	if since := began.Sub(first); since < produceWarm-time.Second || since > produceWarm+2*time.Second {
		t.Errorf("the log begins %v before it was begun", since)
	}
	if last.Before(began.Add(time.Second)) || last.After(ended) {
		t.Errorf("the last line is %v after the beginning, of %v", last.Sub(began), ended.Sub(began))
	}
	if len(partitions) != demoPartitions || lines < 60*200 {
		t.Errorf("%d lines in %d partitions", lines, len(partitions))
	}
}

// freeAddress is one that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// healthDuring asks for health until it is good, and gives the last answer or error.
func healthDuring(ctx context.Context, address string, within time.Duration) (last string) {
	for began := time.Now(); last != "ready" && time.Since(began) < within; pause(ctx, 50*time.Millisecond) {
		said, err := askHealth(ctx, &url.URL{Scheme: "http", Host: address, Path: "/-/ready"})
		if last = said; err != nil {
			last = err.Error()
		}
	}
	return last
}

// TestProduceStalls: who has not written yet, or for a while, is not ready.
func TestProduceStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &producer{}
		if err := p.writes(); err == nil {
			t.Error("ready before the first line")
		}
		p.wrote.Store(time.Now().UnixNano())
		time.Sleep(produceStalls)
		if err := p.writes(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if err := p.writes(); err == nil || !strings.Contains(err.Error(), "for 11s") {
			t.Errorf("%v", err)
		}
	})
}

// readTopic reads what stands in a topic.
func readTopic(t *testing.T, brokers, topic string) (out []*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.ConsumeTopics(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		got := client.PollFetches(ctx)
		stop()
		if got.NumRecords() == 0 {
			return out
		}
		out = append(out, got.Records()...)
	}
}

// TestProduceFlags: flags that would say nothing are refused.
func TestProduceFlags(t *testing.T) {
	for _, args := range []string{"demo --topic x", "demo --admin localhost:0", "demo --produce localhost:1 --admin nowhere", "demo --produce localhost:1 --speed 2"} {
		if _, err := call(t, args); exitCode(err) != exitUsage {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestComposeFleet: the fleet that the compose file watches is the one that is generated, but for what only the demonstration's acting needs:
// another spare, and its policy.
func TestComposeFleet(t *testing.T) {
	const path = "../../deploy/compose/firebreak.yml"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Runnable(); err != nil {
		t.Fatal(err)
	}
	want, _, err := demoFleet()
	if err != nil {
		t.Fatal(err)
	}
	got := c.Fleets[0]
	if len(got.Topics) != 1 || got.Topics[0].Name != demoTopic {
		t.Errorf("topics: %v", got.Topics)
	}
	got.Topics = want.Topics
	if got.Policy.Capacity != want.Policy.Capacity {
		t.Errorf("capacity: %+v, generated for %+v", got.Policy.Capacity, want.Policy.Capacity)
	}
	got.Policy = want.Policy
	want.Shards.List = want.Shards.List[:len(got.Shards.List)]
	if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("generated (-), watched (+):\n%s", diff)
	}
}
