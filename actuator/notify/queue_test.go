package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"firebreak/actuator"
)

func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// news is an entry of the journal that names itself.
func news(name string, k actuator.Kind, p actuator.Phase, hotspot, severity string) *actuator.Entry {
	return &actuator.Entry{
		ID: actuator.NewID(name), Fleet: "orders", At: start(), Kind: k, Phase: p, Hotspot: hotspot,
		Line: json.RawMessage(fmt.Sprintf(`{"name":%q,"severity":%q}`, name, severity)),
	}
}

func fired(hotspot string) *actuator.Entry {
	return news("fired "+hotspot, actuator.KindVerdict, actuator.PhaseFired, hotspot, "warning")
}

func resolved(hotspot string) *actuator.Entry {
	return news("resolved "+hotspot, actuator.KindVerdict, actuator.PhaseResolved, hotspot, "warning")
}

// said names what a notice tells.
func said(n *Notice) string {
	if n.More != nil {
		return fmt.Sprintf("%d more", n.More.N)
	}
	l, err := actuator.Read[struct{ Name string }](n.Entry)
	if err != nil {
		return err.Error()
	}
	return l.Name
}

func one(rule Rule) *Queue {
	rule.Name = "hook"
	return NewQueue([]Rule{rule}, func() float64 { return 0.5 })
}

// drain delivers everything that becomes due within a time, and says it.
func drain(t *testing.T, q *Queue, now, until time.Time) []string {
	t.Helper()
	var out []string
	for ; now.Before(until); now = now.Add(500 * time.Millisecond) {
		if n, ok := q.Due("hook", now); ok {
			out = append(out, said(&n))
			if _, err := q.Sent("hook", now, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func wantSaid(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestPace: one notice a second, in the order of the journal.
func TestPace(t *testing.T) {
	q := one(Rule{})
	for n := range 3 {
		q.Apply(fired(fmt.Sprint(n)), start())
	}
	wantSaid(t, drain(t, q, start(), start().Add(1900*time.Millisecond)), "fired 0", "fired 1")
	wantSaid(t, drain(t, q, start().Add(2*time.Second), start().Add(3*time.Second)), "fired 2")
}

// TestFilter: kinds, severity and fleets choose; news of the whole group and of no fleet in particular is for all.
func TestFilter(t *testing.T) {
	all := []*actuator.Entry{
		fired("w"), news("critical", actuator.KindVerdict, actuator.PhaseFired, "c", "critical"), news("hold", actuator.KindHold, actuator.PhaseBegun, "w", ""),
		news("blind", actuator.KindBlind, actuator.PhaseNone, "", ""), news("decider", actuator.KindDecider, actuator.PhaseNone, "", ""),
		{ID: "a1", Fleet: "carts", Kind: actuator.KindVerdict, Line: json.RawMessage(`{"name":"carts"}`)},
	}
	all[4].Fleet = ""
	for _, tt := range []struct {
		what string
		rule Rule
		want []string
	}{
		{"default", Rule{}, []string{"fired w", "critical", "blind", "carts"}},
		{"critical", Rule{Severity: Critical}, []string{"critical", "blind"}},
		{"kinds", Rule{Kinds: []actuator.Kind{actuator.KindHold, actuator.KindDecider}}, []string{"hold", "decider"}},
		{"fleet", Rule{Fleets: []string{"carts"}, Kinds: []actuator.Kind{actuator.KindVerdict, actuator.KindDecider}}, []string{"decider", "carts"}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			q := one(tt.rule)
			for _, e := range all {
				q.Apply(e, start())
			}
			wantSaid(t, drain(t, q, start(), start().Add(time.Minute)), tt.want...)
		})
	}
}

// TestRetryAfter (S13): three times 429 with Retry-After 30: no attempt sooner than 30 s after one, the other receiver waits for
// nothing, and a restart in the middle loses nothing and repeats nothing that was recorded.
func TestRetryAfter(t *testing.T) {
	rules := []Rule{{Name: "slack"}, {Name: "pager"}}
	q := NewQueue(rules, func() float64 { return 0 })
	q.Apply(fired("h"), start())
	now := start()
	pager, ok := q.Due("pager", now)
	if !ok {
		t.Fatal("the healthy receiver gets nothing")
	}
	recorded, err := q.Sent("pager", now, "")
	if err != nil || len(recorded) != 1 {
		t.Fatal(recorded, err)
	}
	var key string
	var paused []actuator.Entry
	for attempt := 1; attempt <= 3; attempt++ {
		n, ok := q.Due("slack", now)
		if !ok || n.Attempt != attempt || key != "" && n.Key != key {
			t.Fatalf("attempt %d: %+v, %v", attempt, n, ok)
		}
		key = n.Key
		if paused, err = q.Failed("slack", now, &Failure{After: 30 * time.Second, Why: "status 429"}); err != nil || len(paused) != 1 {
			t.Fatal(paused, err)
		}
		if _, ok := q.Due("slack", now.Add(30*time.Second-1)); ok || q.Wait("slack", now) < 30*time.Second {
			t.Fatalf("sooner than 30 s after a 429")
		}
		now = now.Add(30 * time.Second)
	}
	// Another instance takes over: it has applied the same journal.
	q = NewQueue(rules, func() float64 { return 0 })
	q.Apply(fired("h"), start())
	for _, e := range append(recorded, paused...) {
		q.Apply(&e, start())
	}
	if _, early := q.Due("slack", now.Add(-1)); early {
		t.Error("the other instance does not keep the pause")
	}
	n, ok := q.Due("slack", now)
	if !ok || n.Key != key || key != pager.Key {
		t.Errorf("after the restart %+v, want the same key %s", n, key)
	}
	if _, again := q.Due("pager", now); again {
		t.Error("what was recorded is sent again")
	}
}

// TestDelay: retries are drawn from a window that doubles up to its cap, never at once, never sooner than was asked.
func TestDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chance := rapid.Float64Range(0, 0.999).Draw(t, "chance")
		q := NewQueue(nil, func() float64 { return chance })
		failures := rapid.IntRange(1, 1000).Draw(t, "failures")
		asked := time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "asked"))
		got := q.delay(failures, &Failure{After: asked}, time.Second)
		switch {
		case got < time.Second:
			t.Fatalf("%s: at once", got)
		case asked > 0 && got < min(asked, time.Hour):
			t.Fatalf("%s, asked for %s", got, asked)
		case asked == 0 && got > min(lastRetry, firstRetry<<min(failures-1, 10)) && got > leastRetry:
			t.Fatalf("%s after %d failures", got, failures)
		case got > time.Hour+firstRetry:
			t.Fatalf("%s: for ever", got)
		case asked > 0 && got < time.Duration(chance*float64(lastRetry)) && failures > 10:
			t.Fatalf("%s after %d failures, asked for %s: no back-off", got, failures, asked)
		}
	})
	q := NewQueue(nil, func() float64 { return 0.999 })
	if a, b := q.delay(1, &Failure{}, 0), q.delay(8, &Failure{}, 0); b < 50*a {
		t.Errorf("%s after one failure and %s after eight", a, b)
	}
}

