//go:build kafka && unix

package main

import (
	"testing"
	"time"

	"firebreak/internal/kafkarig"
)

// TestRealDemo: the demo on a real broker.
func TestRealDemo(t *testing.T) {
	demoLosesNothing(t, &options{brokers: kafkarig.Start(t, kafkarig.Options{}).Addr(), group: "g"})
}

// TestRealOutage: parts that have the routing go on without the broker; when it is back it has what was written, and the next move is made.
func TestRealOutage(t *testing.T) {
	b := kafkarig.Start(t, kafkarig.Options{})
	o := &options{brokers: b.Addr(), group: "g"}
	f := processes(t, "--brokers", o.brokers, "--group", o.group)
	f.tell()
	s, err := openStore(t.Context(), &options{control: f.control, brokers: o.brokers, group: o.group})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	was, _ := onBroker(t, o)
	b.Kill()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err := s.put(t.Context(), "color", "green"); err != nil {
			t.Fatalf("without a broker: %v", err)
		}
	}
	b.Restart()
	if is, _ := onBroker(t, o); is.At() != was.At() {
		t.Errorf("it stood at %v, and stands at %v", was.At(), is.At())
	}
	to := map[string]string{"shard-0": "shard-1", "shard-1": "shard-0"}[owner(t, f.control, "color")]
	f.kv(to+" has it", "move", "color", to)
	f.kv("green", "get", "color")
}
