package httpsource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"firebreak/routing"
	"firebreak/routing/client"
	"firebreak/routing/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a-token-for-reading"

// origin is a source in memory.
type origin struct {
	mu   sync.Mutex
	doc  *routing.Document
	err  error
	held map[string]control.Confirmation
	asks []control.Head
}

func (o *origin) set(change func(o *origin)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(o)
}

func (o *origin) Head(context.Context) (control.Head, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return control.Head{Epoch: o.doc.Epoch, Version: o.doc.Version, Bytes: 1000, Clients: 2}, o.err
}

func (o *origin) Document(_ context.Context, atLeast control.Head) (*routing.Document, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asks = append(o.asks, atLeast)
	return o.doc, o.err
}

func (o *origin) Confirm(_ context.Context, c control.Confirmation) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.held[c.Client] = c
	}
	return o.err
}

// served is an origin behind a real server, under a path, and a source that reads from it.
func served(t *testing.T) (*origin, *Source, *httptest.Server) {
	t.Helper()
	d, err := routing.Adopt("f\xff", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	o := &origin{doc: d, held: map[string]control.Confirmation{}}
	server := httptest.NewServer(http.StripPrefix("/fleets", NewHandler(o, "another-token", token)))
	t.Cleanup(server.Close)
	s, err := New(server.URL+"/fleets/f", token, server.Client())
	if err != nil {
		t.Fatal(err)
	}
	return o, s, server
}

func TestRoundTrip(t *testing.T) {
	o, s, _ := served(t)
	head, err := s.Head(t.Context())
	if diff := cmp.Diff(control.Head{Version: 1, Bytes: 1000, Clients: 2}, head); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for range 3 { // the second and third time as before
		d, err := s.Document(t.Context(), control.Head{Epoch: 1 << 63, Version: 7})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o.doc, d); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]control.Head{{Epoch: 1 << 63, Version: 7}, {Epoch: 1 << 63, Version: 7}, {Epoch: 1 << 63, Version: 7}}, o.asks); diff != "" {
		t.Error(diff)
	}
	c := control.Confirmation{Client: "c\xfe/\n", Epoch: 3, Version: 1 << 63, Beat: 9}
	if err := s.Confirm(t.Context(), c); err != nil || o.held[c.Client] != c {
		t.Errorf("%v, %+v is held", err, o.held)
	}
	if err := s.Confirm(t.Context(), control.Confirmation{}); err == nil {
		t.Error("an empty confirmation is taken")
	}
}

// TestAsBefore: what did not change is not sent again, and what changed is.
func TestAsBefore(t *testing.T) {
	o, s, server := served(t)
	var bodies []int
	s.client.Transport = counting{server.Client().Transport, &bodies}
	for range 3 {
		if _, err := s.Document(t.Context(), control.Head{}); err != nil {
			t.Fatal(err)
		}
	}
	o.set(func(o *origin) { o.doc = o.doc.Clone(); o.doc.Version = 2 })
	d, err := s.Document(t.Context(), control.Head{})
	if err != nil || d.Version != 2 {
		t.Errorf("%v, version %d", err, d.Version)
	}
	if len(bodies) != 4 || bodies[0] == 0 || bodies[1] != 0 || bodies[2] != 0 || bodies[3] == 0 {
		t.Errorf("bodies of %v bytes, want the first and the changed one alone", bodies)
	}
}

type counting struct {
	http.RoundTripper

	bodies *[]int
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil {
		b, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		*c.bodies = append(*c.bodies, len(b))
		resp.Body = io.NopCloser(strings.NewReader(string(b)))
	}
	return resp, err
}

type slow struct{ time.Duration }

func (slow) Error() string               { return "slow down, 10.1.2.3" }
func (s slow) RetryAfter() time.Duration { return s.Duration }

