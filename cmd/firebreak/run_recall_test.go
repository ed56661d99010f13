package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/actuator/notify/pagerduty"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/pagerduty"
	"firebreak/internal/line"
	"firebreak/internal/secret"
	"firebreak/pipeline/kafka"
)

// longNight is a service of PagerDuty and the journal of a group whose instances come and go.
type longNight struct {
	t       *testing.T
	now     time.Time
	server  *fake.Server
	sender  notify.Sender
	queue   *notify.Queue
	j       *journal // of the instance that is there
	entries []*actuator.Entry
}

func newLongNight(t *testing.T) *longNight {
	t.Helper()
	n := &longNight{t: t, now: time.Now().Add(-60 * time.Hour).UTC().Truncate(time.Second)}
	n.server = fake.New(func() time.Time { return n.now })
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		n.server.Close()
	})
	n.sender = pagerduty.New(notify.PagerDuty{RoutingKey: secret.Value(fake.Key), URL: n.server.URL + fake.Path}, &notify.Guide{}, transport)
	n.start()
	return n
}

// start begins an instance that reads the journal as a process does that starts now: what is older than a day is recalled.
func (n *longNight) start() {
	r := notify.Receiver{Name: "pager", PagerDuty: &notify.PagerDuty{}}
	n.queue = notify.NewQueue([]notify.Rule{r.Rule(nil)}, rand.Float64)
	n.j = newJournal(newMemoryJournal(), newOwing(time.Hour), "fb", zap.NewNop())
	n.j.runner = notify.NewRunner(n.queue, nil, n.j, zap.NewNop())
	for _, e := range n.entries {
		n.read(e)
	}
}

func (n *longNight) read(e *actuator.Entry) {
	n.t.Helper()
	b, err := actuator.Encode(e)
	if err != nil {
		n.t.Fatal(err)
	}
	v := &kafka.Entry{Time: e.At, Value: b}
	if n.now.Sub(e.At) > journalBack {
		n.j.recall(v)
		return
	}
	n.j.take(v)
}

func (n *longNight) tell(e *actuator.Entry) {
	if !e.Kind.Spoken() {
		e.Epoch = 1
	}
	n.entries = append(n.entries, e)
	n.read(e)
}

// hotspot tells news of a critical hotspot as of now.
func (n *longNight) hotspot(name string, p actuator.Phase) {
	v := news.Verdict("orders", name, "shard of "+name, "", "k")
	e := news.Hotspot(v, p, n.now.Sub(news.Start()))
	n.tell(e)
}

// pass sends what is due for a while.
func (n *longNight) pass(d time.Duration) {
	n.t.Helper()
	for end := n.now.Add(d); n.now.Before(end); n.now = n.now.Add(200 * time.Millisecond) {
		entries, err := n.queue.Expire("pager", n.now)
		if err != nil {
			n.t.Fatal(err)
		}
		if notice, ok := n.queue.Due("pager", n.now); ok {
			receipt, err := n.sender.Send(n.t.Context(), &notice)
			if err != nil {
				n.t.Fatal(err)
			}
			sent, err := n.queue.Sent("pager", n.now, receipt)
			if err != nil {
				n.t.Fatal(err)
			}
			entries = append(entries, sent...)
		}
		for i := range entries {
			n.tell(&entries[i])
		}
	}
}

// want counts what people have, by state.
func (n *longNight) want(when string, pages int, states map[string]int) {
	n.t.Helper()
	is, got := 0, map[string]int{}
	for _, in := range n.server.Incidents() {
		is += in.Pages
		got[in.State]++
	}
	if is != pages || fmt.Sprint(got) != fmt.Sprint(states) {
		n.t.Errorf("%s: %d pages, %v, want %d, %v", when, is, got, pages, states)
	}
}

