package notify

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
)

func acceptance(t *testing.T, hotspot string) *actuator.Entry {
	t.Helper()
	e, err := actuator.NewAccepted("orders", start(), actuator.Accepted{
		Hotspot: line.Name(hotspot), By: "ann", Reason: "known", Until: line.Stamp(start().Add(time.Hour)), Load: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

func again(hotspot, accepted string) *actuator.Entry {
	return &actuator.Entry{
		ID: actuator.NewID("again", hotspot), Fleet: "orders", At: start(), Kind: actuator.KindReopened, Hotspot: hotspot,
		Line: json.RawMessage(`{"name":"again ` + hotspot + `","accepted":"` + accepted + `","why":"load","load":1300,"was":1000,"severity":"warning"}`),
	}
}

func revised(hotspot, name string) *actuator.Entry {
	return news(name, actuator.KindVerdict, actuator.PhaseRevised, hotspot, "warning")
}

// TestAcceptedIsSilent: an accepted hotspot sends nothing until it ends or is told again; others go on.
func TestAcceptedIsSilent(t *testing.T) {
	q := one(Rule{})
	q.Apply(fired("h"), start())
	wantSaid(t, drain(t, q, start(), start().Add(2*time.Second)), "fired h")
	said := acceptance(t, "h")
	for _, e := range []*actuator.Entry{said, revised("h", "revised h"), fired("other")} {
		q.Apply(e, start())
	}
	wantSaid(t, drain(t, q, start().Add(3*time.Second), start().Add(time.Minute)), "fired other")
	q.Apply(again("h", said.ID), start())
	q.Apply(revised("h", "revised more"), start())
	q.Apply(resolved("h"), start())
	wantSaid(t, drain(t, q, start().Add(2*time.Minute), start().Add(3*time.Minute)), "again h", "revised more", "resolved h")
}

// TestAcceptedBeforeItWasTold: what waits when a hotspot is accepted is not sent, and nor is the end of what nobody heard of.
func TestAcceptedBeforeItWasTold(t *testing.T) {
	for _, end := range []bool{false, true} {
		q := one(Rule{})
		said := acceptance(t, "h")
		q.Apply(fired("h"), start())
		q.Apply(said, start())
		if end {
			q.Apply(resolved("h"), start())
			wantSaid(t, drain(t, q, start(), start().Add(time.Minute)))
			continue
		}
		q.Apply(again("h", said.ID), start())
		q.Apply(resolved("h"), start())
		wantSaid(t, drain(t, q, start(), start().Add(time.Minute)), "again h", "resolved h")
	}
}

// TestAcceptedLongAgo: an acceptance that is older than what is still sent counts after a restart.
func TestAcceptedLongAgo(t *testing.T) {
	q := one(Rule{})
	q.Recall(acceptance(t, "h"), start())
	q.Apply(revised("h", "revised h"), start())
	wantSaid(t, drain(t, q, start(), start().Add(time.Minute)))
}

// TestReportIsForWhoAsks: a report goes to receivers that ask for it, whatever severity they want.
func TestReportIsForWhoAsks(t *testing.T) {
	e, err := actuator.NewReported(start(), actuator.Reported{From: line.Stamp(start().Add(-time.Hour)), To: line.Stamp(start()), Text: "Two shards were hot.", Where: "/reports/w.html"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rule Rule
		want int
	}{{Rule{}, 0}, {Rule{Kinds: []actuator.Kind{actuator.KindReport}, Severity: Critical, Fleets: []string{"carts"}}, 1}} {
		q := one(tt.rule)
		q.Apply(&e, start())
		n, ok := q.Due("hook", start())
		if ok != (tt.want == 1) {
			t.Errorf("%+v: due %v", tt.rule, ok)
		}
		if ok {
			text := (&Guide{}).Sentence(&n)
			for _, part := range []string{"Report of 2026-03-01 11:00:00Z to 2026-03-01 12:00:00Z", "Two shards were hot.", `It is in "/reports/w.html".`} {
				if !strings.Contains(text, part) {
					t.Errorf("%s: want %q", text, part)
				}
			}
		}
	}
}

// TestSpokenTexts: who said what is told to receivers that ask for it, with hostile names as names.
func TestSpokenTexts(t *testing.T) {
	hostile, err := actuator.NewDismissed("orders", start(), actuator.Dismissed{Hotspot: "h", By: "<!channel>\x1b[2J", Reason: "no\xffise"})
	if err != nil {
		t.Fatal(err)
	}
	for want, e := range map[string]*actuator.Entry{
		`Fleet "orders", hotspot "h": accepted by "ann" until 2026-03-01 13:00:00Z: known.`:                          acceptance(t, "h"),
		`Fleet "orders", hotspot "h": dismissed as a false alarm by "<!channel>\u{1b}[2J": no\xffise.`:               &hostile,
		`Fleet "orders", hotspot "h": told again, because its load is 1,300/s and was 1,000/s when it was accepted.`: again("h", "x"),
	} {
		if got := (&Guide{}).Sentence(&Notice{Entry: e}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestCallOfAnAcceptedHotspot: of a hotspot that was accepted no step is told, but that its operation needs a person, and that it does not
// any more.
func TestCallOfAnAcceptedHotspot(t *testing.T) {
	q := one(Rule{})
	q.Apply(fired("h"), start())
	q.Apply(acceptance(t, "h"), start())
	for _, e := range []struct {
		name  string
		phase actuator.Phase
	}{{"step", actuator.PhaseChanged}, {"call", actuator.PhaseFired}, {"call over", actuator.PhaseResolved}} {
		q.Apply(&actuator.Entry{
			ID: actuator.NewID(e.name), Fleet: "orders", At: start(), Kind: actuator.KindActed, Phase: e.phase, Hotspot: "h",
			Line: json.RawMessage(`{"name":"` + e.name + `","do":"act","operation":12}`),
		}, start())
	}
	wantSaid(t, drain(t, q, start(), start().Add(time.Minute)), "call", "call over")
}
