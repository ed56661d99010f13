package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"firebreak/internal/access"
)

// asked asks for a path with some headers, in pairs.
func asked(t *testing.T, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Host = "localhost:9465"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestForeign: what a page of another site asks for by itself is refused, of every path, and makes no report; a link to a page may be
// followed from anywhere.
func TestForeign(t *testing.T) {
	f := hotKey(t).looked(nil).run(80)
	c := &chronicler{watched: f}
	h := f.reported(c)
	const site, mode, dest = "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest"
	for _, from := range []string{"cross-site", "same-site"} {
		for _, path := range []string{"/", "/status", "/fleets/orders", "/events", "/api/v1/fleets", "/reports/html?last=1h"} {
			for _, how := range [][2]string{{"no-cors", "image"}, {"cors", "empty"}, {"navigate", "iframe"}} {
				if w := asked(t, h, path, site, from, mode, how[0], dest, how[1]); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "cart:42") {
					t.Errorf("%s by %s as %s: %d", path, from, how, w.Code)
				}
			}
		}
		if w := asked(t, h, "/fleets/orders", site, from, mode, "navigate", dest, "document"); w.Code != http.StatusOK {
			t.Errorf("a link to a page, %s: %d", from, w.Code)
		}
		if w := asked(t, h, "/reports/html?last=1h", site, from, mode, "navigate", dest, "document"); w.Code != http.StatusForbidden {
			t.Errorf("a link that makes a report, %s: %d", from, w.Code)
		}
	}
	if len(c.asked) != 0 {
		t.Errorf("%d reports were made for other sites", len(c.asked))
	}
	for _, from := range []string{"same-origin", "none"} {
		if w := asked(t, h, "/reports/json?last=10m", site, from, mode, "navigate", dest, "document"); w.Code != http.StatusOK {
			t.Errorf("%s: %d", from, w.Code)
		}
	}
}

// TestRefusedForPeople: who opens a page that is refused reads a sentence, and nothing of the fleets; programs read JSON, and Markdown's
// errors are text.
func TestRefusedForPeople(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	cfg := &access.Config{Listen: "127.0.0.1:0", Tokens: []access.Token{{Name: "ops", Token: "sentinel-token-7f3a9c"}}}
	guarded, err := newHandler(cfg, f.model, &oracle{}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	open := f.reported(&chronicler{watched: f})
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	for _, tt := range []struct {
		name, path, accept string
		h                  http.Handler
		status             int
		kind, says         string
	}{
		{"no token, a browser", "/fleets/orders", browser, guarded, 401, "text/html; charset=utf-8", "<h1>Unauthorized</h1><p>No token, or none that is known.</p>"},
		{"no token, a program", "/fleets/orders", "", guarded, 401, "application/json", "no token"},
		{"no token, the API in a browser", "/api/v1/fleets", browser, guarded, 401, "application/json", "no token"},
		{"Markdown, a program", "/reports/md?last=x", "*/*", open, 400, "text/plain; charset=utf-8", "Last x: want minutes"},
		{"Markdown, a browser", "/reports/md?last=x", browser, open, 400, "text/html; charset=utf-8", "Last x: want minutes"},
		{"JSON, a browser", "/reports/json?last=x", browser, open, 400, "application/json", "last x: want minutes"},
	} {
		w := asked(t, tt.h, tt.path, "Accept", tt.accept)
		if w.Code != tt.status || w.Header().Get("Content-Type") != tt.kind || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s: %d %s %s", tt.name, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		if tt.status == 401 && strings.Contains(w.Body.String(), "orders") {
			t.Errorf("%s: it names the fleet: %s", tt.name, w.Body)
		}
	}
}

// TestBesideIsDocumented: the document names the stream and the reports too, with the types that they are sent as.
func TestBesideIsDocumented(t *testing.T) {
	f := hotKey(t).looked(nil).run(80)
	h := f.reported(&chronicler{watched: f})
	paths := read[object](t, h, "/api/v1/openapi.json")["paths"].(object)
	content := func(path, status string) object {
		return paths[path].(object)["get"].(object)["responses"].(object)[status].(object)["content"].(object)
	}
	if content("/events", "200")["text/event-stream"] == nil {
		t.Error("/events is described as something else")
	}
	for form := range forms() {
		for query, status := range map[string]string{"last=10m": "200", "last=x": "default"} {
			kind, _, _ := strings.Cut(asked(t, h, "/reports/"+form+"?"+query).Header().Get("Content-Type"), ";")
			if content("/reports/"+form, status)[kind] == nil {
				t.Errorf("%s of %s is sent as %s: %v", status, form, kind, content("/reports/"+form, status))
			}
		}
		for _, p := range paths["/reports/"+form].(object)["get"].(object)["parameters"].([]any) {
			name := p.(object)["name"].(string)
			if w := asked(t, h, "/reports/"+form+"?"+name+"=1&"+name+"=2", "Accept", "text/plain"); !strings.Contains(w.Body.String(), "stands twice") {
				t.Errorf("%s: %s is not known: %s", form, name, w.Body)
			}
		}
	}
}
