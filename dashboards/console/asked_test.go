package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"firebreak/internal/access"
	"firebreak/routing/control"
)

const (
	asJSON = "application/json"
	asForm = "application/x-www-form-urlencoded"
)

// subjects are what each word may be about, as JSON and as a form.
func (d *desk) subjects() map[control.Do][2]string {
	plan, hotspot := string(d.model.fleets[0].hot[d.hot()].plan.ID), d.hot()
	of := func(name, value string) [2]string {
		text := fmt.Sprintf("%q", value)
		if name == "operation" {
			text = value
		}
		return [2]string{fmt.Sprintf(`,%q:%s`, name, text), "&" + name + "=" + url.QueryEscape(value)}
	}
	return map[control.Do][2]string{
		control.DoApprove: of("plan", plan), control.DoReject: of("plan", plan), control.DoHold: of("hotspot", hotspot), control.DoRollback: of("operation", "1"), control.DoStop: {}, control.DoResume: {},
	}
}

// origin is where a request comes from, as its headers say.
type origin struct {
	name    string
	headers []string
	ours    bool // what is asked for from there may be carried out
	blind   bool // nothing is read there
}

func origins() []origin {
	const site, from = "Sec-Fetch-Site", "Origin"
	return []origin{
		{"a program", nil, true, false},
		{"our page", []string{site, "same-origin", from, "http://localhost:9465"}, true, false},
		{"our page, an old browser", []string{from, "http://localhost:9465"}, true, false},
		{"the address bar", []string{site, "none"}, true, false},
		{"another site", []string{site, "cross-site", from, "https://evil.example"}, false, true},
		{"a form or a link of another site", []string{site, "cross-site", from, "https://evil.example", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, false, false},
		{"a site beside", []string{site, "same-site", from, "http://localhost:1"}, false, true},
		{"another site, an old browser", []string{from, "https://evil.example"}, false, false},
		{"a sandbox, an old browser", []string{from, "null"}, false, false},
	}
}

// status is what a request is answered with: of a way to have something changed, by a method, from somewhere, by somebody, for something.
func (o *origin) status(kind, method, who string, do control.Do) (status int, heard bool) {
	easy := do == control.DoHold || do == control.DoStop
	may := who == "ann" || who == "bob" || who == "olaf" && easy
	switch {
	case method != "POST" && method != "GET":
		return http.StatusMethodNotAllowed, false
	case who == "":
		return http.StatusUnauthorized, false
	case method == "GET" && !o.blind:
		return http.StatusOK, false
	case method == "GET" || !o.ours || !may:
		return http.StatusForbidden, false
	case who == "bob" && !easy: // he is not listed
		return http.StatusConflict, true
	case kind == asForm:
		return http.StatusSeeOther, true
	}
	return http.StatusOK, true
}

// TestWhoMayAsk: every way to have something changed x by whom x what x from where x how: only who is known by name, whose role may, from
// our own page or from no page, by POST, is heard, and in that name; of approvals only who is listed is not refused.
func TestWhoMayAsk(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h, first := d.guarded(), d.state
	try := func(path, kind, method, who string, from *origin) {
		d.state, d.said = first.Copy(), nil
		for do, subject := range d.subjects() {
			body := fmt.Sprintf(`{"do":%q,"reason":"seen"%s}`, do, subject[0])
			if kind == asForm {
				body = "do=" + do.String() + "&reason=seen" + subject[1]
			}
			before := len(d.said)
			w := does(t, h, method, path, who, body, append([]string{"Content-Type", kind}, from.headers...)...)
			want, heard := from.status(kind, method, who, do)
			if w.Code != want {
				t.Errorf("%s %s of %s by %q from %s: %d, want %d: %s", method, path, do, who, from.name, w.Code, want, w.Body)
			}
			if got := len(d.said) > before; got != heard {
				t.Errorf("%s %s of %s by %q from %s: heard: %v", method, path, do, who, from.name, got)
			} else if got && d.said[before].By != who {
				t.Errorf("%s is heard as %s", who, d.said[before].By)
			}
		}
		if method != "POST" && d.state.Document.Version != first.Document.Version {
			t.Errorf("%s %s changed something", method, path)
		}
	}
	for path, kind := range map[string]string{"/api/v1/fleets/orders/actions": asJSON, "/fleets/orders/actions": asForm} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"} {
			for _, who := range []string{"", "vera", "olaf", "bob", "ann"} {
				for _, from := range origins() {
					try(path, kind, method, who, &from)
				}
			}
		}
	}
}