// TestPoison: a notice that is refused again and again holds up its own hotspot only.
func TestPoison(t *testing.T) {
	q := one(Rule{})
	for _, e := range []*actuator.Entry{fired("bad"), resolved("bad"), fired("good"), resolved("good")} {
		q.Apply(e, start())
	}
	var got []string
	for now := start(); now.Before(start().Add(time.Minute)); now = now.Add(time.Second) {
		n, ok := q.Due("hook", now)
		if !ok {
			continue
		}
		var err error
		if n.Entry.Hotspot == "bad" {
			_, err = q.Failed("hook", now, errors.New("status 500"))
		} else {
			got = append(got, said(&n))
			_, err = q.Sent("hook", now, "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantSaid(t, got, "fired good", "resolved good")
	if s := q.Stats("hook", start()); s.Queued != 2 || s.Retried < 3 || s.Delivered != 2 {
		t.Errorf("%+v", s)
	}
}

// TestFull: a full queue folds what matters least, oldest first, into one summary that is counted and comes last.
func TestFull(t *testing.T) {
	q := one(Rule{Queue: 3, Kinds: actuator.Kinds()})
	critical := func(name string) *actuator.Entry {
		return news(name, actuator.KindVerdict, actuator.PhaseFired, name, "critical")
	}
	q.Apply(fired("a"), start())
	for n := range 3 {
		q.Apply(news(fmt.Sprint("hold ", n), actuator.KindHold, actuator.PhaseBegun, "", ""), start())
	}
	q.Apply(critical("b"), start())
	q.Apply(fired("c"), start())
	if s := q.Stats("hook", start()); s.Folded != 3 || s.Queued != 4 {
		t.Errorf("%+v, want 3 and the summary, of 3", s)
	}
	wantSaid(t, drain(t, q, start(), start().Add(3*time.Second)), "fired a", "b", "fired c")
	for _, e := range []*actuator.Entry{fired("d"), critical("e"), critical("f"), critical("g")} {
		q.Apply(e, start())
	}
	now := start().Add(3 * time.Second)
	wantSaid(t, drain(t, q, now, now.Add(10*time.Second)), "e", "f", "g", "2 more") // the holds are news of one subject
}

// TestAbandon: what was cut off is due again, as if it had not been tried.
func TestAbandon(t *testing.T) {
	q := one(Rule{})
	q.Apply(fired("a"), start())
	for range 2 {
		if n, ok := q.Due("hook", start()); !ok || n.Attempt != 1 {
			t.Errorf("%+v, %v", n, ok)
		}
		q.Abandon("hook")
	}
}

// TestSummary: a summary that was not taken keeps its key and its content; what is folded meanwhile is another one. What it
// stands for is recorded, so that no other instance tells it.
func TestSummary(t *testing.T) {
	q := one(Rule{Queue: 1})
	q.Apply(fired("a"), start())
	q.Apply(fired("b"), start())
	drain(t, q, start(), start().Add(time.Second)) // b
	n, ok := q.Due("hook", start().Add(time.Second))
	if !ok || n.More == nil {
		t.Fatalf("%+v, %v", n, ok)
	}
	q.Apply(fired("c"), start())
	q.Apply(fired("d"), start())
	now := start().Add(2 * time.Second)
	if _, err := q.Failed("hook", now, errors.New("no answer")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	wantSaid(t, drain(t, q, now, now.Add(time.Second)), "fired d")
	now = now.Add(time.Second)
	again, ok := q.Due("hook", now)
	if !ok || again.Key != n.Key || again.More.N != 1 || again.Attempt != 2 {
		t.Errorf("again %+v, want key %s", again, n.Key)
	}
	recorded, err := q.Sent("hook", now, "")
	if err != nil || len(recorded) != 1 {
		t.Fatal(recorded, err)
	}
	other := one(Rule{Queue: 9})
	for _, e := range []*actuator.Entry{fired("a"), fired("b"), &recorded[0]} {
		other.Apply(e, start())
	}
	wantSaid(t, drain(t, other, now, now.Add(9*time.Second)), "fired b")
	wantSaid(t, drain(t, q, now.Add(time.Second), now.Add(summaryEvery-time.Second)))
	now = now.Add(summaryEvery)
	n2, ok := q.Due("hook", now)
	if !ok || n2.Key == n.Key || n2.More.Group != n.More.Group || n2.More.N != 2 {
		t.Errorf("then %+v, want both in another notice of the same group", n2)
	}
}

// TestStale: a receiver that was away for an hour is told what is still true; what is over is one summary.
func TestStale(t *testing.T) {
	q := one(Rule{})
	q.receivers["hook"].met = true
	for _, e := range []*actuator.Entry{
		fired("over"), fired("open"), resolved("over"), news("advice", actuator.KindAdvice, actuator.PhaseBegun, "", ""), resolved("told before"),
		news("blind", actuator.KindBlind, actuator.PhaseNone, "", ""), news("sighted", actuator.KindSighted, actuator.PhaseNone, "", ""),
		news("blind again", actuator.KindBlind, actuator.PhaseNone, "", ""),
	} {
		q.Apply(e, start())
	}
	now := start().Add(time.Hour)
	q.Apply(fired("new"), now)
	wantSaid(t, drain(t, q, now, now.Add(10*time.Second)),
		"fired open", "resolved told before", "blind", "sighted", "blind again", "fired new", "2 more")
}

// TestDeadLetter: what is refused for good, or cannot be delivered for too long, is recorded as dead with its cause.
func TestDeadLetter(t *testing.T) {
	q := one(Rule{GiveUp: time.Hour})
	q.Apply(fired("refused"), start())
	q.Apply(fired("old"), start())
	if _, ok := q.Due("hook", start()); !ok {
		t.Fatal("nothing is due")
	}
	dead, err := q.Failed("hook", start(), &Failure{Final: true, Why: "status 400"})
	if err != nil {
		t.Fatal(err)
	}
	if late, err := q.Expire("hook", start().Add(time.Hour)); err != nil || len(late) != 0 {
		t.Errorf("given up at the limit already: %v, %v", late, err)
	}
	late, err := q.Expire("hook", start().Add(time.Hour+time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range append(dead, late...) {
		d, err := actuator.Read[actuator.Delivered](&e)
		if err != nil || d.Outcome != actuator.OutcomeDead || len(d.Entries) != 1 || d.Why == "" || d.Attempts != 1-i {
			t.Errorf("dead letter %d: %+v, %v", i, d, err)
		}
	}
	if s := q.Stats("hook", start()); s.GaveUp != 2 || s.Queued != 0 {
		t.Errorf("%+v", s)
	}
}

// TestEveryEntryIsAccountedFor: whatever happens to two instances that take turns, each entry that a receiver wants is told,
// told as one of N, or recorded as dead; what was recorded is never sent again; the notices of a hotspot keep their order.
func TestEveryEntryIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := Rule{Name: "hook", Queue: rapid.IntRange(1, 8).Draw(t, "queue"), Burst: rapid.IntRange(0, 4).Draw(t, "burst")}
		if rapid.Bool().Draw(t, "places") {
			rule.Place = func(n *Notice) string { return n.Entry.Hotspot[:1] }
		}
		s := &sending{t: t, recorded: map[string]bool{}, last: map[string]int{}, queues: []*Queue{NewQueue([]Rule{rule}, quick), NewQueue([]Rule{rule}, quick)}, at: make([]int, 2)}
		entries := rapid.IntRange(1, 30).Draw(t, "entries")
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"news", "follow", "send", "send", "take over"}).Draw(t, "step") {
			case "news":
				if s.n < entries {
					s.tell()
				}
			case "follow":
				s.follow(1-s.decider, 1)
			case "send":
				s.send(rapid.SampledFrom([]string{"taken", "taken", "refused", "not taken", "cut", "taken, crash"}).Draw(t, "how"))
			case "take over":
				s.decider = 1 - s.decider
			}
		}
		for s.n < entries {
			s.tell()
		}
		for range 3 * entries {
			s.seconds += int(summaryEvery.Seconds())
			s.send("taken")
		}
		for n := range entries {
			if id := story(n).ID; !s.recorded[id] {
				t.Fatalf("entry %d is not accounted for", n)
			}
		}
		if st := s.queues[s.decider].Stats("hook", s.now()); st.Queued != 0 {
			t.Fatalf("%+v at the end", st)
		}
		for _, storm := range s.queues[s.decider].receivers["hook"].storms {
			if !storm.told || storm.over() {
				t.Fatalf("%+v at the end: nobody will hear that it is over", storm)
			}
		}
	})
}

