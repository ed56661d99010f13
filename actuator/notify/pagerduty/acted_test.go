package pagerduty

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/fakes/news"
)

func (n *night) act(hotspot string, number uint64, act news.Step) {
	n.log.Tell(news.Act("orders", hotspot, number, act, n.now.Sub(news.Start())))
	n.pass(5 * time.Second)
}

// TestOperationsArePagedAndShown: an operation that begins and ends is a change event and pages nobody, also of a hotspot that paged; the
// call of a person pages beside the page of its hotspot, is one incident however often it is told, and ends by itself, also where another
// instance decides by then.
func TestOperationsArePagedAndShown(t *testing.T) {
	n := newNight(t)
	n.tell("h1", actuator.PhaseFired)
	n.pass(time.Minute)
	n.want("hot", 1, 1)
	n.act("h1", 12, news.Step{Phase: "planned", Text: "operation 12 is planned"})
	n.act("h1", 12, news.Step{Phase: "readers", Text: "readers read all pieces"})
	n.log.Tell(news.HoldOperation("orders", "h1", 12, n.now.Sub(news.Start())))
	n.pass(time.Minute)
	n.want("it acts", 1, 1)
	if c := n.server.Changes(); len(c) != 1 || !strings.Contains(c[0].Summary, "operation 12 (salt of shard \"shard-7\") is in phase readers") || c[0].Source != "fleet orders" || c[0].Timestamp == "" || len(c[0].Details) == 0 {
		t.Errorf("changes %+v", c)
	}
	stuck := news.Step{Phase: "readers", Call: actuator.CallNeeded, Text: "it waits in phase readers for longer than 10 minutes: waiting for app-1"}
	n.act("h1", 12, stuck)
	n.want("it is stuck", 2, 2)
	n.pass(time.Minute)
	stuck.Text = "it cannot be taken back: somebody changed it"
	n.act("h1", 12, stuck)
	n.want("it is told again", 2, 2)
	n.tell("h1", actuator.PhaseResolved)
	n.pass(time.Minute)
	n.want("the hotspot is over", 2, 1)
	call := n.server.Incidents()[1]
	if !strings.HasPrefix(call.Summary, "CRITICAL: operation 12 of fleet \"orders\" needs a person") || call.Payload.Severity != "critical" || !strings.Contains(call.Payload.Details["03 What to do"], "firebreak actions rollback 12") {
		t.Errorf("the page is %+v", call)
	}
	n.log.Join(rule())
	n.act("h1", 12, news.Step{Phase: "writers", Text: "writers write to all pieces"})
	n.act("h1", 12, news.Step{Phase: "writers", Call: actuator.CallOver, Text: "it was so"})
	n.want("it goes on", 2, 0)
	n.act("h1", 12, news.Step{Phase: "grace", Outcome: "effective", Text: "the hottest shard is at 60 % of its target"})
	n.act("h1", 12, news.Step{Phase: "over", Outcome: "effective", Text: "the way back is given up"})
	n.pass(time.Minute)
	n.want("done", 2, 0)
	if c := n.server.Changes(); len(c) != 2 || !strings.Contains(c[1].Summary, "is effective") {
		t.Errorf("changes %+v", c)
	}
}

// TestChangesOfWhatPagesNobody: operations of hotspots that are warnings, and of none, are change events too, and hundreds of them page
// nobody and take no page its place.
func TestChangesOfWhatPagesNobody(t *testing.T) {
	n := newNight(t)
	for i := range uint64(30) {
		n.act("", 100+i, news.Step{Phase: "readers", Text: "readers read all pieces"})
	}
	n.pass(time.Minute)
	n.want("changes", 0, 0)
	if c := n.server.Changes(); len(c) != 30 {
		t.Errorf("%d changes, want 30", len(c))
	}
	n.tell("h1", actuator.PhaseFired)
	n.pass(time.Minute)
	n.want("a hotspot after them", 1, 1)
}

// TestHostileChange: whatever the names, a change event is within the limits, and is taken.
func TestHostileChange(t *testing.T) {
	n := newNight(t)
	for i, name := range news.Hostile(100) {
		n.log.Tell(news.Act("orders", "", uint64(i)+1, news.Step{Phase: "readers", Shard: strings.Repeat(name+"x", 3), Text: strings.Repeat(name, 40)}, n.now.Sub(news.Start())))
		n.pass(5 * time.Second)
	}
	for _, c := range n.server.Calls() {
		if c.Why != "" {
			t.Fatalf("refused: %s", c.Why)
		}
	}
	if c := n.server.Changes(); len(c) != 100 {
		t.Errorf("%d changes, want 100", len(c))
	}
}

// TestStepsThatAreTooMany: steps that come faster than they can be told page nobody, in their summary neither.
func TestStepsThatAreTooMany(t *testing.T) {
	n := newNight(t)
	for i := range uint64(100) {
		n.log.Tell(news.Act("orders", "", i+1, news.Step{Phase: "readers"}, 0))
	}
	n.pass(10 * time.Minute)
	n.want("after them", 0, 0)
	n.tell("h1", actuator.PhaseFired)
	n.pass(time.Minute)
	n.want("a hotspot", 1, 1)
}
