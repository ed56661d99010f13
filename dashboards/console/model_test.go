package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing/control"
)

// TestHotspotLife (S02): from one answer a person reads the shard, the cause, the key, its share, since when, the window, the fix and,
// for each other one, why not; the page says it in the same words. When it is over it is among the resolved.
func TestHotspotLife(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	list := read[hotspotsAnswer](t, h, "/api/v1/hotspots?state=open")
	if len(list.Hotspots) != 1 {
		t.Fatalf("open hotspots: %+v", list)
	}
	b := list.Hotspots[0]
	if b.Cause != "hot_key" || b.Key != "cart:42" || b.Tenant != "shop-7" || b.Fix != "salt" || b.State != "open" || b.Share.Low <= 0.5 || b.Share.High < b.Share.Value {
		t.Errorf("brief: %+v", b)
	}
	full := read[hotspotAnswer](t, h, "/api/v1/hotspots/"+string(b.Hotspot))
	for _, want := range []string{"What", "Where", "When", "Why", "What to do", "How sure"} {
		if !strings.Contains(fmt.Sprint(full.Facts), want) {
			t.Errorf("no fact %q", want)
		}
	}
	if others := strings.Join(full.Others, "\n"); !strings.Contains(others, "Split fails: the key's own 900/s stay on one shard, however many there are") {
		t.Errorf("it is not said why a split fails:\n%s", others)
	}
	if full.Plan == nil || len(full.Loads) < 3 || len(full.Loads[0].Loads) != 16 || len(full.Keys) == 0 || full.Keys[0].Key != "cart:42" || len(full.Events) < 3 {
		t.Errorf("plan %v, %d loads, keys %v, %d events", full.Plan, len(full.Loads), full.Keys, len(full.Events))
	}
	page := get(t, h, "/fleets/orders/hotspots/"+string(b.Hotspot))
	for _, fact := range full.Facts {
		text := strings.NewReplacer(`"`, "", "\u00a0", " ").Replace(fact.Answer)
		if !strings.Contains(textOf(t, page.Body.String()), text) {
			t.Errorf("the page does not say: %s", text)
		}
	}
	if page.Code != http.StatusOK || !strings.Contains(get(t, h, "/").Body.String(), "/fleets/orders/hotspots/"+string(b.Hotspot)) {
		t.Error("the overview does not link the hotspot")
	}
	f.run(80)
	list = read[hotspotsAnswer](t, h, "/api/v1/hotspots")
	if len(list.Hotspots) != 1 || list.Hotspots[0].State != "resolved" || list.Hotspots[0].Hotspot != b.Hotspot {
		t.Errorf("at the end: %+v", list)
	}
	if s := read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0].State; s != "calm" {
		t.Errorf("state %s", s)
	}
}