// TestErrors: each error of the origin is one of its kind at the reader's end, and says nothing of where the origin is.
func TestErrors(t *testing.T) {
	o, s, _ := served(t)
	for _, tt := range []struct {
		err   error
		none  bool
		after time.Duration // 0 = it does not ask
	}{
		{fmt.Errorf("table at 10.1.2.3: %w", control.ErrNone), true, 0},
		{slow{1500 * time.Millisecond}, false, 2 * time.Second},
		{slow{time.Hour}, false, longestAsked},
		{errors.New("dial 10.1.2.3: refused"), false, askAgain},
	} {
		o.set(func(o *origin) { o.err = tt.err })
		_, errHead := s.Head(t.Context())
		_, errDocument := s.Document(t.Context(), control.Head{})
		errConfirm := s.Confirm(t.Context(), control.Confirmation{Client: "c", Version: 1})
		for what, err := range map[string]error{"head": errHead, "document": errDocument, "confirm": errConfirm} {
			var throttled *Throttled
			asks := errors.As(err, &throttled)
			if errors.Is(err, control.ErrNone) != tt.none || asks != (tt.after > 0) || asks && throttled.RetryAfter() != tt.after {
				t.Errorf("%s: %v for %v", what, err, tt.err)
			}
			if strings.Contains(err.Error(), "10.1.2.3") {
				t.Errorf("%s: %v says where the origin is", what, err)
			}
		}
	}
}

// TestRefused: who has no token, and what is no request of ours.
func TestRefused(t *testing.T) {
	_, _, server := served(t)
	for _, tt := range []struct {
		method, path, auth, body string
		want                     int
	}{
		{"GET", "/fleets/f/head", "", "", http.StatusUnauthorized},
		{"GET", "/fleets/f/head", "Bearer " + token[1:], "", http.StatusUnauthorized},
		{"GET", "/fleets/f/head", "Basic " + token, "", http.StatusUnauthorized},
		{"GET", "/fleets/f/head", "bearer " + token, "", http.StatusOK},
		{"GET", "/fleets/f/head", "Bearer another-token", "", http.StatusOK},
		{"POST", "/fleets/f/head", "Bearer " + token, "", http.StatusMethodNotAllowed},
		{"GET", "/fleets/f/confirmations", "Bearer " + token, "", http.StatusMethodNotAllowed},
		{"GET", "/fleets/f/document?version=-1", "Bearer " + token, "", http.StatusBadRequest},
		{"GET", "/fleets/f", "Bearer " + token, "", http.StatusNotFound},
		{"PUT", "/fleets/f/confirmations", "Bearer " + token, "{}", http.StatusBadRequest},
		{"PUT", "/fleets/f/confirmations", "Bearer " + token, "{" + strings.Repeat(" ", maxConfirmation), http.StatusRequestEntityTooLarge},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", tt.auth)
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s %s %q: %d, want %d", tt.method, tt.path, tt.auth, resp.StatusCode, tt.want)
		}
	}
}

func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"https://firebreak.example/fleets/f": "", "http://127.0.0.1:9465/f": "", "http://[::1]/f": "", "http://localhost/f": "",
		"http://firebreak.example/f": "unencrypted", "ftp://h": "want http", "firebreak.example": "want http", "https://u:p@h/": "neither a user",
		"https://h/?a": "neither",
	} {
		_, err := New(address, token, nil)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), token)) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestHostileServer: a server that sends too much, sends on, redirects or lies costs an error each.
func TestHostileServer(t *testing.T) {
	var answer http.HandlerFunc
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
	defer server.Close()
	s, err := New(server.URL, token, server.Client())
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]http.HandlerFunc{
		"too much": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat(" ", routing.MaxDocumentBytes+1))
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/stolen") {
				t.Error("the redirect is followed")
			}
			http.Redirect(w, r, "/stolen", http.StatusFound)
		},
		"304 of nothing":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
		"not found at all": http.NotFound,
		"no document":      func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[]`) },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{`)
		},
	} {
		answer = tt
		_, errHead := s.Head(t.Context())
		_, errDocument := s.Document(t.Context(), control.Head{})
		if errHead == nil || errDocument == nil || errors.Is(errDocument, control.ErrNone) {
			t.Errorf("%s: %v, %v", name, errHead, errDocument)
		}
	}
}

// TestRouter: a Router follows a fleet over a real connection.
func TestRouter(t *testing.T) {
	o, s, _ := served(t)
	cfg := client.Default()
	cfg.Fleet, cfg.Name, cfg.Poll, cfg.StaleAfter = "f\xff", "one", 20*time.Millisecond, time.Minute
	r, err := client.Open(t.Context(), s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o.set(func(o *origin) { o.doc = o.doc.Clone(); o.doc.Version = 2; o.doc.Stop = true })
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		o.mu.Lock()
		held := o.held["one"].Version
		o.mu.Unlock()
		if held == 2 && r.Table().Document().Stop && !r.Stale() {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Fatalf("status %+v, version %d is confirmed", r.Status(), held)
		}
	}
}
