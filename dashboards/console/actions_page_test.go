package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"

	"golang.org/x/net/html"
)

// pageOf is a page as somebody has it, and its text.
func pageOf(t *testing.T, h http.Handler, path, who string) (page, text string) {
	t.Helper()
	w := does(t, h, http.MethodGet, path, who, "")
	if w.Code != http.StatusOK {
		t.Fatalf("%s of %q: %d %s", path, who, w.Code, w.Body)
	}
	return w.Body.String(), textOf(t, w.Body.String())
}

// buttons are what the forms of a page offer, with what they are about.
func buttons(t *testing.T, page string) []string {
	t.Helper()
	var out []string
	for n := range parsed(t, page).Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" || attr(n, "method") != "post" {
			continue
		}
		about := ""
		for c := range n.Descendants() {
			switch {
			case c.Type != html.ElementNode:
			case c.Data == "input" && attr(c, "type") == "hidden":
				about = attr(c, "name")
			case c.Data == "button":
				out = append(out, strings.TrimSpace(attr(c, "value")+" "+about))
			}
		}
	}
	slices.Sort(out)
	return out
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestActionsPage: the page has the plan with what it waits for and what it would write, the operation with its phases, what it waits for and
// its way back; and offers each person what that person may, no more.
func TestActionsPage(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.guarded()
	page, text := pageOf(t, h, "/fleets/orders/actions", "ann")
	for _, want := range []string{
		"1 plan stands, 1 operation is under way.", "You are ann, one of the fleet’s approvers.", "observe", "readers: readers read all pieces, writers write as before", "salt/cart:42 not there → write=1,read=4",
		"Operation 1: isolate of shard-3", "flip now", "settle to come", "planned done", "confirmed: waiting for carts-1.", "carts-1 holds an older document.",
		"A roll-back would write now:", "restore: its entries are as they were", "tenant/whale shard-1 → not there",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in %s", want, text)
		}
	}
	if !strings.Contains(page, `aria-current="step"`) {
		t.Error("the phase that it stands in is not marked")
	}
	for who, want := range map[string][]string{
		"vera": nil, "olaf": {"hold operation", "stop"}, "bob": {"hold operation", "stop"},
		"ann": {"approve plan", "hold operation", "reject plan", "rollback operation", "stop"},
	} {
		page, _ := pageOf(t, h, "/fleets/orders/actions", who)
		if got := buttons(t, page); !slices.Equal(got, want) {
			t.Errorf("%s is offered %q, want %q", who, got, want)
		}
	}
	page, _ = pageOf(t, h, "/fleets/orders/hotspots/"+d.hot(), "ann")
	if got, want := buttons(t, page), []string{"approve plan", "hold hotspot", "reject plan"}; !slices.Equal(got, want) {
		t.Errorf("the hotspot offers %q, want %q", got, want)
	}
	if !strings.Contains(page, "readers read all pieces") {
		t.Error("the hotspot does not say what would be written")
	}
}

// TestActionsOfAPerson: a plan is approved by its form and the page after it says so from the journal; the hold, the stop and the operation
// that is held are seen, and so is why a word was refused.
func TestActionsOfAPerson(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.guarded()
	const path = "/fleets/orders/actions"
	w := does(t, h, http.MethodPost, path, "ann", "do=approve&reason=seen&plan="+string(d.model.fleets[0].hot[d.hot()].plan.ID), "Content-Type", asForm)
	does(t, h, http.MethodPost, path, "ann", "do=approve&reason=seen&plan="+string(d.model.fleets[0].hot[d.hot()].plan.ID), "Content-Type", asForm) // pressed twice
	if len(d.state.Approvals) != 1 {
		t.Errorf("approved %d times", len(d.state.Approvals))
	}
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, path+"?done=") {
		t.Fatalf("%d %s", w.Code, to)
	}
	_, text := pageOf(t, h, to, "ann")
	for _, want := range []string{"In the journal: Fleet orders: approve of plan", "by ann: seen.", "Approved"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in %s", want, text)
		}
	}
	if _, text := pageOf(t, h, path+"?done=somebody-else", "ann"); !strings.Contains(text, "not in the journal here") {
		t.Errorf("of what nobody asked for it says %s", text)
	}
	for _, body := range []string{"do=hold&reason=not+now&hotspot=" + d.hot(), "do=stop&reason=fire"} {
		if w := does(t, h, http.MethodPost, path, "olaf", body, "Content-Type", asForm); w.Code != http.StatusSeeOther {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	d.now.Operations[0].Held = "olaf: not now"
	page, text := pageOf(t, h, path, "ann")
	for _, want := range []string{"held by olaf since", "Acting is stopped, by olaf since", "By olaf: not now."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in %s", want, text)
		}
	}
	if got := buttons(t, page); !slices.Contains(got, "approve operation") || !slices.Contains(got, "resume") || slices.Contains(got, "stop") {
		t.Errorf("offered: %q", got)
	}
	w = does(t, h, http.MethodPost, path, "bob", "do=rollback&reason=x&operation=1", "Content-Type", asForm)
	if text := textOf(t, w.Body.String()); w.Code != http.StatusConflict || !strings.Contains(text, "Not carried out") || !strings.Contains(text, "Refused: bob is none of the fleet's approvers.") || !strings.Contains(text, "Back to the actions") {
		t.Errorf("%d %s", w.Code, text)
	}
}

