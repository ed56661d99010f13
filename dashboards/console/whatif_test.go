package console

import (
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"firebreak/policy"
)

// TestLoadsOf: whatever is asked, the bars of what-if are the closed form: the hottest is what it says, and a key that is only written
// loses nothing by its salt.
func TestLoadsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := policy.Form{
			Share: rapid.Float64Range(0.001, 1).Draw(t, "share"), Rate: rapid.Float64Range(1, 1e9).Draw(t, "rate"), Shards: rapid.IntRange(1, 512).Draw(t, "shards"),
			Reads: rapid.SampledFrom([]float64{0, 0, 0.3, 1}).Draw(t, "reads"),
		}
		pieces := rapid.IntRange(1, 2000).Draw(t, "pieces")
		loads := loadsOf(f, pieces)
		top, sum := 0.0, 0.0
		for _, load := range loads {
			top, sum = max(top, load), sum+load
		}
		if len(loads) != f.Shards || math.Abs(top-f.Salted(pieces)) > 1e-6*top {
			t.Fatalf("%d shards, hottest %v, want %v", len(loads), top, f.Salted(pieces))
		}
		if f.Reads == 0 && math.Abs(sum-f.Rate) > 1e-6*f.Rate {
			t.Fatalf("sum %v, want %v", sum, f.Rate)
		}
	})
}

// TestWhatifPage: the form shows what was asked, the answer its bars; what cannot be meant is said beside the form, which keeps it.
func TestWhatifPage(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	h := served(t, f.model, &oracle{})
	text := textOf(t, get(t, h, "/whatif?share=12&rate=100000&shards=16&salt=4&reads=5").Body.String())
	for _, want := range []string{"Salt the key.", "salt of 4", "within the target", "32 shards", "over the target", "the key stays whole: 12,000/s"} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s", want)
		}
	}
	w := get(t, h, "/whatif?salt=0&share=%3Cb%3E")
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(textOf(t, body), "Salt: want a whole number from 1") || !strings.Contains(body, `value="&lt;b&gt;"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	page := get(t, h, "/fleets/orders/hotspots/"+f.model.fleets[0].order[0].id).Body.String()
	if !strings.Contains(page, `/whatif?share=`) || !strings.Contains(page, "&amp;salt=") {
		t.Error("the hotspot does not lead to what-if with its own numbers")
	}
}

// TestWhatifBegins: what-if begins with what the key has now, of a hotspot that is open and can be seen, and says of which time it is;
// else with the verdict's, and says that. Without a hotspot its numbers are an example, and what was typed is nobody's.
func TestWhatifBegins(t *testing.T) {
	f := watch(t, 16, "tenant,key")
	f.sources = append(f.sources, source{"shop-7", "cart:42", 0.25, func(pane int) float64 {
		switch {
		case pane < 12 || pane >= 60:
			return 0
		case pane < 24:
			return 800
		}
		return 900 // less than a quarter more: it is not told anew
	}})
	f.looked(nil).run(40)
	h := served(t, f.model, &oracle{})
	of := f.model.fleets[0]
	begins := func(want, says string) url.Values {
		t.Helper()
		href, as := of.whatifOf(of.order[0])
		if as != want {
			t.Fatalf("as %q, want %q", as, want)
		}
		page := get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String()
		if !strings.Contains(textOf(t, page), whatifText(want)) {
			t.Errorf("the hotspot's page does not say: %s", whatifText(want))
		}
		if text := textOf(t, get(t, h, href).Body.String()); !strings.Contains(text, says) {
			t.Errorf("what-if does not say %q: %.300s", says, text)
		}
		u, err := url.Parse(href)
		if err != nil {
			t.Fatal(err)
		}
		return u.Query()
	}
	// 900 of 1,600 + 900 in each second.
	q := begins(asNow, "It begins with the numbers of now: those of the newest window, up to 2026-03-01 12:06:40Z.")
	if q.Get("share") != "36.00" || q.Get("rate") != "2500" || q.Get("shards") != "16" || q.Get("reads") != "25" {
		t.Errorf("now: %v", q)
	}
	f.silent = []string{"requests/3"}
	f.run(42)
	q = begins(asVerdict, "It begins with the numbers of the verdict: those of its window, up to 2026-03-01 12:02:")
	if q.Get("share") != "33.33" || q.Get("rate") != "2400" {
		t.Errorf("at the verdict: %v", q)
	}
	f.silent = nil
	f.run(44)
	begins(asNow, "up to 2026-03-01 12:07:20Z.")
	f.run(90)
	if begins(asVerdict, "the numbers of the verdict"); of.order[0].open() {
		t.Error("it is not over")
	}
	for path, says := range map[string]bool{"/whatif": true, "/whatif?share=12": false} {
		if text := textOf(t, get(t, h, path).Body.String()); strings.Contains(text, "The numbers are an example.") != says || strings.Contains(text, "It begins with the numbers") {
			t.Errorf("%s: %.300s", path, text)
		}
	}
}

// FuzzRequest: no path and no query makes a page that is not well formed, an answer that is no JSON, or a failure of the server.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{"/", "/whatif", "/fleets/orders", "/fleets/orders/search", "/api/v1/hotspots", "/api/v1/search", "/fleets/or%64ers/hotspots/x", "/status"} {
		f.Add(seed, "key=a%5Cxff&tenant=%FF&hours=3&salt=4&fleet=orders&minutes=9")
	}
	m := fullDay(f, 4)
	h := served(f, m, &oracle{answer: Answer{3, 2, 4}})
	f.Fuzz(func(t *testing.T, path, query string) {
		if !strings.HasPrefix(path, "/") || path == "/events" || strings.HasPrefix(path, "/static/") {
			return
		}
		r := (&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: query}, Host: "localhost", Header: http.Header{}, RemoteAddr: "127.0.0.1:9"}).WithContext(t.Context())
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Fatalf("%q?%q: %d", path, query, w.Code)
		}
		if kind := w.Header().Get("Content-Type"); strings.HasPrefix(kind, "text/html") && w.Code != http.StatusMovedPermanently && w.Code != http.StatusTemporaryRedirect {
			parsed(t, w.Body.String())
		}
	})
}
