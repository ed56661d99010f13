package alertmanager

import (
	"context"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
)

// TestOperation: the steps of an operation are annotations of its hotspot's alert and no alerts; that it needs a person is an alert that
// ends.
func TestOperation(t *testing.T) {
	k := newKeeper(t)
	now := news.Start()
	s := senderTo(t, &notify.Guide{}, func() time.Time { return now }, k.URL)
	l := &news.Log{}
	r := notify.Receiver{Name: "am", Alertmanager: &notify.Alertmanager{}}
	l.Join(r.Rule(nil))
	pass := func(e *actuator.Entry) []alert {
		t.Helper()
		l.Tell(e)
		for end := now.Add(5 * time.Second); now.Before(end); now = now.Add(time.Second) {
			n, ok := l.Queues[0].Due("am", now)
			if !ok {
				continue
			}
			receipt, err := s.Send(context.Background(), &n)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Queues[0].Sent("am", now, receipt); err != nil {
				t.Fatal(err)
			}
		}
		return k.firing(now)
	}
	pass(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseFired, 0))
	in := pass(news.Act("orders", "h1", 12, news.Step{Phase: "readers", Text: "readers read all pieces"}, time.Second))
	if len(in) != 1 || !strings.Contains(in[0].Annotations["operation"], "is in phase readers") || !strings.Contains(in[0].Annotations["undo"], "rollback 12") {
		t.Errorf("%d alerts: %+v", len(in), in)
	}
	if in = pass(news.Act("orders", "", 13, news.Step{Phase: "readers"}, time.Second)); len(in) != 1 {
		t.Errorf("a step of no hotspot is an alert: %+v", in)
	}
	in = pass(news.Act("orders", "h1", 12, news.Step{Phase: "readers", Call: actuator.CallNeeded, Text: "it waits"}, time.Second))
	if len(in) != 2 || in[0].Labels["alertname"] != "FirebreakOperation" && in[1].Labels["alertname"] != "FirebreakOperation" {
		t.Errorf("%d alerts: %+v", len(in), in)
	}
	if in = pass(news.Act("orders", "h1", 12, news.Step{Phase: "writers", Call: actuator.CallOver, Text: "it was so"}, 2*time.Second)); len(in) != 1 {
		t.Errorf("%d alerts after it: %+v", len(in), in)
	}
	now = now.Add(10 * time.Minute)
	pass(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseResolved, time.Minute))
	if in = pass(news.Act("orders", "h1", 12, news.Step{Phase: "grace", Outcome: "effective"}, 2*time.Minute)); len(in) != 0 {
		t.Errorf("%d alerts when all is over: %+v", len(in), in)
	}
}
