package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/dashboards/console"
	"firebreak/internal/line"
	"firebreak/pipeline/kafka"
)

// kinds of what waits to be written, in its order.
func (i *instance) waits(now time.Time) (kinds []string, entries []actuator.Entry) {
	for _, e := range i.owes.begin(now, 1, "i") {
		kinds, entries = append(kinds, e.Kind.String()), append(entries, e)
	}
	i.owes.done(nil)
	return kinds, entries
}

// TestAcceptedIsReopened: every instance that judges gives the same entry when an accepted hotspot is a quarter above its load then, and
// before what is then no longer silent; below it none does.
func TestAcceptedIsReopened(t *testing.T) {
	r := newHistoryRig(t, "")
	first := r.all[0]
	second := r.join(nil)
	r.goOn(30, 600)
	kinds, entries := first.waits(r.at)
	fired := slices.Index(kinds, "verdict")
	if fired < 0 {
		t.Fatalf("nothing fired: %v", kinds)
	}
	v, err := actuator.Read[line.Verdict](&entries[fired])
	if err != nil {
		t.Fatal(err)
	}
	// Event time is far from the clock; what counts is the time of ticks.
	said, err := actuator.NewAccepted("orders", r.at, actuator.Accepted{
		Hotspot: v.Hotspot, By: "ann", Reason: "known", Until: line.Stamp(r.at.Add(24 * time.Hour)), Load: v.Load,
	})
	if err != nil {
		t.Fatal(err)
	}
	first.owes.saw(&said)
	second.owes.recall(&said)
	r.goOn(6, 660)
	for _, i := range r.all {
		if kinds, _ := i.waits(r.at); count(kinds, "reopened") != 0 {
			t.Errorf("told again below a quarter more: %v", kinds)
		}
	}
	r.goOn(12, 1200)
	kinds, one := first.waits(r.at)
	if count(kinds, "reopened") != 1 {
		t.Fatalf("%v, want it told again once", kinds)
	}
	_, other := second.waits(r.at)
	ids := map[string]bool{}
	for _, e := range append(one, other...) {
		if e.Kind == actuator.KindReopened {
			ids[e.ID] = true
		}
	}
	if len(ids) != 1 {
		t.Errorf("two instances give %d ids", len(ids))
	}
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if s == what {
			n++
		}
	}
	return n
}

// TestRecall: of entries that are older than what is still told, only what people said and what reports were written is known.
func TestRecall(t *testing.T) {
	log := zaptest.NewLogger(t)
	owes := newOwing(time.Minute)
	j := newJournal(newMemoryJournal(), owes, "fb", log)
	queue := notify.NewQueue([]notify.Rule{{Name: "hook"}}, rand.Float64)
	j.runner = notify.NewRunner(queue, nil, j, log)
	j.page = console.New([]console.Fleet{{Name: "orders"}}, nil)
	shown := j.page.Version()
	at := time.Now().UTC().Add(-72 * time.Hour).Truncate(time.Millisecond)
	accepted := func(hotspot line.Name) actuator.Entry {
		e, err := actuator.NewAccepted("orders", at, actuator.Accepted{Hotspot: hotspot, By: "ann", Reason: "r", Until: line.Stamp(at.Add(240 * time.Hour)), Load: 5})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	verdict := func(hotspot string, p actuator.Phase) actuator.Entry {
		return actuator.Entry{ID: actuator.NewID(hotspot, p.String()), Fleet: "orders", At: at, Epoch: 3, Kind: actuator.KindVerdict, Phase: p, Hotspot: hotspot, Line: []byte(`{"type":"verdict"}`)}
	}
	report, err := actuator.NewReported(at, actuator.Reported{From: line.Stamp(at.Add(-time.Hour)), To: line.Stamp(at)})
	if err != nil {
		t.Fatal(err)
	}
	report.Epoch = 3
	for _, e := range []actuator.Entry{verdict("open", actuator.PhaseFired), accepted("open"), accepted("over"), verdict("over", actuator.PhaseResolved), report} {
		b, err := actuator.Encode(&e)
		if err != nil {
			t.Fatal(err)
		}
		j.recall(&kafka.Entry{Time: at, Value: b})
	}
	if _, ok := owes.spoken.Of("orders", "open"); !ok {
		t.Error("an acceptance of three days ago is not known")
	}
	if _, ok := owes.spoken.Of("orders", "over"); ok {
		t.Error("the end of a hotspot is not known")
	}
	if _, last := j.reports.known(); !last.Equal(at) {
		t.Errorf("the last report is of %v", last)
	}
	if n := j.page.Version() - shown; n != 4 {
		t.Errorf("the page was told of %d old entries, want what was said of two hotspots, the end of one and a report", n)
	}
	if _, due := queue.Due("hook", time.Now()); due {
		t.Error("an old entry is told")
	}
	revised := verdict("open", actuator.PhaseRevised)
	revised.At = time.Now()
	queue.Apply(&revised, time.Now())
	if _, due := queue.Due("hook", time.Now()); due {
		t.Error("an accepted hotspot is told after a restart")
	}
}
