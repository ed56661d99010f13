package slack

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
)

// has says which of some texts a message lacks.
func has(t *testing.T, when string, shown []string, want ...string) {
	t.Helper()
	all := strings.Join(shown, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("%s: no %q in\n%s", when, w, all)
		}
	}
}

// TestOperationInTheThread: the message of a hotspot says that its plan waits for approval, then where its operation stands and how it is
// undone, and each step is a line of its thread: also where the hotspot is over before its effect is judged, and another instance tells it
// that has read nothing but the journal.
func TestOperationInTheThread(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	w.people()
	fired := news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseFired, 0)
	w.log.Tell(fired, news.Plan("orders", "h1", "7c1f0a4be2d95a36", 0), news.Hold("orders", "h1", "approval_missing", "plan 7c1f0a4be2d95a36 waits for a person", 0))
	w.run(5 * time.Second)
	has(t, "with a plan", w.slack.In("C1")[0].Shown, "waits for approval", "firebreak actions approve `7c1f0a4be2d95a36` --reason WHY", "An approver decides: firebreak carries it out")
	w.log.Tell(news.Approve("orders", "h1", "7c1f0a4be2d95a36", 5*time.Second))
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "planned", Text: "operation 12 is planned"}, 6*time.Second))
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "readers", Text: "readers read all pieces, writers write as before"}, 7*time.Second))
	w.run(20 * time.Second)
	m := w.slack.In("C1")[0]
	has(t, "while it acts", m.Shown, "Operation 12 (salt of shard `shard-7`) is in phase readers", "firebreak actions rollback 12 --reason WHY")
	if len(m.Replies) != 3 || m.Colour != red {
		t.Errorf("%d replies in %s, want the word and two steps in red", len(m.Replies), m.Colour)
	}
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseResolved, time.Minute))
	w.run(5 * time.Second)
	w.log.Join(w.rule)
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "grace", Outcome: "effective", Text: "the hottest shard is at 60 % of its target", Before: 1.2, After: 0.6}, 15*time.Minute))
	w.run(5 * time.Second)
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "undone", Back: true, Outcome: "undone", Text: "bob: not needed"}, 16*time.Minute))
	w.run(5 * time.Second)
	in := w.slack.In("C1")
	if len(in) != 1 || len(in[0].Replies) != 6 || in[0].Colour != green {
		t.Fatalf("%d messages, %d replies, %s", len(in), len(in[0].Replies), in[0].Colour)
	}
	has(t, "its effect", in[0].Replies[4].Shown, "is effective", "the hottest shard is at")
	has(t, "after it", in[0].Shown, "RESOLVED", "Operation 12 (salt of shard `shard-7`) is undone, on its way back: bob: not needed.")
	if strings.Contains(strings.Join(in[0].Shown, "\n"), "rollback 12") {
		t.Error("what is undone can be undone")
	}
}

// TestCallIsAMessage: an operation that needs a person has a red message of its own, which says what to do, is updated, and is green when
// nobody is needed any more; the message of its hotspot says so too.
func TestCallIsAMessage(t *testing.T) {
	w := newWorld(t, &notify.Guide{External: "https://fb.example"})
	w.people()
	w.log.Tell(news.Hotspot(news.Verdict("orders", "h1", "shard-7", "", "cart:42"), actuator.PhaseFired, 0))
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "readers", Text: "readers read all pieces"}, time.Second))
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "readers", Call: actuator.CallNeeded, Text: "it waits in phase readers for longer than 10 minutes: waiting for <!channel>"}, 11*time.Minute))
	w.run(20 * time.Second)
	in := w.slack.In("C1")
	if len(in) != 2 || in[1].Colour != red || len(in[1].Pinged) != 0 || len(in[0].Replies) != 1 {
		t.Fatalf("%d messages: %+v", len(in), in)
	}
	has(t, "the call", in[1].Shown, "CRITICAL: operation 12 of fleet", "needs a person", "&lt;!channel&gt;", "firebreak actions show 12", "firebreak actions rollback 12", "It was approved by `ann`")
	w.log.Join(w.rule)
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "writers", Text: "writers write to all pieces"}, 12*time.Minute))
	w.log.Tell(news.Act("orders", "h1", 12, news.Step{Phase: "writers", Call: actuator.CallOver, Text: "it was so: it waits"}, 12*time.Minute))
	w.run(20 * time.Second)
	if in = w.slack.In("C1"); len(in) != 2 || in[1].Colour != green {
		t.Fatalf("%d messages: %+v", len(in), in[1])
	}
	has(t, "after it", in[1].Shown, "RESOLVED: operation 12 of fleet", "needs nobody any more")
}

// TestHookTellsBeginAndEnd: an incoming webhook, of which each notice is a message, is told how an operation begins and ends.
func TestHookTellsBeginAndEnd(t *testing.T) {
	w := newWorld(t, &notify.Guide{})
	w.people()
	w.sender = New(notify.Slack{WebhookURL: secretOf(w.slack.HookURL())}, &notify.Guide{}, nil)
	for i, act := range []news.Step{{Phase: "planned"}, {Phase: "readers"}, {Phase: "writers"}, {Phase: "settle"}, {Phase: "grace", Outcome: "effective"}, {Phase: "over", Outcome: "effective"}} {
		w.log.Tell(news.Act("orders", "", 12, act, time.Duration(i)*time.Minute))
		w.run(5 * time.Second)
	}
	in := w.slack.In("C1")
	if len(in) != 2 {
		t.Fatalf("%d messages", len(in))
	}
	has(t, "begin", in[0].Shown, "is in phase readers")
	has(t, "end", in[1].Shown, "is effective")
}