// TestRoutingPage: entries, who is behind, and the history with what each change changed, the newest first.
func TestRoutingPage(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	d.heard(t)
	_, text := pageOf(t, d.guarded(), "/fleets/orders/routing", "vera")
	for _, want := range []string{
		"Clients route by version 17.", "Epoch 3, version 17", "2 clients are live, 1 of them is behind.", "tenant/whale", "not heard for a minute", "behind", "Acting is stopped, by ann",
		"Stop by ann: seen with the team.", "hold of", "asked to approve it and was refused",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in %s", want, text)
		}
	}
	a := read[routingOfAnswer](t, d.listened(&oracle{}), "/api/v1/fleets/orders/routing")
	if len(a.History) != 4 || a.History[0].Refused == "" || !a.Clients[0].Behind || a.Clients[1].Behind || a.Clients[2].Behind {
		t.Errorf("%+v", a)
	}
}

// TestWrittenTwice: while data moves without a fence the page and the API say where else a place is written, and when a write is done.
func TestWrittenTwice(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	if a := read[routingOfAnswer](t, d.listened(&oracle{}), "/api/v1/fleets/orders/routing"); a.Doubled == nil || len(a.Doubled) > 0 {
		t.Errorf("nothing is written twice: %#v", a.Doubled)
	}
	d.now.Doubled = []Doubled{{Name: "vshard/17", Both: true}, {Name: "tenant/whale", Value: "shard-2"}}
	_, text := pageOf(t, d.guarded(), "/fleets/orders/routing", "vera")
	for _, want := range []string{
		"Written twice", "vshard/17: where the map has it too; a write is done when both sides have it.", "tenant/whale: on shard-2 too; the owner's word counts.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in %s", want, text)
		}
	}
	a := read[routingOfAnswer](t, d.listened(&oracle{}), "/api/v1/fleets/orders/routing")
	if want := []doubleAnswer{{Entry: "vshard/17", Both: true}, {Entry: "tenant/whale", Value: "shard-2"}}; !slices.Equal(a.Doubled, want) {
		t.Errorf("got %+v, want %+v", a.Doubled, want)
	}
}

// TestNothingActedOn: a process that looks after no routing has the pages, and they say so.
func TestNothingActedOn(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	for _, path := range []string{"/fleets/orders/actions", "/fleets/orders/routing"} {
		if w := get(t, h, path); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "is not known here.") {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if page := get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String(); strings.Contains(page, "Carry it out?") {
		t.Error("a hotspot offers to carry something out")
	}
	if w := get(t, h, "/fleets/nope/actions"); w.Code != http.StatusNotFound {
		t.Errorf("no such fleet: %d", w.Code)
	}
}

// TestHostileActions (S18): names and words of others in every place of the new pages make no element and no attribute.
func TestHostileActions(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	names := hostileNames()
	for from := 0; from+40 <= 200; from += 40 {
		some := names[from : from+40]
		o := &d.now.Operations[0]
		o.Plan, o.Hotspot, o.Fix, o.Shard, o.By, o.Phase, o.Why, o.Held, o.Back = some[0], some[1], some[2], some[3], some[4], some[5], some[6], some[7], from%80 == 0
		o.Waits, o.Behind, o.Changes = some[8:10], some[10:12], []Change{{some[12], some[13], some[14]}}
		o.Undo, o.Stages[1].Name, o.Stages[1].Does = []Line{{1, some[15], some[16], o.Changes}}, some[17], some[18]
		d.lines, d.cannot = o.Undo, nil
		if from%80 == 0 {
			d.cannot, o.NoUndo = errors.New(some[19]), some[20]
		}
		d.now.Base, d.now.Entries, d.now.Fenced = some[21], []Entry{{some[22], some[23]}}, some[24:25]
		d.now.Doubled = []Doubled{{Name: some[33], Value: some[34]}}
		d.now.Clients, d.now.Approvers = []Client{{Name: some[26], Live: true}}, []string{"ann", some[27]}
		d.now.Barred = map[string]string{string(d.model.fleets[0].hot[d.hot()].plan.ID): some[28]}
		h := d.guarded()
		for _, reason := range some[29:33] {
			does(t, h, http.MethodPost, "/fleets/orders/actions", "ann", url.Values{"do": {"hold"}, "hotspot": {d.hot()}, "reason": {reason[:min(len(reason), 400)]}}.Encode(), "Content-Type", asForm)
		}
		for _, path := range []string{"/fleets/orders/actions", "/fleets/orders/routing", "/fleets/orders/hotspots/" + d.hot()} {
			pageOf(t, h, path, "ann")
		}
		for _, path := range []string{"actions", "routing"} {
			read[object](t, d.listened(&oracle{}), "/api/v1/fleets/orders/"+path)
		}
	}
}

// TestUndoIsCalledSo: a plan that takes something back, whose projection is of no fix, is called that, and not "nothing".
func TestUndoIsCalledSo(t *testing.T) {
	p := &plan{Plan: &line.Plan{Undo: true, Projection: line.Projection{Fix: policy.FixNone.String()}}}
	if got := words.Fix(p.fix()); got != "take a fix back" {
		t.Errorf("it is called %q", got)
	}
}
