package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"firebreak/routing"
)

// TestServedIsDocumented: every path of the document is served, with the parameters that it names, and what is served has the members
// that it says, no more and no less.
func TestServedIsDocumented(t *testing.T) {
	f := hotKey(t).looked(nil).run(30)
	status := Status{Instance: "here-1", Conditions: []Condition{{"a", ""}, {"b", "not yet"}}, Topics: []Topic{{"orders", "main/requests", 3, time.Second}}, Routing: []Routing{{Fleet: "orders", Version: 2, Stopped: true, By: "ann", Reason: "fire"}}}
	d := f.decided()
	d.heard(t)
	h := d.listened(&oracle{answer: Answer{10, 9, 11}, status: status})
	doc := read[object](t, h, "/api/v1/openapi.json")
	paths := doc["paths"].(object)
	if want := len((&api{}).routes()) + 1 + len(forms()); len(paths) != want {
		t.Errorf("%d paths are described, %d are served", len(paths), want)
	}
	asked := map[string]string{
		"/api/v1/hotspots/{id}": "/api/v1/hotspots/" + f.model.fleets[0].order[0].id, "/api/v1/search": "/api/v1/search?key=cart:42&tenant=shop-7",
		"/api/v1/whatif": "/api/v1/whatif?share=12%25&rate=1&shards=16", "/api/v1/fleets/{fleet}/actions": "/api/v1/fleets/orders/actions", "/api/v1/fleets/{fleet}/routing": "/api/v1/fleets/orders/routing",
	}
	for path, described := range paths {
		if !strings.HasPrefix(path, "/api/") {
			continue // see TestBesideIsDocumented
		}
		at := path
		if asked[path] != "" {
			at = asked[path]
		}
		w := get(t, h, at)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v %s", at, w.Code, w.Header(), w.Body)
			continue
		}
		var v any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		get := described.(object)["get"].(object)
		fits(t, path, get["responses"].(object)["200"].(object)["content"].(object)["application/json"].(object)["schema"].(object), v)
		for _, p := range get["parameters"].([]any) {
			if p.(object)["in"] == "query" {
				name := p.(object)["name"].(string)
				if w := httptest.NewRecorder(); !strings.Contains(at, "?") {
					r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, at+"?"+name+"=1&"+name+"=2", nil)
					r.Host = "localhost"
					if h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), "stands twice") {
						t.Errorf("%s: %s is not known: %s", path, name, w.Body)
					}
				}
			}
		}
	}
}

// fits checks a value against the part of JSON Schema that the document uses.
func fits(t *testing.T, at string, schema object, v any) {
	t.Helper()
	if either, ok := schema["anyOf"].([]any); ok {
		if v != nil {
			fits(t, at, either[0].(object), v)
		}
		return
	}
	right := false
	switch kind := schema["type"]; v := v.(type) {
	case string:
		right = kind == "string"
	case bool:
		right = kind == "boolean"
	case float64:
		right = kind == "number" || kind == "integer" && v == float64(int64(v))
	case []any:
		right = kind == "array"
		for i, e := range v {
			fits(t, fmt.Sprintf("%s[%d]", at, i), schema["items"].(object), e)
		}
	case object:
		right = kind == "object"
		properties, closed := schema["properties"].(object)
		if !closed {
			break
		}
		for name, e := range v {
			if s, ok := properties[name].(object); ok {
				fits(t, at+"."+name, s, e)
			} else {
				t.Errorf("%s.%s is not described", at, name)
			}
		}
		for _, name := range schema["required"].([]any) {
			if _, ok := v[name.(string)]; !ok {
				t.Errorf("%s.%s is missing", at, name)
			}
		}
	}
	if !right {
		t.Errorf("%s: %T, want %v", at, v, schema["type"])
	}
}

