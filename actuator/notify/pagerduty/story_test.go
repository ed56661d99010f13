package pagerduty

import (
	"context"
	"fmt"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/pagerduty"
	"firebreak/internal/line"
)

// night is a service, the journal, and what sends to it, under one clock.
type night struct {
	t      *testing.T
	now    time.Time
	server *fake.Server
	sender notify.Sender
	log    news.Log
}

func newNight(t *testing.T) *night {
	t.Helper()
	n := &night{t: t, now: news.Start()}
	n.server = fake.New(func() time.Time { return n.now })
	n.sender = pager(t, n.server, &notify.Guide{})
	n.log.Join(rule())
	return n
}

// pass sends what is due for a while.
func (n *night) pass(d time.Duration) {
	n.t.Helper()
	for end := n.now.Add(d); n.now.Before(end); n.now = n.now.Add(200 * time.Millisecond) {
		q := n.log.Queues[0]
		entries, err := q.Expire("pager", n.now)
		if err != nil {
			n.t.Fatal(err)
		}
		if notice, ok := q.Due("pager", n.now); ok {
			receipt, failed := n.sender.Send(context.Background(), &notice)
			var more []actuator.Entry
			if failed == nil {
				more, err = q.Sent("pager", n.now, receipt)
			} else {
				more, err = q.Failed("pager", n.now, failed)
			}
			entries = append(entries, more...)
		}
		if err != nil {
			n.t.Fatal(err)
		}
		for i := range entries {
			n.log.Tell(&entries[i])
		}
	}
}

// tell appends news of a critical hotspot as of now.
func (n *night) tell(hotspot string, p actuator.Phase) {
	n.log.Tell(news.Hotspot(news.Verdict("orders", hotspot, "shard of "+hotspot, "", "k"), p, n.now.Sub(news.Start())))
}

// want counts what people have.
func (n *night) want(when string, pages, open int) {
	n.t.Helper()
	is, now := 0, 0
	for _, i := range n.server.Incidents() {
		is += i.Pages
		if i.State != "resolved" {
			now++
		}
	}
	if is != pages || now != open {
		n.t.Errorf("%s: %d pages, %d incidents open, want %d and %d", when, is, now, pages, open)
	}
}

// TestStormEnds: of 40 hotspots at once ten page, and one page says that there are more. As they end one by one nobody is called, also by
// an instance that takes over meanwhile, and when all are over no incident is left open.
func TestStormEnds(t *testing.T) {
	n := newNight(t)
	for i := range 40 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(2 * time.Minute)
	n.want("in the storm", 11, 11)
	for i := range 40 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseResolved)
		n.pass(10 * time.Second)
		if i == 20 {
			n.log.Join(rule())
		}
	}
	n.pass(2 * time.Minute)
	n.want("after it", 11, 0)
	n.tell("next", actuator.PhaseFired)
	n.pass(time.Minute)
	n.want("the next hotspot", 12, 1)
}

// TestSlowStorm: hotspots that come one after the other are a storm too.
func TestSlowStorm(t *testing.T) {
	n := newNight(t)
	for i := range 100 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
		n.pass(2 * time.Second)
	}
	n.pass(2 * time.Minute)
	n.want("in the storm", 11, 11)
	for i := range 100 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseResolved)
	}
	n.pass(2 * time.Minute)
	n.want("after it", 11, 0)
}

// TestGraverThanTheStorm: what was a warning of a summary and becomes critical calls somebody by itself.
func TestGraverThanTheStorm(t *testing.T) {
	n := newNight(t)
	all := rule()
	all.Severity = notify.Warning
	n.log.Queues = nil
	n.log.Join(all)
	for i := range 20 {
		v := news.Verdict("orders", fmt.Sprint("h", i), fmt.Sprint("s", i), "", "k")
		v.Severity = "warning"
		n.log.Tell(news.Hotspot(v, actuator.PhaseFired, 0))
	}
	n.pass(time.Minute)
	n.want("in the storm", 11, 11)
	if more := n.server.Incidents()[10]; more.Payload.Severity != "warning" {
		t.Errorf("%+v", more)
	}
	folded := ""
	for i := range 20 {
		told := false
		for _, in := range n.server.Incidents() {
			told = told || in.Dedup == fmt.Sprint("h", i)
		}
		if !told {
			folded = fmt.Sprint("h", i)
		}
	}
	n.tell(folded, actuator.PhaseRevised)
	n.pass(time.Minute)
	n.want("when one is graver", 12, 12)
	for i := range 20 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseResolved)
	}
	n.pass(2 * time.Minute)
	n.want("after all", 12, 0)
}

