package console

import (
	"html"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// TestFleets: with several fleets the first page lists them, each with its sentence and a link to its own page.
func TestFleets(t *testing.T) {
	m := New([]Fleet{{Name: "orders"}, {Name: "carts/eu"}}, nil)
	h := served(t, m, &oracle{})
	page := get(t, h, "/").Body.String()
	if text := textOf(t, page); strings.Count(text, "Nothing is judged yet") != 2 {
		t.Errorf("said: %s", text)
	}
	for _, path := range []string{"/fleets/orders", "/fleets/carts%2Feu"} {
		if !strings.Contains(page, `href="`+path+`"`) {
			t.Errorf("no link to %s", path)
		}
		if w := get(t, h, path); w.Code != 200 || !strings.Contains(w.Body.String(), `href="`+path+`" aria-current="page"`) {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestLinkOfMessages: the address that messages have of a hotspot is that of its page.
func TestLinkOfMessages(t *testing.T) {
	f := hotKey(t)
	f.name = "orders/eu"
	f.looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	guide := &notify.Guide{External: "https://firebreak.example.com/"}
	for i := range f.journal {
		e := &f.journal[i]
		if e.Kind != actuator.KindVerdict {
			continue
		}
		links := guide.Message(&notify.Notice{Entry: e}).Links
		if len(links) == 0 {
			t.Fatal("the message has no link")
		}
		path := strings.TrimPrefix(links[0].URL, "https://firebreak.example.com")
		if w := get(t, h, path); w.Code != 200 || !strings.Contains(w.Body.String(), "cart:42") {
			t.Errorf("%s: %d", path, w.Code)
		}
		return
	}
	t.Fatal("no verdict in the journal")
}

// TestRelief: the page says when the relief of the fix comes, as messages do.
func TestRelief(t *testing.T) {
	f := hotKey(t)
	f.looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	for i := range f.journal {
		e := &f.journal[i]
		if e.Kind != actuator.KindVerdict {
			continue
		}
		guide := &notify.Guide{Times: map[string]notify.Times{e.Fleet: {Window: time.Minute, Calm: f.cfg.Resolve}}}
		text := guide.Message(&notify.Notice{Entry: e}).Text.String()
		_, relief, ok := strings.Cut(text, "Relief comes ")
		if !ok || !strings.HasSuffix(relief, " after that the hotspot is over.") {
			t.Fatalf("the message says %s", text)
		}
		if page := get(t, h, "/fleets/"+e.Fleet+"/hotspots/"+e.Hotspot).Body.String(); !strings.Contains(page, html.EscapeString(relief)) {
			t.Errorf("the page does not say %s", relief)
		}
		return
	}
	t.Fatal("no verdict in the journal")
}
