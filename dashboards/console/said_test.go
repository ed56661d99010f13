package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// TestSaid: what a person said of a hotspot last stands in the list, on its page and in the API, with who, why, until when and what
// follows; the hotspot stays visible.
func TestSaid(t *testing.T) {
	f := hotKey(t).looked(nil).run(20)
	h := f.reported(&chronicler{watched: f})
	id := f.hot()
	page := "/fleets/orders/hotspots/" + id
	says := func(what string, wants ...string) {
		t.Helper()
		for _, path := range []string{"/", page} {
			text := textOf(t, get(t, h, path).Body.String())
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %s does not say: %s", what, path, want)
				}
			}
			if !strings.Contains(text, "cart:42") {
				t.Errorf("%s: it is not visible on %s", what, path)
			}
		}
	}
	b := func() briefAnswer { return read[hotspotsAnswer](t, h, "/api/v1/hotspots").Hotspots[0] }
	if got := b(); got.Accepted != nil || got.Dismissed != nil {
		t.Errorf("said before anybody spoke: %+v", got)
	}
	accepted := f.accept("ann", "the nightly import")
	at := line.Stamp(f.now())
	until := line.Stamp(f.now().Add(time.Hour))
	says("accepted", "accepted until 2026-03-01 13:03:25Z", "Accepted by ann until 2026-03-01 13:03:25Z: the nightly import.", "or its load reaches 1,250/s.")
	want := &acceptedAnswer{By: "ann", Reason: "the nightly import", At: at, Until: until, Load: 1000}
	if got := b(); !sameJSON(t, got.Accepted, want) || got.Dismissed != nil {
		t.Errorf("accepted: %+v, want %+v", got.Accepted, want)
	}
	f.run(22).reopen(accepted)
	says("told again", "told again", "Told again, because its load is 1,300/s and was 1,000/s when it was accepted. Since 2026-03-01 12:03:45Z.")
	want.Again, want.Why = line.Stamp(f.now()), "load"
	if got := b(); !sameJSON(t, got.Accepted, want) {
		t.Errorf("told again: %+v, want %+v", got.Accepted, want)
	}
	f.dismiss("bob", "a load test.")
	says("dismissed", "dismissed", "Dismissed as a false alarm by bob: a load test.", "Receivers hear of its end only.")
	if got := b(); got.Accepted != nil || !sameJSON(t, got.Dismissed, &dismissedAnswer{By: "bob", Reason: "a load test.", At: line.Stamp(f.now())}) {
		t.Errorf("dismissed: %+v", got)
	}
	full := read[hotspotAnswer](t, h, "/api/v1/hotspots/"+id)
	var kinds []string
	for _, e := range full.Events {
		if e.Kind == "accepted" || e.Kind == "dismissed" || e.Kind == "reopened" {
			kinds = append(kinds, e.Kind+": "+e.Says)
		}
	}
	events := []string{
		`accepted: Accepted by "ann" until 2026-03-01 13:03:25Z: the nightly import.`, "reopened: Told again, because its load is 1,300/s and was 1,000/s when it was accepted.",
		`dismissed: Dismissed as a false alarm by "bob": a load test.`,
	}
	if diff := cmp.Diff(events, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	f.run(80)
	if got := b(); got.State != "resolved" || got.Dismissed == nil {
		t.Errorf("when it is over: %+v", got)
	}
	text := textOf(t, get(t, h, "/").Body.String())
	if strings.Contains(text, "Receivers hear of its end") || !strings.Contains(text, "hot key dismissed") {
		t.Error("the list of what is over does not say that it was dismissed")
	}
}

func sameJSON(t *testing.T, got, want any) bool {
	t.Helper()
	a, err := line.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := line.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	return string(a) == string(b)
}

// TestAcceptedTimeIsOver: an open hotspot whose time is over is not called accepted, although nobody has told it again yet; one that
// ended while it was accepted stays so.
func TestAcceptedTimeIsOver(t *testing.T) {
	f := hotKey(t)
	f.sources[len(f.sources)-1].rate = between(12, 400, 900)
	f.looked(nil).run(20)
	f.accept("ann", "known")
	h := served(t, f.model, &oracle{})
	if text := textOf(t, get(t, h, "/").Body.String()); !strings.Contains(text, "accepted until") {
		t.Error("not accepted")
	}
	f.run(381)
	text := textOf(t, get(t, h, "/").Body.String())
	if strings.Contains(text, "accepted until 2026") || !strings.Contains(text, "the time that it was accepted for is over. Since 2026-03-01 13:03:25Z.") {
		t.Error("after an hour it is accepted still")
	}
	over := hotKey(t).looked(nil).run(20)
	over.accept("ann", "known")
	over.run(460)
	if text := textOf(t, get(t, served(t, over.model, &oracle{}), "/fleets/orders/hotspots/"+over.hot()).Body.String()); !strings.Contains(text, "accepted until 2026") || strings.Contains(text, "told again") {
		t.Error("what ended while it was accepted is told again")
	}
}

