package slack

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
)

// journal is the log of a group in memory: what is appended reaches the runners that follow, in its wire form.
type journal struct {
	mu      sync.Mutex
	log     [][]byte
	runners []*notify.Runner
}

func (j *journal) Append(_ context.Context, entries []actuator.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range entries {
		b, err := actuator.Encode(&entries[i])
		if err != nil {
			return err
		}
		j.log = append(j.log, b)
		for _, r := range j.runners {
			go apply(r, b) // as a follower does, not within the append
		}
	}
	return nil
}

func apply(r *notify.Runner, b []byte) {
	if e, err := actuator.Decode(b); err == nil {
		r.Apply(&e, time.Now())
	}
}

// join makes a runner that has read the journal to its end.
func (j *journal) join(s notify.Sender) *notify.Runner {
	r := notify.NewRunner(notify.NewQueue([]notify.Rule{{Name: "slack", Pace: time.Millisecond}}, func() float64 { return 0 }), map[string]notify.Sender{"slack": s}, j, zap.NewNop())
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.log {
		apply(r, b)
	}
	j.runners = append(j.runners, r)
	return r
}

// TestRunnerKeepsReceipts: through the runner and the journal's wire form, the next decider updates the message of the first.
func TestRunnerKeepsReceipts(t *testing.T) {
	server := fake.New(time.Now, "C1 alerts")
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	s := New(notify.Slack{Token: fake.Token, Channel: "C1", APIURL: server.API()}, &notify.Guide{}, transport)
	j, v := &journal{}, news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42")
	for i, phase := range []actuator.Phase{actuator.PhaseFired, actuator.PhaseRevised, actuator.PhaseResolved} {
		r := j.join(s)
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := j.Append(t.Context(), []actuator.Entry{*news.Hotspot(v, phase, time.Duration(i)*time.Minute)}); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); r.Stats("slack").Delivered == 0 && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if in := server.In("C1"); len(in) != 1 || in[0].Edits != 2 || in[0].Colour != green {
		t.Fatalf("%d messages of one hotspot", len(in))
	}
}