// TestLastOfTheStorm: when the last that is open of a storm is told by itself, the storm is over.
func TestLastOfTheStorm(t *testing.T) {
	n := newNight(t)
	for i := range 12 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(time.Minute)
	n.want("in the storm", 11, 11)
	named := map[string]bool{}
	for _, in := range n.server.Incidents() {
		named[in.Dedup] = true
	}
	last := ""
	for i := range 12 {
		hotspot := fmt.Sprint("h", i)
		if !named[hotspot] && last == "" {
			last = hotspot
			continue
		}
		n.tell(hotspot, actuator.PhaseResolved)
	}
	n.pass(2 * time.Minute)
	n.want("one is open", 11, 1)
	n.log.Tell(news.Entry("again", actuator.KindReopened, actuator.PhaseNone, "orders", last, n.now, &actuator.Reopened{
		Head: line.NewHead("reopened", "orders", line.Stamp(n.now)), Hotspot: line.Name(last), Why: "load", Load: 9000, Was: 6400, Severity: "critical",
	}))
	n.now = n.now.Add(15 * time.Minute) // it is one more of few again
	n.pass(2 * time.Minute)
	n.want("told by itself", 12, 1)
	n.tell(last, actuator.PhaseResolved)
	n.pass(2 * time.Minute)
	n.want("over", 12, 0)
}

// TestAccepted: who accepts a hotspot ends its escalation; when it is told again somebody is called anew, as often as that happens; its
// end leaves nothing open. A false alarm is over for those who are called.
func TestAccepted(t *testing.T) {
	n := newNight(t)
	n.tell("h", actuator.PhaseFired)
	n.pass(time.Minute)
	for i := range 3 {
		a, err := actuator.NewAccepted("orders", n.now, actuator.Accepted{Hotspot: "h", By: "ann", Reason: "known", Until: line.Stamp(n.now.Add(8 * time.Hour)), Load: 6400})
		if err != nil {
			t.Fatal(err)
		}
		n.log.Tell(&a)
		n.pass(time.Minute)
		for _, in := range n.server.Incidents() {
			if in.State == "triggered" {
				t.Errorf("accepted, and %s calls on", in.Dedup)
			}
		}
		n.want("accepted", i+1, 1)
		if i == 1 {
			n.log.Join(rule())
		}
		n.log.Tell(news.Entry(fmt.Sprint("again", i), actuator.KindReopened, actuator.PhaseNone, "orders", "h", n.now, &actuator.Reopened{
			Head: line.NewHead("reopened", "orders", line.Stamp(n.now)), Hotspot: "h", Accepted: a.ID, Why: "load", Load: 9000, Was: 6400, Severity: "critical",
		}))
		n.pass(time.Minute)
		n.want("told again", i+2, 1)
	}
	d, err := actuator.NewDismissed("orders", n.now, actuator.Dismissed{Hotspot: "h", By: "ann", Reason: "a load test"})
	if err != nil {
		t.Fatal(err)
	}
	n.log.Tell(&d)
	n.pass(time.Minute)
	n.want("dismissed", 4, 0)
	n.tell("h", actuator.PhaseResolved)
	n.pass(time.Minute)
	n.want("over", 4, 0)
}

// TestAcceptedOnItsWay: a hotspot that is accepted before its page is recorded is acknowledged all the same, by this instance and by one
// that takes over; one that was not told stays untold.
func TestAcceptedOnItsWay(t *testing.T) {
	for _, takeOver := range []bool{false, true} {
		n := newNight(t)
		n.tell("h", actuator.PhaseFired)
		n.tell("untold", actuator.PhaseFired)
		notice, ok := n.log.Queues[0].Due("pager", n.now)
		if !ok {
			t.Fatal("nothing is due")
		}
		receipt, err := n.sender.Send(context.Background(), &notice)
		if err != nil {
			t.Fatal(err)
		}
		for _, hotspot := range []line.Name{"h", "untold"} {
			a, err := actuator.NewAccepted("orders", n.now, actuator.Accepted{Hotspot: hotspot, By: "ann", Reason: "known", Until: line.Stamp(n.now.Add(8 * time.Hour)), Load: 6400})
			if err != nil {
				t.Fatal(err)
			}
			n.log.Tell(&a)
		}
		entries, err := n.log.Queues[0].Sent("pager", n.now, receipt)
		if err != nil {
			t.Fatal(err)
		}
		n.log.Tell(&entries[0])
		if takeOver {
			n.log.Join(rule())
		}
		n.pass(time.Minute)
		if in := n.server.Incidents(); len(in) != 1 || in[0].State != "acknowledged" {
			t.Errorf("taken over %v: %+v", takeOver, in)
		}
		n.tell("h", actuator.PhaseResolved)
		n.pass(time.Minute)
		n.want("over", 1, 0)
	}
}

