package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/routing/control"
	"firebreak/routing/kafka"
)

// cluster is a Kafka inside the process, without a topic.
func cluster(t *testing.T) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// broker is where such a one is reached.
func broker(t *testing.T) string { return strings.Join(cluster(t).ListenAddrs(), ",") }

// TestTopicsJustMade: a broker that has not heard yet of a topic is asked again.
func TestTopicsJustMade(t *testing.T) {
	for name, key := range map[string]kmsg.Key{"no broker knows it": kmsg.Metadata, "its leader does not serve it": kmsg.ListOffsets} {
		t.Run(name, func(t *testing.T) {
			c := cluster(t)
			first, err := firstState([]string{"shard-0", "shard-1"})
			if err != nil {
				t.Fatal(err)
			}
			lag := c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: "g.state", Err: kerr.UnknownTopicOrPartition, Count: 5})
			k, err := openKafka(t.Context(), &options{brokers: strings.Join(c.ListenAddrs(), ","), group: "g"}, first)
			if err != nil {
				t.Fatal(err)
			}
			defer k.log.Close()
			if _, err := k.Load(t.Context()); err != nil || lag.Hits() != 5 {
				t.Errorf("%v, after %d of 5 answers that the topic is unknown", err, lag.Hits())
			}
		})
	}
}

// onBroker is the state that a Kafka has, and what shards and clients confirmed there.
func onBroker(t *testing.T, o *options) (*control.State, []control.Confirmation) {
	t.Helper()
	l, err := kafka.Open(o.cluster(), o.group)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := l.Store(fleetName).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	held, err := l.Store(fleetName).Confirmations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, held
}

// TestDemoOnKafka: the same with the routing on Kafka, where all shards and clients confirm; once more over what the first one left there.
func TestDemoOnKafka(t *testing.T) {
	o := &options{brokers: broker(t), group: "g"}
	demoLosesNothing(t, o)
	s, held := onBroker(t, o)
	guards := 0
	for _, c := range held {
		if c.Guard {
			guards++
		}
	}
	if s.Document.Version < 3 || guards != demoShards || len(held)-guards < demoClients {
		t.Errorf("version %d, %d of %d confirmations are shards'", s.Document.Version, guards, len(held))
	}
	left, err := openKafka(t.Context(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	defer left.log.Close()
	b := &board{state: left}
	if _, err := b.move(t.Context(), 1, "shard-3"); err != nil {
		t.Fatal(err)
	}
	demoLosesNothing(t, o)
}

// TestProcessesOnKafka: who comes over HTTP and who reads Kafka route the same, and the state is there when all processes are gone.
func TestProcessesOnKafka(t *testing.T) {
	o := &options{brokers: broker(t), group: "g"}
	processes(t, "--brokers", o.brokers, "--group", o.group).tell()
	if s, _ := onBroker(t, o); len(s.Document.Moves) > 1 || s.Document.Version < 3 {
		t.Errorf("version %d with the moves %v", s.Document.Version, s.Document.Moves)
	}
}

// TestNoKafka: where no broker answers, the demo says so and ends.
func TestNoKafka(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := demo(ctx, &bytes.Buffer{}, &options{brokers: free(t), group: "g"}, time.Second); err == nil {
		t.Error("it ran")
	}
}