// TestRecallOfStorm: a storm that began more than a day before an instance was started goes on in its incident, whoever was there in
// between, and its end resolves it; so does the end of each hotspot that was told by itself. What is over by then is not told again.
func TestRecallOfStorm(t *testing.T) {
	n := newLongNight(t)
	for i := range 150 { // the summary takes several entries of the journal
		n.hotspot(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(2 * time.Minute)
	n.want("in the storm", 11, map[string]int{"triggered": 11})
	for i := range 60 {
		n.hotspot(fmt.Sprint("h", i), actuator.PhaseResolved)
	}
	n.pass(2 * time.Minute)
	n.now = n.now.Add(20 * time.Hour)
	n.start()
	for i := range 60 {
		n.hotspot(fmt.Sprint("h", 60+i), actuator.PhaseResolved)
	}
	n.pass(2 * time.Minute)
	n.now = n.now.Add(25 * time.Hour)
	n.start()
	calls := len(n.server.Calls())
	n.pass(2 * time.Minute)
	if len(n.server.Calls()) != calls {
		t.Errorf("%d events of nothing new", len(n.server.Calls())-calls)
	}
	for i := range 29 {
		n.hotspot(fmt.Sprint("h", 120+i), actuator.PhaseResolved)
	}
	n.pass(2 * time.Minute)
	n.hotspot("h149", actuator.PhaseResolved)
	n.pass(2 * time.Minute)
	n.want("after it", 11, map[string]int{"resolved": 11})
	n.now = n.now.Add(2 * time.Hour)
	n.start()
	calls = len(n.server.Calls())
	n.hotspot("next", actuator.PhaseFired)
	n.pass(2 * time.Minute)
	if n.want("the next hotspot", 12, map[string]int{"resolved": 11, "triggered": 1}); len(n.server.Calls()) != calls+1 {
		t.Errorf("%d events of one hotspot", len(n.server.Calls())-calls)
	}
}

// TestRecallOfEndedStorm: a storm that ended while nobody was there, more than a day ago, leaves no incident open, nor do the hotspots that
// were told by themselves.
func TestRecallOfEndedStorm(t *testing.T) {
	n := newLongNight(t)
	for i := range 14 {
		n.hotspot(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.pass(2 * time.Minute)
	for i := range 14 {
		n.hotspot(fmt.Sprint("h", i), actuator.PhaseResolved)
	}
	n.queue = nil
	n.now = n.now.Add(30 * time.Hour)
	n.start()
	n.pass(2 * time.Minute)
	n.want("when somebody is there", 11, map[string]int{"resolved": 11})
}

// TestRecallOfAccepted: who accepts a hotspot of days ago has its incident acknowledged, and when it is told again the other one calls, of the two that take turns.
func TestRecallOfAccepted(t *testing.T) {
	n := newLongNight(t)
	n.hotspot("h", actuator.PhaseFired)
	n.pass(time.Minute)
	for day := range 2 {
		n.now = n.now.Add(26 * time.Hour)
		n.start()
		a, err := actuator.NewAccepted("orders", n.now, actuator.Accepted{Hotspot: "h", By: "ann", Reason: "known", Until: line.Stamp(n.now.Add(48 * time.Hour)), Load: 6400})
		if err != nil {
			t.Fatal(err)
		}
		n.tell(&a)
		n.pass(time.Minute)
		want := map[string]int{"acknowledged": 1}
		if day > 0 {
			want["resolved"] = 1
		}
		n.want("accepted", day+1, want)
		n.now = n.now.Add(26 * time.Hour)
		n.start()
		n.tell(news.Entry(fmt.Sprint("again", day), actuator.KindReopened, actuator.PhaseNone, "orders", "h", n.now, &actuator.Reopened{
			Head: line.NewHead("reopened", "orders", line.Stamp(n.now)), Hotspot: "h", Accepted: a.ID, Why: "load", Load: 9000, Was: 6400, Severity: "critical",
		}))
		n.pass(time.Minute)
		n.want("told again", day+2, map[string]int{"resolved": 1, "triggered": 1})
	}
	n.now = n.now.Add(26 * time.Hour)
	n.start()
	n.hotspot("h", actuator.PhaseResolved)
	n.pass(time.Minute)
	n.want("over", 3, map[string]int{"resolved": 2})
}

// TestRecallOfToldLate: what was told within the last day, of entries that are older than that, is known too.
func TestRecallOfToldLate(t *testing.T) {
	n := newLongNight(t)
	for i := range 14 {
		n.hotspot(fmt.Sprint("h", i), actuator.PhaseFired)
	}
	n.now = n.now.Add(2 * time.Hour) // nobody was there
	n.pass(2 * time.Minute)
	n.want("in the storm", 11, map[string]int{"triggered": 11})
	n.now = n.now.Add(23 * time.Hour)
	n.start()
	for i := range 14 {
		n.hotspot(fmt.Sprint("h", i), actuator.PhaseResolved)
	}
	calls := len(n.server.Calls())
	n.pass(2 * time.Minute)
	if n.want("after it", 11, map[string]int{"resolved": 11}); len(n.server.Calls()) != calls+11 {
		t.Errorf("%d events of the end", len(n.server.Calls())-calls)
	}
}