func quick() float64 { return 0 }

// story is the n-th entry of three shards in turn, of each of which hotspot follows hotspot.
func story(n int) *actuator.Entry {
	phase := []actuator.Phase{actuator.PhaseFired, actuator.PhaseRevised, actuator.PhaseResolved}[n/3%3]
	severity := "warning"
	if n%4 == 0 {
		severity = "critical"
	}
	return news(fmt.Sprint(n), actuator.KindVerdict, phase, fmt.Sprint(n%3, n/9), severity)
}

// sending is two instances, one of which decides.
type sending struct {
	t        *rapid.T
	queues   []*Queue
	at       []int // how much of the journal each has applied
	journal  []*actuator.Entry
	n        int
	decider  int
	seconds  int
	recorded map[string]bool
	last     map[string]int // newest told of a hotspot
}

func (s *sending) now() time.Time { return start().Add(time.Duration(s.seconds) * time.Second) }

func (s *sending) tell() {
	s.journal = append(s.journal, story(s.n))
	s.n++
}

func (s *sending) follow(who, most int) {
	for ; s.at[who] < len(s.journal) && most > 0; most-- {
		s.queues[who].Apply(s.journal[s.at[who]], start())
		s.at[who]++
	}
}

func (s *sending) send(how string) {
	q := s.queues[s.decider]
	s.follow(s.decider, len(s.journal))
	s.seconds += 2
	n, ok := q.Due("hook", s.now())
	if !ok {
		return
	}
	if n.Entry != nil {
		if s.recorded[n.Key] {
			s.t.Fatalf("%s was recorded and is sent again", said(&n))
		}
		if at := slices.IndexFunc(s.journal, func(e *actuator.Entry) bool { return e.ID == n.Key }); at < s.last[n.Entry.Hotspot] {
			s.t.Fatalf("%s is told after a later one of its hotspot", said(&n))
		} else if how == "taken" { // what was not, or what nobody knows of, may be told after what came before it
			s.last[n.Entry.Hotspot] = at
		}
	}
	var out []actuator.Entry
	var err error
	switch how {
	case "taken", "taken, crash":
		out, err = q.Sent("hook", s.now(), "")
	case "refused":
		out, err = q.Failed("hook", s.now(), &Failure{Final: true, Why: "status 400"})
	case "not taken":
		out, err = q.Failed("hook", s.now(), errors.New("no answer"))
	case "cut":
		q.Abandon("hook")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if how == "taken, crash" { // before it was recorded: the process is gone, a new one reads the journal from its start
		s.queues[s.decider], s.at[s.decider] = NewQueue([]Rule{q.receivers["hook"].rule}, quick), 0
		s.decider = 1 - s.decider
		return
	}
	for i := range out {
		d, err := actuator.Read[actuator.Delivered](&out[i])
		if err != nil {
			s.t.Fatal(err)
		}
		for _, id := range d.Entries {
			s.recorded[id] = true
		}
		s.journal = append(s.journal, &out[i])
	}
}