// TestEndOfLongAgo: the end of what was told before what is still read of the journal resolves it, whatever it is by then.
func TestEndOfLongAgo(t *testing.T) {
	n := newNight(t)
	n.tell("h", actuator.PhaseFired)
	n.pass(time.Minute)
	n.log = news.Log{}
	n.log.Join(rule())
	v, mild := news.Verdict("orders", "h", "s", "", "k"), news.Verdict("orders", "mild", "s", "", "k")
	v.Severity, mild.Severity = "warning", "warning"
	n.log.Tell(news.Hotspot(v, actuator.PhaseResolved, 30*time.Hour))
	n.pass(time.Minute)
	n.want("over", 1, 0)
	// It may have been told again meanwhile.
	n.tell("again", actuator.PhaseFired)
	n.pass(time.Minute)
	n.log.Tell(news.Entry("again", actuator.KindReopened, actuator.PhaseNone, "orders", "again", n.now, &actuator.Reopened{
		Head: line.NewHead("reopened", "orders", line.Stamp(n.now)), Hotspot: "again", Why: "load", Load: 9000, Was: 6400, Severity: "critical",
	}))
	n.pass(time.Minute)
	n.want("told again", 3, 1)
	n.log = news.Log{}
	n.log.Join(rule())
	n.tell("again", actuator.PhaseResolved)
	n.pass(time.Minute)
	n.want("over", 3, 0)
	calls := len(n.server.Calls())
	n.log.Tell(news.Hotspot(mild, actuator.PhaseFired, 30*time.Hour), news.Hotspot(mild, actuator.PhaseResolved, 31*time.Hour))
	n.pass(time.Minute)
	if len(n.server.Calls()) != calls {
		t.Error("the end of a warning is sent to who wants critical hotspots only")
	}
}

// reopened tells a hotspot again as of now. of is the entry that accepted it.
func (n *night) reopened(hotspot string, of *actuator.Entry) {
	n.log.Tell(news.Entry("again "+of.ID, actuator.KindReopened, actuator.PhaseNone, "orders", hotspot, n.now, &actuator.Reopened{
		Head: line.NewHead("reopened", "orders", line.Stamp(n.now)), Hotspot: line.Name(hotspot), Accepted: of.ID, Why: "until", Load: 6400, Was: 6400, Severity: "critical",
	}))
}

// TestToldAgainLongAfter: somebody is called when a hotspot is told again more than a day after it was accepted, by an instance that does not
// know which incident is open; its end leaves nothing open.
func TestToldAgainLongAfter(t *testing.T) {
	for acceptances := 1; acceptances <= 3; acceptances++ {
		n := newNight(t)
		n.tell("h", actuator.PhaseFired)
		n.pass(time.Minute)
		var said *actuator.Entry
		for i := range acceptances {
			if i > 0 {
				n.reopened("h", said)
				n.pass(time.Minute)
			}
			said = n.said("h", actuator.KindAccepted)
			n.log.Tell(said)
			n.pass(time.Minute)
		}
		n.want("accepted", acceptances, 1)
		n.now = n.now.Add(30 * time.Hour)
		n.log = news.Log{}
		n.log.Join(rule())
		n.reopened("h", said)
		n.pass(time.Minute)
		n.want("told again", acceptances+1, 1)
		n.tell("h", actuator.PhaseResolved)
		n.pass(time.Minute)
		n.want("over", acceptances+1, 0)
	}
}

// TestNewReceiver: a receiver that the journal does not know is called for what is still so, and for nothing that is over; nothing is
// given up.
func TestNewReceiver(t *testing.T) {
	n := newNight(t)
	for i := range 24 {
		n.tell(fmt.Sprint("over", i), actuator.PhaseFired)
		n.now = n.now.Add(30 * time.Minute)
		n.tell(fmt.Sprint("over", i), actuator.PhaseResolved)
		if i == 3 {
			n.tell("open", actuator.PhaseFired)
		}
	}
	n.log.Join(rule())
	n.pass(time.Minute)
	n.want("a new receiver", 1, 1)
	if s := n.log.Queues[0].Stats("pager", n.now); s.GaveUp != 0 || s.Queued != 0 {
		t.Errorf("%+v", s)
	}
	if in := n.server.Incidents(); len(in) != 1 || in[0].Dedup != "open" {
		t.Errorf("%+v", in)
	}
}

// TestOutage: what began and ended while PagerDuty took nothing calls nobody when it is back.
func TestOutage(t *testing.T) {
	n := newNight(t)
	for range 1000 {
		n.server.Say(fake.Status{Code: 500})
	}
	for i := range 5 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(5 * time.Minute)
	for i := range 5 {
		n.tell(fmt.Sprint("h", i), actuator.PhaseResolved)
	}
	n.tell("open", actuator.PhaseFired)
	n.pass(55 * time.Minute)
	n.server.Quiet()
	n.pass(30 * time.Minute)
	n.want("when it is back", 1, 1)
}