// TestRecalled: what was said of an open hotspot, and which reports were written, before the part of the journal that is shown is known
// to who begins later; what is over by then is not.
func TestRecalled(t *testing.T) {
	f := hotKey(t).looked(nil).run(20)
	accepted := f.accept("ann", "known since long")
	again := f.reopen(accepted)
	report := reportOf(t, f.start, f.start.Add(time.Hour), actuator.Reported{Text: "One shard was hot."})
	late := New([]Fleet{{Name: "orders", Judge: f.cfg}}, nil)
	ended := *accepted
	ended.Hotspot = "00ff"
	end := actuator.Entry{ID: "x", Fleet: "orders", At: f.now(), Kind: actuator.KindVerdict, Phase: actuator.PhaseResolved, Hotspot: "00ff", Line: []byte(`{"type":"verdict"}`)}
	for _, e := range []*actuator.Entry{accepted, again, &ended, &end, &report} {
		late.Recall(e)
	}
	f.model = late
	f.run(22)
	h := served(t, late, &oracle{})
	full := read[hotspotAnswer](t, h, "/api/v1/hotspots/"+f.hot())
	if full.Accepted == nil || full.Accepted.By != "ann" || full.Accepted.Why != "load" {
		t.Errorf("accepted: %+v", full.Accepted)
	}
	if len(full.Events) < 2 || full.Events[0].ID != accepted.ID || full.Events[1].ID != again.ID {
		t.Errorf("events: %+v", full.Events)
	}
	if text := textOf(t, get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String()); strings.Count(text, "Accepted by ann") != 2 {
		t.Error("the timeline or the answer lacks who accepted it")
	}
	if _, known := late.fleets[0].spoken.Of("orders", "00ff"); known || late.fleets[0].hot["00ff"] != nil {
		t.Error("what is over is remembered")
	}
	if list := read[reportsAnswer](t, h, "/api/v1/reports"); len(list.Reports) != 1 || list.Reports[0].Text != "One shard was hot." {
		t.Errorf("reports: %+v", list)
	}
	late.Entry(accepted) // read again, of a journal that was made anew
	late.Entry(accepted)
	if again := read[hotspotAnswer](t, h, "/api/v1/hotspots/"+f.hot()); strings.Count(fmt.Sprint(again.Events), "Accepted by") != 1 {
		t.Errorf("one entry is two events: %+v", again.Events)
	}
}

// TestCommands: the page of a hotspot says by which command a person speaks of it, where there is a journal to say it to, and the id is
// one that no shell takes for something else.
func TestCommands(t *testing.T) {
	f := hotKey(t).looked(nil).run(20)
	path := "/fleets/orders/hotspots/" + f.hot()
	accept, dismiss := "firebreak accept "+f.hot()+" --until 2h --reason", "firebreak dismiss "+f.hot()+" --reason"
	open := textOf(t, get(t, f.reported(&chronicler{watched: f}), path).Body.String())
	alone := textOf(t, get(t, served(t, f.model, &oracle{}), path).Body.String())
	f.run(80)
	over := textOf(t, get(t, f.reported(&chronicler{watched: f}), path).Body.String())
	for _, tt := range []struct {
		what, text      string
		accept, dismiss bool
	}{{"open", open, true, true}, {"without a journal", alone, false, false}, {"over", over, false, true}} {
		if strings.Contains(tt.text, accept) != tt.accept || strings.Contains(tt.text, dismiss) != tt.dismiss {
			t.Errorf("%s: accept %v, dismiss %v", tt.what, !tt.accept, !tt.dismiss)
		}
	}
	for _, id := range []string{"", "a b", "$(x)", "a;b", "--config", "é"} {
		if c := (&hotspot{id: id}).commands(); c != nil {
			t.Errorf("%q: %v", id, c)
		}
	}
}
