package notify

import (
	"fmt"
	"testing"
	"time"

	"firebreak/actuator"
)

// shared are two receivers that send to places by hotspot: what the name begins with.
func shared(chance float64) *Queue {
	place := func(n *Notice) string {
		return n.Entry.Hotspot[:1]
	}
	return NewQueue([]Rule{{Name: "one", Place: place}, {Name: "two", Place: place}}, func() float64 { return chance })
}

// TestOnePlace: what goes to one place has one pace, whichever receiver sends it, and a pause that it asks for is of all who send there and
// of nothing else; whoever takes over keeps it.
func TestOnePlace(t *testing.T) {
	q, now := shared(0), start()
	var journal []*actuator.Entry
	for _, h := range []string{"a1", "a2", "b1"} {
		journal = append(journal, fired(h))
		q.Apply(fired(h), start())
	}
	send := func(q *Queue, name, want string, failed error) {
		t.Helper()
		n, ok := q.Due(name, now)
		if got := ""; ok {
			got = said(&n)
			if got != want {
				t.Fatalf("%s is told %s, want %q", name, got, want)
			}
		} else if want != "" {
			t.Fatalf("%s is told nothing, want %s", name, want)
		}
		if !ok {
			return
		}
		var out []actuator.Entry
		var err error
		if failed == nil {
			out, err = q.Sent(name, now, "")
		} else {
			out, err = q.Failed(name, now, failed)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			journal = append(journal, &out[i])
		}
	}
	send(q, "one", "fired a1", nil)
	send(q, "two", "fired b1", nil) // the other place is free
	send(q, "two", "", nil)         // the first is not
	send(q, "one", "", nil)
	now = now.Add(time.Second)
	send(q, "two", "fired a1", &Failure{After: 30 * time.Second, Why: "status 429"})
	send(q, "one", "fired b1", nil) // not stopped by what the other place said
	now = now.Add(29 * time.Second)
	send(q, "one", "", nil)
	next := shared(0)
	for _, e := range journal {
		next.Apply(e, start())
	}
	next.Apply(fired("c1"), start())
	send(next, "two", "fired c1", nil)
	for _, queue := range []*Queue{q, next} {
		if _, early := queue.Due("two", now); early {
			t.Error("within the pause")
		}
	}
	now = now.Add(time.Second)
	send(next, "two", "fired a1", nil)
	send(q, "one", "fired a2", nil)
}

// TestShortPauses: a receiver that always asks for a second is asked less and less often, and the journal does not have each of it.
func TestShortPauses(t *testing.T) {
	q := NewQueue([]Rule{{Name: "hook"}}, func() float64 { return 0.9 })
	q.Apply(fired("h"), start())
	calls, recorded := 0, 0
	for now := start(); now.Before(start().Add(time.Hour)); now = now.Add(500 * time.Millisecond) {
		if _, ok := q.Due("hook", now); !ok {
			continue
		}
		calls++
		out, err := q.Failed("hook", now, &Failure{After: time.Second, Why: "status 429"})
		if err != nil {
			t.Fatal(err)
		}
		recorded += len(out)
	}
	if calls > 25 || recorded != 0 {
		t.Errorf("%d calls, %d entries in an hour", calls, recorded)
	}
}

// TestMended: what a person must mend is tried every five minutes until it is given up, and what was open is told when it is mended.
func TestMended(t *testing.T) {
	q := one(Rule{})
	q.Apply(fired("h"), start())
	calls := 0
	for now := start(); now.Before(start().Add(10 * time.Minute)); now = now.Add(time.Second) {
		if _, ok := q.Due("hook", now); !ok {
			continue
		}
		calls++
		if out, err := q.Failed("hook", now, &Failure{Person: true, Why: "status 401"}); err != nil || len(out) != 0 {
			t.Fatal(out, err)
		}
	}
	if calls != 2 {
		t.Errorf("%d calls in ten minutes", calls)
	}
	now := start().Add(10 * time.Minute)
	wantSaid(t, drain(t, q, now, now.Add(5*time.Minute)), "fired h")
}

// TestPlaceOfReceiver: two receivers in one channel have one place, by its name too; an owner's channel is another; other kinds of receivers share none.
func TestPlaceOfReceiver(t *testing.T) {
	guide := &Guide{Owners: Owners{{Fleets: []string{"orders"}, Channel: "#carts"}}}
	receiver := func(name, channel string) *Receiver { return &Receiver{Name: name, Slack: &Slack{Channel: channel}} }
	summary, news := &Notice{More: &More{}}, &Notice{Entry: fired("h")}
	where := func(r *Receiver, g *Guide, n *Notice) string { return r.Rule(g).Place(n) }
	if where(receiver("a", "#x"), nil, news) != where(receiver("b", "x"), guide, summary) {
		t.Error("one channel is two places")
	}
	if where(receiver("a", "x"), guide, news) != where(receiver("b", "carts"), nil, news) || where(receiver("a", "x"), guide, news) == where(receiver("a", "x"), guide, summary) {
		t.Error("the owner's channel is not the place")
	}
	for _, r := range []*Receiver{{PagerDuty: &PagerDuty{}}, {Slack: &Slack{WebhookURL: "https://x"}}, {Webhook: &Webhook{}}, {Alertmanager: &Alertmanager{}}} {
		if r.Rule(guide).Place != nil {
			t.Errorf("%+v shares a place", r)
		}
	}
}

// TestMemory: what is forgotten is what was known longest, also after much was dropped and known anew.
func TestMemory(t *testing.T) {
	m := newMemory[string]()
	m.set("lives", "")
	for n := range maxSubjects {
		m.set("goes", "")
		m.drop("goes")
		if n%2 == 0 {
			m.set(fmt.Sprint("stays", n), "")
		}
	}
	if !m.has("lives") || !m.has("stays0") {
		t.Error("what is dropped takes the room of what is not")
	}
	m.drop("lives")
	m.set("lives", "anew")
	for n := range maxSubjects - 1 {
		m.set(fmt.Sprint(n), "")
	}
	if !m.has("lives") || m.has("stays0") || len(m.of) != maxSubjects || len(m.order) != maxSubjects {
		t.Errorf("lives %v, %d texts, %d in order", m.has("lives"), len(m.of), len(m.order))
	}
	m.set("one more", "")
	if m.has("lives") {
		t.Error("it is not bounded")
	}
}