// TestNoWord: what is not a word of a person is refused before anybody is asked, with what is wrong.
func TestNoWord(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.guarded()
	plan := string(d.model.fleets[0].hot[d.hot()].plan.ID)
	for _, tt := range []struct {
		kind, body string
		status     int
		says       string
	}{
		{"text/plain", `{"do":"stop","reason":"x"}`, 415, "want application/json"},
		{"multipart/form-data; boundary=x", "", 415, "want application/json"},
		{"", `{"do":"stop","reason":"x"}`, 415, "want application/json"},
		{asJSON, `{"do":"stop","reason":"` + strings.Repeat("x", maxBody) + `"}`, 413, "larger than 8192 bytes"},
		{asJSON, `{"do":"stop"}`, 400, "reason: want why"},
		{asJSON, `{"do":"stop","reason":"  "}`, 400, "reason: want why"},
		{asJSON, `{"do":"stop","reason":"` + strings.Repeat("x", 501) + `"}`, 400, "1 to 500 bytes"},
		{asJSON, `{"do":"act","reason":"x"}`, 400, "do: want approve"},
		{asJSON, `{"do":"set","reason":"x"}`, 400, "do: want approve"},
		{asJSON, `{"do":"","reason":"x"}`, 400, "do: want approve"},
		{asJSON, `{"do":"stop","reason":"x","plan":"7c"}`, 400, "it is of the fleet"},
		{asJSON, `{"do":"stop","reason":"x","by":"ann"}`, 400, "unknown field"},
		{asJSON, `{"do":"stop","reason":"x"}{}`, 400, "goes on"},
		{asJSON, `do=stop&reason=x`, 400, "cannot be read"},
		{asJSON, `{"do":"approve","reason":"x"}`, 400, "approve: want one plan"},
		{asJSON, `{"do":"approve","reason":"x","plan":"` + plan + `","operation":1}`, 400, "want one plan"},
		{asJSON, `{"do":"approve","reason":"x","plan":"nope"}`, 404, "there is no plan nope now"},
		{asJSON, `{"do":"hold","reason":"x","hotspot":"nope"}`, 404, "no hotspot nope is open"},
		{asJSON, `{"do":"rollback","reason":"x","hotspot":"` + d.hot() + `"}`, 400, "not of a hotspot"},
		{asJSON, `{"do":"rollback","reason":"x","operation":-1}`, 400, "cannot be read"},
		{asForm, "do=stop&reason=x&by=ann", 400, "field by is not known"},
		{asForm, "do=stop&do=resume&reason=x", 400, "stands twice"},
		{asForm, "do=rollback&operation=x&reason=x", 400, "operation: want its number"},
		{asForm, "do=stop&reason=%zz", 400, "cannot be read"},
	} {
		for _, path := range []string{"/api/v1/fleets/orders/actions", "/fleets/orders/actions"} {
			w := does(t, h, "POST", path, "ann", tt.body, "Content-Type", tt.kind)
			text := strings.ToLower(w.Body.String())
			if w.Code != tt.status || !strings.Contains(text, strings.ToLower(tt.says)) {
				t.Errorf("%s %.60s: %d %s, want %d %s", tt.kind, tt.body, w.Code, text, tt.status, tt.says)
			}
		}
	}
	if w := does(t, h, "POST", "/api/v1/fleets/nope/actions", "ann", `{"do":"stop","reason":"x"}`, "Content-Type", asJSON); w.Code != 404 {
		t.Errorf("no such fleet: %d", w.Code)
	}
	if w := does(t, h, "POST", "/api/v1/fleets/orders/actions?do=stop", "ann", `{"do":"stop","reason":"x"}`, "Content-Type", asJSON); w.Code != 400 {
		t.Errorf("a query: %d", w.Code)
	}
	if len(d.said) != 0 {
		t.Errorf("%d were heard", len(d.said))
	}
}

// TestNobodyByName: where nobody has to say who they are nothing can be changed, and the answer says what to configure.
func TestNobodyByName(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.listened(&oracle{})
	for path, kind := range map[string]string{"/api/v1/fleets/orders/actions": asJSON, "/fleets/orders/actions": asForm} {
		w := does(t, h, "POST", path, "", "do=stop&reason=x", "Content-Type", kind)
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "console.tokens or console.proxy") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	page := get(t, h, "/fleets/orders/actions").Body.String()
	if strings.Contains(page, `method="post"`) || !strings.Contains(page, "console.tokens or console.proxy") {
		t.Errorf("the page of who is not known: %s", page)
	}
	if len(d.said) != 0 {
		t.Errorf("%d were heard", len(d.said))
	}
}

