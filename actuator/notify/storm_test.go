package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
)

// rush delivers for a while, and counts what was told.
type rush struct {
	t       *testing.T
	q       *Queue
	now     time.Time
	told    map[string]string // the newest word about a hotspot
	alone   map[string]bool   // what was told by itself
	notices int
	more    *More // the newest summary
	journal []*actuator.Entry
}

func newRush(t *testing.T) *rush {
	t.Helper()
	s := &rush{t: t, now: start(), told: map[string]string{}, alone: map[string]bool{}}
	s.join()
	return s
}

// join makes a queue that has read the journal from its beginning.
func (s *rush) join() {
	r := Receiver{Name: "hook", Slack: &Slack{Channel: "c"}}
	s.q = NewQueue([]Rule{r.Rule(nil)}, func() float64 { return 0 })
	for _, e := range s.journal {
		s.q.Apply(e, s.now)
	}
}

func (s *rush) tell(e *actuator.Entry) {
	s.journal = append(s.journal, e)
	s.q.Apply(e, s.now)
}

func (s *rush) run(d time.Duration) {
	s.t.Helper()
	for end := s.now.Add(d); s.now.Before(end); s.now = s.now.Add(200 * time.Millisecond) {
		n, ok := s.q.Due("hook", s.now)
		if !ok {
			continue
		}
		s.notices++
		if n.More != nil {
			s.more = n.More
		} else {
			s.alone[said(&n)] = true
			if n.Entry.Hotspot != "" {
				s.told[n.Entry.Hotspot] = n.Entry.Phase.String()
			}
		}
		out, err := s.q.Sent("hook", s.now, "")
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range out {
			s.tell(&out[i])
		}
	}
}

// TestStorm: 500 hotspots at once are some messages and one summary; who was told of one is told of its end, also by an instance
// that takes over, and of the others nobody hears one by one.
func TestStorm(t *testing.T) {
	s := newRush(t)
	for n := range 500 {
		severity := "warning"
		if n%100 == 0 {
			severity = "critical"
		}
		name := fmt.Sprint("h", n)
		s.tell(news("fired "+name, actuator.KindVerdict, actuator.PhaseFired, name, severity))
	}
	s.run(time.Minute)
	if s.notices > peopleQueue+1 || len(s.told)+s.more.N != 500 || len(s.told) != peopleQueue {
		t.Errorf("%d messages, %d told, %+v", s.notices, len(s.told), s.more)
	}
	for n := range 5 {
		if s.told[fmt.Sprint("h", n*100)] == "" {
			t.Errorf("critical %d is not told", n)
		}
	}
	s.join()
	for n := range 500 {
		s.tell(resolved(fmt.Sprint("h", n)))
		if n%50 == 0 {
			s.run(2 * time.Second)
		}
	}
	s.run(time.Minute)
	for hotspot, phase := range s.told {
		if phase != "resolved" {
			t.Errorf("%s was told and is %s for ever", hotspot, phase)
		}
	}
	if len(s.told) != peopleQueue || s.more.N != 490 || s.more.Over != 490 || s.more.Open != 0 || s.notices > 2*peopleQueue+3 {
		t.Errorf("%d told, %+v, %d messages", len(s.told), s.more, s.notices)
	}
}

// TestEndsAreKept: the end of what a receiver was told of is told, whatever else comes meanwhile: it may page somebody until then.
func TestEndsAreKept(t *testing.T) {
	s := newRush(t)
	for n := range peopleQueue {
		s.tell(fired(fmt.Sprint("told ", n)))
	}
	s.run(time.Minute)
	for n := range peopleQueue {
		s.tell(resolved(fmt.Sprint("told ", n)))
	}
	for n := range 100 {
		name := fmt.Sprint("new ", n)
		s.tell(news("fired "+name, actuator.KindVerdict, actuator.PhaseFired, name, "critical"))
	}
	s.run(time.Minute)
	for n := range peopleQueue {
		if phase := s.told[fmt.Sprint("told ", n)]; phase != "resolved" {
			t.Errorf("told %d is %s", n, phase)
		}
	}
	if s.more.N != 100 {
		t.Errorf("%+v", s.more)
	}
}

// TestSummaryIsNotStarved: where news never ends, the summary is told all the same.
func TestSummaryIsNotStarved(t *testing.T) {
	s := newRush(t)
	for n := range 200 {
		s.tell(fired(fmt.Sprint("a", n)))
		s.tell(fired(fmt.Sprint("b", n)))
		s.run(1200 * time.Millisecond)
	}
	if s.more == nil {
		t.Error("no summary in four minutes")
	}
}

// TestReceipts: what the receiver calls a message comes back with the next notice of its subject and of no other, through the
// journal, until the subject is over; what is too long, or empty, changes nothing.
func TestReceipts(t *testing.T) {
	q := one(Rule{})
	var journal []*actuator.Entry
	tell := func(e *actuator.Entry) {
		journal = append(journal, e)
		q.Apply(e, start())
	}
	now := start()
	send := func(want, receipt string) {
		t.Helper()
		now = now.Add(time.Minute)
		n, ok := q.Due("hook", now)
		if !ok || n.Receipt != want {
			t.Fatalf("receipt %q, %v, want %q", n.Receipt, ok, want)
		}
		out, err := q.Sent("hook", now, receipt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			tell(&out[i])
		}
		q = one(Rule{}) // another instance
		for _, e := range journal {
			q.Apply(e, start())
		}
	}
	revised := func(n int) *actuator.Entry {
		return news(fmt.Sprint("revised ", n), actuator.KindVerdict, actuator.PhaseRevised, "h", "warning")
	}
	tell(fired("h"))
	send("", "C1/1.1")
	tell(revised(1))
	send("C1/1.1", "")
	tell(revised(2))
	send("C1/1.1", strings.Repeat("x", actuator.MaxReceipt+1))
	tell(fired("other"))
	send("", "C1/2.2")
	tell(revised(3))
	send("C1/1.1", "C1/3.3")
	tell(resolved("h"))
	send("C1/3.3", "C1/3.3")
	tell(revised(4))
	send("", "")
}

