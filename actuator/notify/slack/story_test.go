package slack

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
	"firebreak/internal/line"
)

// people is what a receiver of Slack wants that says nothing else.
func (w *world) people() {
	r := notify.Receiver{Name: "slack", Slack: &notify.Slack{Channel: "C1"}}
	w.rule = r.Rule(nil)
	w.log.Queues = nil
	w.log.Join(w.rule)
}

// TestStormIsOneMessage: of 40 hotspots ten have messages and the others one, which is kept up to date, also by an instance that takes
// over, and green when all are over.
func TestStormIsOneMessage(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	w.people()
	tell := func(i int, p actuator.Phase) {
		w.log.Tell(news.Hotspot(news.Verdict("orders", fmt.Sprint("h", i), fmt.Sprint("s", i), "", "k"), p, w.now.Sub(news.Start())))
	}
	for i := range 40 {
		tell(i, actuator.PhaseFired)
	}
	w.run(time.Minute)
	in := w.slack.In("C1")
	if len(in) != 11 || in[10].Colour != red || in[10].Shown[0] != "30 more that are not told one by one" {
		t.Fatalf("%d messages, the last %v", len(in), in[len(in)-1].Shown)
	}
	for i := range 40 {
		tell(i, actuator.PhaseResolved)
		w.run(10 * time.Second)
		if i == 25 {
			if more := w.slack.In("C1")[10]; !strings.Contains(more.Shown[1], "resolved") || more.Colour != red {
				t.Errorf("half of it over: %v", more.Shown)
			}
			w.log.Join(w.rule)
		}
	}
	w.run(time.Minute)
	in = w.slack.In("C1")
	if len(in) != 11 {
		t.Fatalf("%d messages", len(in))
	}
	for _, m := range in {
		if m.Colour != green {
			t.Errorf("%v is %s", m.Shown, m.Colour)
		}
	}
	if more := in[10]; more.Shown[0] != "RESOLVED: 30 more that were not told one by one" || !strings.Contains(more.Shown[1], "30 resolved") || len(more.Replies) != 0 || more.Edits > 8 {
		t.Errorf("%v, %d edits", more.Shown, more.Edits)
	}
}

// TestAcceptedMessage: the message of a hotspot says who accepted it, until when and why, and is not red meanwhile; when it is told again
// it is, and the channel is shown why.
func TestAcceptedMessage(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	w.people()
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseFired, 0))
	w.run(5 * time.Second)
	a, err := actuator.NewAccepted("orders", w.now, actuator.Accepted{Hotspot: "h1", By: "<!channel>", Reason: "the nightly import", Until: line.Stamp(news.Start().Add(8 * time.Hour)), Load: 6400})
	if err != nil {
		t.Fatal(err)
	}
	w.log.Tell(&a)
	w.run(5 * time.Second)
	m := w.slack.In("C1")[0]
	all := strings.Join(m.Shown, "\n")
	if m.Colour != grey || !strings.HasPrefix(m.Shown[0], "ACCEPTED: shard") || len(m.Replies) != 1 || m.Replies[0].Shouted || len(m.Pinged) != 0 {
		t.Errorf("%+v", m)
	}
	for _, want := range []string{"`&lt;!channel&gt;`", "2026-03-01 20:00:00Z", "the nightly import", "*Why*"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	w.log.Tell(news.Entry("again", actuator.KindReopened, actuator.PhaseNone, "orders", "h1", w.now, &actuator.Reopened{
		Head: line.NewHead("reopened", "orders", line.Stamp(w.now)), Hotspot: "h1", Accepted: a.ID, Why: "load", Load: 9000, Was: 6400, Severity: "critical",
	}))
	w.run(5 * time.Second)
	m = w.slack.In("C1")[0]
	if m.Colour != red || !strings.HasPrefix(m.Shown[0], "CRITICAL") || !strings.Contains(m.Shown[1], "told again") || len(m.Replies) != 2 || !m.Replies[1].Shouted {
		t.Errorf("%+v", m)
	}
	d, err := actuator.NewDismissed("orders", w.now, actuator.Dismissed{Hotspot: "h1", By: "ann", Reason: "a load test"})
	if err != nil {
		t.Fatal(err)
	}
	w.log.Tell(&d)
	w.run(5 * time.Second)
	if m = w.slack.In("C1")[0]; m.Colour != grey || !strings.HasPrefix(m.Shown[0], "DISMISSED") || !strings.Contains(m.Shown[1], "a load test") {
		t.Errorf("%+v", m.Shown)
	}
}

// TestStormIsAccepted: the message of a storm says how many of it are accepted and dismissed, is grey when a person knows of all that
// lasts, and is red again, with a reply that the channel is shown, when something joins it.
func TestStormIsAccepted(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	w.people()
	tell := func(hotspot string, p actuator.Phase) {
		w.log.Tell(news.Hotspot(news.Verdict("orders", hotspot, "s", "", "k"), p, w.now.Sub(news.Start())))
	}
	for i := range 14 { // the oldest four are told as more
		tell(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	w.run(time.Minute)
	for i := range 3 {
		a, err := actuator.NewAccepted("orders", w.now, actuator.Accepted{Hotspot: line.Name(fmt.Sprint("h", i)), By: "ann", Reason: "known", Until: line.Stamp(news.Start().Add(8 * time.Hour)), Load: 6400})
		if err != nil {
			t.Fatal(err)
		}
		w.log.Tell(&a)
	}
	d, err := actuator.NewDismissed("orders", w.now, actuator.Dismissed{Hotspot: "h3", By: "ann", Reason: "a load test"})
	if err != nil {
		t.Fatal(err)
	}
	w.log.Tell(&d)
	w.run(5 * time.Second)
	more := func() *fake.Message { return w.slack.In("C1")[10] }
	if m := more(); m.Colour != grey || m.Shown[0] != "ACCEPTED: 4 more that were not told one by one" || !strings.Contains(m.Shown[1], "3 accepted, 1 dismissed") || len(m.Replies) != 0 {
		t.Errorf("%+v", m)
	}
	tell("late", actuator.PhaseFired)
	w.run(5 * time.Second)
	if m := more(); m.Colour != red || !strings.Contains(m.Shown[1], "1 open") || len(m.Replies) != 1 || !m.Replies[0].Shouted {
		t.Errorf("%+v", m)
	}
}