// TestAnswers: what became of a word comes back: carried out, refused by who decides, or not answered.
func TestAnswers(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	h := d.guarded()
	const path = "/api/v1/fleets/orders/actions"
	say := func(body string) (int, string) {
		w := does(t, h, "POST", path, "ann", body, "Content-Type", asJSON)
		return w.Code, w.Body.String()
	}
	if code, text := say(`{"do":"stop","reason":"the disks burn"}`); code != 200 || !strings.Contains(text, fmt.Sprintf(`"version":%d`, d.state.Document.Version)) {
		t.Errorf("%d %s", code, text)
	}
	if code, text := say(`{"do":"approve","operation":1,"reason":"go on"}`); code != 409 || !strings.Contains(text, "refused: operation 1 is not held") {
		t.Errorf("%d %s", code, text)
	}
	d.err = fmt.Errorf("%w within 20s", ErrUnanswered)
	if code, text := say(`{"do":"resume","reason":"x"}`); code != 504 || !strings.Contains(text, "nobody answered within 20s") {
		t.Errorf("%d %s", code, text)
	}
	d.err = errors.New("the store is away")
	if code, text := say(`{"do":"resume","reason":"x"}`); code != 502 || !strings.Contains(text, "the store is away") {
		t.Errorf("%d %s", code, text)
	}
}

// crowd is who decides and takes its time: it answers when all have asked that may.
type crowd struct {
	*desk

	asked chan struct{}
	open  chan struct{}
}

func (c *crowd) Say(context.Context, string, *control.Request) (control.Answer, error) {
	c.asked <- struct{}{}
	<-c.open
	return control.Answer{Version: 1}, nil
}

// TestCrowd: as many wait for an answer as may, and one more is told to come again.
func TestCrowd(t *testing.T) {
	c := &crowd{hotKey(t).looked(nil).run(30).decided(), make(chan struct{}, maxAsking), make(chan struct{})}
	h := c.guardedBy(c)
	ask := func() *httptest.ResponseRecorder {
		return does(t, h, "POST", "/api/v1/fleets/orders/actions", "ann", `{"do":"stop","reason":"x"}`, "Content-Type", asJSON)
	}
	var waiting sync.WaitGroup
	for range maxAsking {
		waiting.Go(func() {
			if w := ask(); w.Code != http.StatusOK {
				t.Errorf("one that waited: %d", w.Code)
			}
		})
	}
	for range maxAsking {
		<-c.asked
	}
	if w := ask(); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", w.Code, w.Body)
	}
	close(c.open)
	waiting.Wait()
	if w := ask(); w.Code != http.StatusOK {
		t.Errorf("after them: %d %s", w.Code, w.Body)
	}
}

// FuzzWord: no body makes a word that is more than it says, and none breaks the reader.
func FuzzWord(f *testing.F) {
	f.Add([]byte(`{"do":"approve","plan":"7c","reason":"x"}`))
	f.Add([]byte(`do=hold&operation=12&reason=a+b`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, read := range []func([]byte) (*word, error){wordOfJSON, wordOfForm} {
			said, err := read(body)
			if (said == nil) == (err == nil) {
				t.Fatalf("%v, %v", said, err)
			}
			if said != nil && len(said.Do)+len(said.Plan)+len(said.Hotspot)+len(said.Reason) > 3*len(body) {
				t.Fatalf("%d bytes made %v", len(body), said)
			}
		}
	})
}

// TestAskingIsDocumented: the document names what may be asked for, and no more; the answers are what it says.
func TestAskingIsDocumented(t *testing.T) {
	d := hotKey(t).looked(nil).run(30).decided()
	post := read[object](t, d.listened(&oracle{}), "/api/v1/openapi.json")["paths"].(object)["/api/v1/fleets/{fleet}/actions"].(object)["post"].(object)
	bodies := post["requestBody"].(object)["content"].(object)
	schema := bodies[asJSON].(object)["schema"].(object)
	if len(bodies) != 2 || bodies[asForm] == nil {
		t.Errorf("bodies: %v", bodies)
	}
	named := map[string]bool{}
	for _, do := range schema["properties"].(object)["do"].(object)["enum"].([]any) {
		named[do.(string)] = true
	}
	for do := control.DoUnknown; do <= control.DoAct; do++ {
		if may := roleFor(do) != access.RoleNone; may != named[do.String()] {
			t.Errorf("%s: may be asked for: %v, named: %v", do, may, named[do.String()])
		}
	}
	const path = "/api/v1/fleets/orders/actions"
	for body, status := range map[string]string{`{"do":"stop","reason":"x"}`: "200", `{"do":"stop"}`: "default"} {
		var v any
		if err := json.Unmarshal(does(t, d.guarded(), "POST", path, "ann", body, "Content-Type", asJSON).Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		answer := post["responses"].(object)[status].(object)["content"].(object)[asJSON].(object)["schema"].(object)
		if status == "default" {
			answer = read[object](t, d.listened(&oracle{}), "/api/v1/openapi.json")["components"].(object)["schemas"].(object)["Problem"].(object)
		}
		fits(t, body, answer, v)
	}
}
