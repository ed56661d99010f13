package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"firebreak/routing"
	"firebreak/routing/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const group = "fb"

// broker is a Kafka inside the process with the topics of a group.
func broker(t testing.TB) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, StateTopic(group), ClientsTopic(group)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func open(t testing.TB, c *kfake.Cluster, opts ...kgo.Opt) *Log {
	t.Helper()
	l, err := Open(append(opts, kgo.SeedBrokers(c.ListenAddrs()...), kgo.RetryTimeout(3*time.Second)), group)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), d)
	t.Cleanup(stop)
	return ctx
}

func soon(t testing.TB) context.Context { return within(t, 20*time.Second) }

// first is the first state of a fleet.
func first(t interface {
	Helper()
	Fatal(args ...any)
}, fleet string,
) *control.State {
	t.Helper()
	d, err := routing.Adopt(fleet, routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	return control.First(d)
}

func request(id string, version uint64) *control.Request {
	return &control.Request{
		ID: id, By: "ann", At: time.Unix(1_790_000_000, 0).UTC(), Reason: "it is hot", Do: control.DoSet, IfVersion: version,
		Edits: []control.Edit{{Entry: routing.QuotaEntry("acme"), Value: "5"}},
	}
}

// begun is a store of a fleet that a decider has claimed, and its state.
func begun(t testing.TB, l *Log, fleet string) (*Store, *control.State) {
	t.Helper()
	s := l.Store(fleet)
	if _, err := s.Write(soon(t), control.At{}, first(t, fleet)); err != nil {
		t.Fatal(err)
	}
	return s, claim(t, s, "tenure-0")
}

func claim(t testing.TB, s *Store, tenure string) *control.State {
	t.Helper()
	was, err := s.Load(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	next, err := was.Claim(0, tenure)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(soon(t), was.At(), next); err != nil {
		t.Fatal(err)
	}
	return next
}

// quota writes a state with another quota, and gives it.
func quota(t testing.TB, s *Store, was *control.State, rate int) *control.State {
	t.Helper()
	next := was.Next()
	if err := next.Document.Set(routing.QuotaEntry("acme"), fmt.Sprint(rate)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(soon(t), was.At(), next); err != nil {
		t.Fatal(err)
	}
	return next
}

// length is how many entries the topic of states has, from its start.
func length(t testing.TB, l *Log) int64 {
	t.Helper()
	start, end, err := l.bounds(soon(t), l.state)
	if err != nil {
		t.Fatal(err)
	}
	return end - start
}

// remake deletes the topic of states and makes it anew.
func remake(t testing.TB, l *Log) {
	t.Helper()
	adm := kadm.NewClient(l.producer)
	if _, err := adm.DeleteTopics(soon(t), l.state); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.CreateTopics(soon(t), 1, 1, nil, l.state); err != nil {
		t.Fatal(err)
	}
}
