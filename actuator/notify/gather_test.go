package notify

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
)

// taker takes everything and keeps it.
type taker struct {
	mu  sync.Mutex
	got []Notice
}

func (s *taker) Send(_ context.Context, n *Notice) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, *n)
	return "C1/1.1", nil
}

func (s *taker) told() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// TestGather: the plan that follows a verdict in the journal is known when the verdict is told.
func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &taker{}
		r := NewRunner(NewQueue([]Rule{{Name: "hook"}}, quick), map[string]Sender{"hook": s}, &journal{}, zap.NewNop())
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.Apply(fired("h"), time.Now())
		time.Sleep(gather / 2)
		plan := news("plan", actuator.KindPlan, actuator.PhaseBegun, "h", "")
		plan.Line = []byte(`{"type":"plan","schema":1,"fleet":"orders","hotspot":"h","id":"p1"}`)
		r.Apply(plan, time.Now())
		time.Sleep(3 * time.Second)
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(s.got) != 1 || s.got[0].Story == nil || s.got[0].Story.Plan == nil {
			t.Errorf("told %+v", s.got)
		}
	})
}