// TestFromTheJournal: an instance that begins while a hotspot is open shows what the journal has, and so the same answer.
func TestFromTheJournal(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	late := New([]Fleet{{Name: "orders", Judge: f.cfg}}, nil)
	for i := range f.journal {
		late.Entry(&f.journal[i])
	}
	id := f.model.fleets[0].order[0].id
	a := read[hotspotAnswer](t, served(t, f.model, &oracle{}), "/api/v1/hotspots/"+id)
	b := read[hotspotAnswer](t, served(t, late, &oracle{}), "/api/v1/hotspots/"+id)
	if diff := cmp.Diff(a.Events, b.Events); diff != "" {
		t.Errorf("events (-watched +late):\n%s", diff)
	}
	if a.Says != b.Says || len(b.Loads) != 0 {
		t.Errorf("says %q and %q", a.Says, b.Says)
	}
	page := get(t, served(t, late, &oracle{}), "/fleets/orders/hotspots/"+id).Body.String()
	for _, want := range []string{"this instance did not see the others", "cart:42", "the fix", `class="bars"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestJournalComesLater: entries that stand in the journal after the tick that they are of change nothing that is newer.
func TestJournalComesLater(t *testing.T) {
	f := hotKey(t).looked(nil).run(80)
	before := read[hotspotsAnswer](t, served(t, f.model, &oracle{}), "/api/v1/hotspots")
	h := f.model.fleets[0].order[0]
	n := len(h.events)
	for i := range f.journal {
		f.model.Entry(&f.journal[i])
	}
	after := read[hotspotsAnswer](t, served(t, f.model, &oracle{}), "/api/v1/hotspots")
	if after.Hotspots[0].State != "resolved" || before.Hotspots[0].Resolved != after.Hotspots[0].Resolved {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if len(h.events) != n {
		t.Errorf("%d events, want %d: the same entry is one event", len(h.events), n)
	}
}

// TestEndNotTold: a hotspot of an older journal that fires no more is over, although no entry says so; what is blind ends nothing.
func TestEndNotTold(t *testing.T) {
	f := hotKey(t).looked(nil).run(20)
	old := &line.Verdict{Head: line.NewHead("verdict", "orders", line.Stamp(f.now())), Hotspot: "00ff", Phase: "firing", Shard: "shard-3", Cause: "volume", Onset: line.Stamp(f.start)}
	b, err := line.Encode(old)
	if err != nil {
		t.Fatal(err)
	}
	f.model.Entry(&actuator.Entry{ID: "x1", Fleet: "orders", At: f.now(), Kind: actuator.KindVerdict, Phase: actuator.PhaseFired, Hotspot: "00ff", Line: b[:len(b)-1]})
	if h := f.model.fleets[0].hot["00ff"]; !h.open() {
		t.Fatal("resolved at once")
	}
	s := f.snapshot()
	f.model.Judged(&Tick{Snapshot: s, Config: &f.cfg, Now: f.now().Add(time.Hour), Decision: &policy.Decision{Blind: true}})
	if h := f.model.fleets[0].hot["00ff"]; !h.open() {
		t.Error("resolved while nothing was seen")
	}
	f.run(40)
	h := f.model.fleets[0].hot["00ff"]
	if h.open() {
		t.Error("still open")
	}
	old.Phase = "resolved" // the journal says it after all, and when
	if b, err = line.Encode(old); err != nil {
		t.Fatal(err)
	}
	at := f.start.Add(150 * time.Second)
	f.model.Entry(&actuator.Entry{ID: "x2", Fleet: "orders", At: at, Kind: actuator.KindVerdict, Phase: actuator.PhaseResolved, Hotspot: "00ff", Line: b[:len(b)-1]})
	if !h.resolved.Equal(at) {
		t.Errorf("resolved at %v, want when the journal says: %v", h.resolved, at)
	}
}

// TestSilentLog: a log that says nothing for minutes ends no hotspot, neither while it is silent nor afterwards.
func TestSilentLog(t *testing.T) {
	f := watch(t, 16, "tenant,key").looked(nil)
	f.sources = append(f.sources, source{"shop-7", "cart:42", 0, between(12, 90, 900)})
	for i := range f.sources {
		rate := f.sources[i].rate
		f.sources[i].rate = func(pane int) float64 {
			if pane >= 40 && pane < 70 {
				return 0
			}
			return rate(pane)
		}
	}
	for _, panes := range []int{30, 69, 72, 85} { // before, after five minutes of silence, at its end, and later
		f.run(panes)
		h := f.model.fleets[0].order[0]
		page := textOf(t, get(t, served(t, f.model, &oracle{}), "/").Body.String())
		if !h.open() || h.guessed || strings.Contains(page, "No shard is hot") {
			t.Errorf("at pane %d: open %v, guessed to be over %v; the page says that none is hot: %v", panes, h.open(), h.guessed, strings.Contains(page, "No shard is hot"))
		}
	}
}

// TestGuessedTooSoon: what was taken for over and fires after all is open again.
func TestGuessedTooSoon(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	tick := func(at time.Duration, open []policy.Verdict) *hotspot {
		s := f.snapshot()
		f.model.Judged(&Tick{Snapshot: s, Config: &f.cfg, Now: f.now().Add(at), Decision: &policy.Decision{Open: open}})
		return f.model.fleets[0].order[0]
	}
	h := tick(time.Hour, nil)
	if h.open() {
		t.Fatal("it is open, and fires no more")
	}
	if h = tick(time.Hour+time.Minute, []policy.Verdict{{Fleet: "orders", Hotspot: h.id, Shard: "shard-3"}}); !h.open() || h.guessed {
		t.Error("it fires, and is not open")
	}
}

// TestHidden: where names are hidden, no page and no answer has them in any form.
func TestHidden(t *testing.T) {
	redact, err := actuator.ParseRedact("hash")
	if err != nil {
		t.Fatal(err)
	}
	f := hotKey(t).looked(redact).run(30)
	h := served(t, f.model, &oracle{})
	id := f.model.fleets[0].order[0].id
	f.tell(actuator.NewRouted(f.name, &control.Note{ID: "op", At: f.now(), Do: control.DoAct, Hotspot: id, Operation: 1, Act: control.Act{Text: `writes of "cart:42" go astray`}}, false, redact))
	for _, path := range []string{"/", "/fleets/orders/hotspots/" + id, "/api/v1/fleets", "/api/v1/hotspots", "/api/v1/hotspots/" + id, "/api/v1/heatmap"} {
		for _, name := range []string{"cart:42", "shop-7", "item:"} {
			if body := get(t, h, path).Body.String(); strings.Contains(body, name) {
				t.Errorf("%s has %s", path, name)
			}
		}
	}
	if body := get(t, h, "/fleets/orders/hotspots/"+id).Body.String(); !strings.Contains(body, redact([]byte("cart:42"))) {
		t.Error("the page lacks the hash")
	}
}

// TestWarming: while the window fills, the page says how far it is.
func TestWarming(t *testing.T) {
	f := watch(t, 4, "key").looked(nil)
	h := served(t, f.model, &oracle{})
	if s := read[fleetsAnswer](t, h, "/api/v1/fleets").Fleets[0].State; s != "waiting" {
		t.Errorf("state %s before the first pane", s)
	}
	if !strings.Contains(get(t, h, "/").Body.String(), "Nothing is judged yet") {
		t.Error("the page does not say that nothing is judged yet")
	}
	f.run(2)
	if text := get(t, h, "/").Body.String(); !strings.Contains(text, "Warming up 0:20 of 5:00; nothing fires before 1:00.") {
		t.Error("the page does not say how far the window is filled")
	}
	f.run(20)
	if text := get(t, h, "/").Body.String(); !strings.Contains(text, "Warming up 3:20 of 5:00") || !strings.Contains(text, "No shard is hot.") {
		t.Error("after 3:20 the page does not say so")
	}
	f.run(31)
	if strings.Contains(get(t, h, "/").Body.String(), "arming up") {
		t.Error("the window is full")
	}
}

// TestBounded: memory does not grow with the number of hotspots and of their entries.
func TestBounded(t *testing.T) {
	f := watch(t, 4, "key").looked(nil).run(8)
	put := func(n int, phase actuator.Phase) {
		v := &line.Verdict{Head: line.NewHead("verdict", "orders", line.Stamp(f.now())), Hotspot: line.Name(fmt.Sprint(n)), Phase: "firing", Shard: "shard-1"}
		if phase == actuator.PhaseResolved {
			v.Phase = "resolved"
		}
		b, _ := line.Encode(v)
		f.model.Entry(&actuator.Entry{ID: fmt.Sprint(n, phase), Fleet: "orders", At: f.now(), Kind: actuator.KindVerdict, Phase: phase, Hotspot: fmt.Sprint(n), Line: b[:len(b)-1]})
	}
	for n := range 3 * maxOpen {
		put(n, actuator.PhaseFired)
		if n%2 == 0 {
			put(n, actuator.PhaseResolved)
		}
	}
	for i := range 10 * maxEvents {
		f.model.Entry(&actuator.Entry{ID: fmt.Sprint("h", i), Fleet: "orders", At: f.now(), Kind: actuator.KindHold, Phase: actuator.PhaseBegun, Hotspot: "2999", Line: fmt.Appendf(nil, `{"type":"hold","schema":1,"fleet":"orders","hotspot":"2999","reason":"r%d","detail":"d"}`, i)})
	}
	fl := f.model.fleets[0]
	if n := len(fl.order); n > maxOpen+maxRecent || n != len(fl.hot) {
		t.Errorf("%d hotspots in order, %d by id", n, len(fl.hot))
	}
	if h := fl.hot["2999"]; len(h.events) > maxEvents || h.left == 0 || len(h.holds) > maxHolds {
		t.Errorf("%d events, %d left out, %d holds", len(h.events), h.left, len(h.holds))
	}
	h := served(t, f.model, &oracle{})
	if list := read[hotspotsAnswer](t, h, "/api/v1/hotspots"); len(list.Hotspots) != maxHotspots || list.More == 0 {
		t.Errorf("%d listed, %d more", len(list.Hotspots), list.More)
	}
	if n := get(t, h, "/").Body.Len(); n > 200_000 {
		t.Errorf("the overview has %d bytes", n)
	}
}