// TestRefused: what cannot be answered says why, as JSON on the API and as a page for people.
func TestRefused(t *testing.T) {
	f := hotKey(t).looked(nil).run(10)
	two := New([]Fleet{{Name: "a"}, {Name: "b"}}, nil)
	one, many := served(t, f.model, &oracle{}), served(t, two, &oracle{})
	for _, tt := range []struct {
		h      http.Handler
		path   string
		status int
		why    string
	}{
		{one, "/api/v1/hotspots?flet=x", 400, "did you mean fleet?"},
		{one, "/api/v1/hotspots?state=opne", 400, "want open or resolved"},
		{one, "/api/v1/hotspots?limit=201", 400, "from 1 to 200"},
		{one, "/api/v1/hotspots?fleet=nope", 404, "there is no fleet nope"},
		{one, "/api/v1/hotspots/nope%3Cb%3E", 404, "there is no hotspot nope<b>"},
		{one, "/api/v1/heatmap?minutes=0", 400, "from 1 to 1440"},
		{many, "/api/v1/heatmap", 400, "fleet: want the name of one, there are 2"},
		{one, "/api/v1/search", 400, "an empty key is no key"},
		{one, "/api/v1/search?key=cart:42", 400, "name both"},
		{one, "/api/v1/search?key=cart:42&tenant=", 400, "name both"},
		{one, `/api/v1/search?key=a%5Cq`, 400, "a backslash is written"},
		{many, "/api/v1/search?fleet=a&key=x", 503, "no window yet"},
		{one, "/api/v1/status?x=1", 400, "this takes none"},
		{one, "/api/v1/", 404, "openapi.json"},
		{one, "/api/v1/search?key=" + strings.Repeat("k", maxQuery), 400, "at most 8192"},
		{one, "/nope", 404, "There is no such page."},
		{one, "/fleets/nope", 404, "There is no fleet nope."},
		{one, "/fleets/orders/hotspots/nope", 404, "There is no hotspot nope"},
		{one, "/?hours=25", 400, "from 1 to 24"},
		{one, "/api/v1/hotspots?fleet=orders;state=open", 400, "parted by &"},
		{one, "/api/v1/hotspots?fleet=%", 400, "cannot be read"},
		{one, "/api/v1/fleets?%zz", 400, "cannot be read"},
		{one, "/?hours=3;x=1", 400, "parted by &"},
		{one, "/?hour=3", 400, "did you mean hours?"},
		{one, "/fleets/orders/search?name=x", 400, "Parameter name is not known; there is key, tenant."},
		{one, "/whatif?hours=3", 400, "Parameter hours is not known"},
		{one, "/status?x=1", 400, "this takes none."},
		{one, "/reports?from=2026-03-01", 400, "this takes none."},
	} {
		w := get(t, tt.h, tt.path)
		said := w.Body.String()
		if strings.HasPrefix(tt.path, "/api/") {
			var p problemAnswer
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error.Status != tt.status {
				t.Errorf("%s: %v %s", tt.path, err, said)
			}
			said = string(p.Error.Reason)
		} else {
			said = textOf(t, said)
		}
		if w.Code != tt.status || !strings.Contains(said, tt.why) {
			t.Errorf("%.60s: %d %s\nwant %d ... %s", tt.path, w.Code, said, tt.status, tt.why)
		}
	}
	if w := get(t, served(t, f.model, &oracle{err: fmt.Errorf("share: want more")}), "/api/v1/whatif?share=x"); w.Code != 400 || !strings.Contains(w.Body.String(), "share: want more") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestNamesComeBack (S19): keys of any bytes are valid JSON, two that differ in one bad byte stay two, and the key that the API gave is
// taken back as it is.
func TestNamesComeBack(t *testing.T) {
	keys := []string{"\x00\x0a\x1b[2J\xff\xfe", "a\xff", "a\xfe", `a\xff`, "\u202ek", strings.Repeat("k", 1000)}
	f := watch(t, 4, "key").looked(nil)
	for _, k := range keys {
		f.sources = append(f.sources, source{"t", k, 0, steady(1)})
	}
	f.run(8)
	seen := map[string]bool{}
	for _, k := range keys {
		o := &oracle{answer: Answer{10, 9, 11}}
		w := get(t, served(t, f.model, o), "/api/v1/search?key="+url.QueryEscape(routing.Escape(k)))
		var v struct{ Key, Shard, Where string }
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != 200 {
			t.Fatalf("%q: %d %v", k, w.Code, err)
		}
		back, err := routing.Unescape(v.Key)
		if err != nil || back != k || seen[v.Key] {
			t.Errorf("%q came back as %q (%v)", k, v.Key, err)
		}
		seen[v.Key] = true
		if !slices.Contains(o.asked, [2]string{"", k}) {
			t.Errorf("asked for %q", o.asked)
		}
		want := f.table.Document().Shards[f.table.Locate(nil, []byte(k)).Shard].Name
		if v.Shard != want || !strings.HasPrefix(v.Where, "On virtual shard ") {
			t.Errorf("%q is on %s, want %s; %s", k, v.Shard, want, v.Where)
		}
	}
}

// TestSearch: what a person reads of a key that was looked up, and where it lies.
func TestSearch(t *testing.T) {
	f := watch(t, 16, "tenant,key").looked(nil).run(31)
	h := served(t, f.model, &oracle{answer: Answer{27_000, 26_000, 28_000}})
	text := textOf(t, get(t, h, "/fleets/orders/search?key=cart:42&tenant=shop-7").Body.String())
	for _, want := range []string{"The key cart:42 of tenant shop-7 has about 90/s.", "27,000 in the last 5:00: at least 26,000, at most 28,000.", "5.6 % (5.4 % to 5.8 %) of the fleet’s load.", "On shard shard-"} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s\n%s", want, text)
		}
	}
	for path, want := range map[string]string{
		"/fleets/orders/search?key=cart:42": "A key is told by its tenant and itself here: name both.", "/fleets/orders/search?tenant=shop-7": "The placement spreads the keys of a tenant over all shards.",
		"/fleets/orders/search?key=a%5C": "A backslash is written", "/fleets/orders/search": "Any name, heavy or not.",
	} {
		if text := textOf(t, get(t, h, path).Body.String()); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
	whole := watch(t, 8, "tenant").looked(nil).run(8)
	text = textOf(t, get(t, served(t, whole.model, &oracle{}), "/fleets/orders/search?tenant=shop-7").Body.String())
	if !strings.Contains(text, "has nothing in the window") || !strings.Contains(text, "On virtual shard") {
		t.Errorf("of a tenant that is placed whole: %s", text)
	}
}