// TestStoryOfNotice: a notice brings what the journal holds of its hotspot, and what it was given does not change under it.
func TestStoryOfNotice(t *testing.T) {
	q := one(Rule{})
	lineOf := func(k actuator.Kind, p actuator.Phase, text string) *actuator.Entry {
		e := news(text, k, p, "h", "")
		e.Line = []byte(text)
		return e
	}
	q.Apply(lineOf(actuator.KindVerdict, actuator.PhaseFired, `{"type":"verdict","schema":1,"fleet":"orders","hotspot":"h","severity":"critical","fix":"salt"}`), start())
	q.Apply(lineOf(actuator.KindPlan, actuator.PhaseBegun, `{"type":"plan","schema":1,"fleet":"orders","hotspot":"h","id":"p1","steps":[{"kind":"salt","moves":[{"vshard":1,"to":"s"}]}],"footprint":[{"kind":"vshard","tenant":"","name":"1"}]}`), start())
	q.Apply(lineOf(actuator.KindHold, actuator.PhaseBegun, `{"type":"hold","schema":1,"fleet":"orders","hotspot":"h","reason":"observe_mode","detail":"it watches"}`), start())
	n, ok := q.Due("hook", start())
	if !ok || n.Story == nil || n.Story.Plan == nil || len(n.Story.Held) != 1 || !n.Story.Critical || n.Story.Verdict.Fix != "salt" || n.Story.Found.IsZero() {
		t.Fatalf("%+v", n.Story)
	}
	if p := n.Story.Plan; len(p.Footprint) != 0 || len(p.Steps) != 1 || len(p.Steps[0].Moves) != 0 {
		t.Errorf("a story keeps all of a plan: %+v", p)
	}
	q.Apply(lineOf(actuator.KindHold, actuator.PhaseEnded, `{"type":"ended","schema":1,"what":"hold","reason":"observe_mode"}`), start())
	q.Apply(lineOf(actuator.KindPlan, actuator.PhaseEnded, `{"type":"ended","schema":1,"what":"plan","id":"p1"}`), start())
	if n.Story.Plan == nil || len(n.Story.Held) != 1 {
		t.Error("a story changes after it was given")
	}
	if s := q.stories.known[lane(n.Entry)]; s.Plan != nil || len(s.Held) != 0 {
		t.Errorf("%+v after its plan and hold ended", s)
	}
	for i := range 3 * maxStories {
		q.Apply(fired(fmt.Sprint(i)), start())
	}
	if len(q.stories.known) > maxStories {
		t.Errorf("%d stories", len(q.stories.known))
	}
}

// TestBlindInAStorm: a fleet that goes blind is told by itself, however many hotspots others have meanwhile and however many fleets do; so
// is its end, and each further time.
func TestBlindInAStorm(t *testing.T) {
	for _, all := range []bool{false, true} { // at once, or one after the other
		s := newRush(t)
		blind := func(fleet string, k actuator.Kind, n int) {
			e := news(fmt.Sprint(fleet, k, n), k, actuator.PhaseNone, "", "")
			e.Fleet = fleet
			s.tell(e)
		}
		for n := range 2 {
			for fleet := range 20 {
				for i := range 3 {
					name := fmt.Sprint("h", n, fleet, i)
					s.tell(news("fired "+name, actuator.KindVerdict, actuator.PhaseFired, name, "critical"))
				}
				blind(fmt.Sprint("fleet ", fleet), actuator.KindBlind, n)
				if !all {
					s.run(5 * time.Second)
				}
			}
			s.run(2 * time.Minute)
			for fleet := range 20 {
				blind(fmt.Sprint("fleet ", fleet), actuator.KindSighted, n)
			}
			s.run(2 * time.Minute)
		}
		for fleet := range 20 {
			for n := range 2 {
				for _, k := range []actuator.Kind{actuator.KindBlind, actuator.KindSighted} {
					if name := fmt.Sprint(fmt.Sprint("fleet ", fleet), k, n); !s.alone[name] {
						t.Errorf("%s is not told (at once: %v)", name, all)
					}
				}
			}
		}
		if s.more == nil || s.more.Kinds["blind"] != 0 || len(s.told) > 3*peopleQueue {
			t.Errorf("%+v, %d hotspots told", s.more, len(s.told))
		}
	}
}

// TestBlindIsBounded: fleets that go blind again and again while a receiver takes nothing fill its queue no more than others do; of
// what is told then the end is told.
func TestBlindIsBounded(t *testing.T) {
	s := newRush(t)
	const fleets = 3
	for n := range 200 {
		for fleet := range fleets {
			for _, k := range []actuator.Kind{actuator.KindBlind, actuator.KindSighted} {
				e := news(fmt.Sprint(k, fleet, n), k, actuator.PhaseNone, "", "")
				e.Fleet = fmt.Sprint("fleet", fleet)
				s.tell(e)
			}
		}
		if waits := s.q.Stats("hook", s.now).Queued; waits > peopleQueue+fleets+1 {
			t.Fatalf("%d wait", waits)
		}
	}
	s.run(5 * time.Minute)
	count := map[bool]int{}
	for name := range s.alone {
		count[name[:5] == "blind"]++
	}
	if count[true] == 0 || count[true] != count[false] {
		t.Errorf("%d are told to be blind, %d to see again", count[true], count[false])
	}
}
