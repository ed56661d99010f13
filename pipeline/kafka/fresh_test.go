package kafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fresh starts a fake cluster of three brokers.
func fresh(t *testing.T) (*kfake.Cluster, Cluster) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, Cluster{Brokers: c.ListenAddrs()}
}

// TestCheckWaitsForCoordinators: on a new cluster brokers are not ready for groups and ids of producers at first. That is not wrong;
// that they never are is.
func TestCheckWaitsForCoordinators(t *testing.T) {
	keys := map[kmsg.Key]*kerr.Error{kmsg.Heartbeat: kerr.NotCoordinator, kmsg.InitProducerID: kerr.CoordinatorLoadInProgress}
	for name, tt := range map[string]struct {
		count int
		bound time.Duration
		want  []string
	}{
		"for a while": {4, time.Minute, []string{"ok    main: group fb: may be joined", "ok    main: idempotent appends: are allowed"}},
		"for good": {-1, 2 * time.Second, []string{
			"WRONG main: group fb: " + kerr.NotCoordinator.Error(), "WRONG main: idempotent appends: " + kerr.CoordinatorLoadInProgress.Error(),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			broker, c := fresh(t)
			for key, answer := range keys {
				broker.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: answer, Count: tt.count, TopLevel: true})
			}
			cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.RequestRetries(2))
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			d := &doctor{Checkup: &Checkup{Group: "fb"}, cluster: &c, client: cl}
			for _, check := range []func(context.Context){func(ctx context.Context) { d.group(ctx, "fb") }, d.idempotent} {
				ctx, cancel := context.WithTimeout(t.Context(), tt.bound)
				check(ctx)
				cancel()
			}
			if diff := cmp.Diff(tt.want, lines(d.found, c.Brokers[0])); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEnsureWaitsForEveryBroker: a topic that was created is used when the last broker has heard of it and its leader serves it.
func TestEnsureWaitsForEveryBroker(t *testing.T) {
	for name, fault := range map[string]kfake.Fault{
		"a broker that lags": {Keys: []kmsg.Key{kmsg.Metadata}, Nodes: []int32{2}, Topic: "fb.panes"},
		"a leader that lags": {Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "fb.panes"},
	} {
		t.Run(name, func(t *testing.T) {
			broker, c := fresh(t)
			fault.Err, fault.Count = kerr.UnknownTopicOrPartition, 6
			lag := broker.Fault(fault)
			e := &Ensure{Client: client(t, c), Brokers: c.Brokers}
			if err := e.EnsureTopics(bounded(t), Topics("fb", time.Minute)); err != nil {
				t.Fatal(err)
			}
			if got := lag.Hits(); got != fault.Count {
				t.Errorf("it went on after %d of %d answers that the topic is unknown", got, fault.Count)
			}
		})
	}
}

// TestEnsureGivesUp: a broker that never hears of a topic is named.
func TestEnsureGivesUp(t *testing.T) {
	broker, c := fresh(t)
	broker.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Nodes: []int32{1}, Topic: "fb.panes", Err: kerr.UnknownTopicOrPartition, Count: -1})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err := (&Ensure{Client: client(t, c), Brokers: c.Brokers}).EnsureTopics(ctx, Topics("fb", time.Minute)[:1])
	if want := "topic fb.panes was created, and broker 1 knows no leader of it"; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
