package registry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// answering is a registry that gives one answer, with the errors as Confluent's writes them.
func answering(t *testing.T, status int, body string) *httptest.Server {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	})
}

func serving(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func mustClient(t *testing.T, o Options) *Client {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestClientAnswers: every answer of a registry is a schema, its word that there is none, or a failure that says what is wrong.
func TestClientAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		want   string // the schema, or what the error says
		word   bool   // the error is the registry's word
	}{
		"avro":        {200, `{"schema":"\"long\""}`, `AVRO "long"`, false},
		"protobuf":    {200, `{"schemaType":"PROTOBUF","schema":"syntax = \"proto3\";","references":[],"maxId":9}`, `PROTOBUF syntax = "proto3";`, false},
		"empty":       {200, `{"schemaType":"JSON","schema":""}`, "JSON ", false},
		"references":  {200, `{"schema":"{}","references":[{"name":"a","subject":"b","version":1}]}`, "it refers to others", true},
		"huge":        {200, `{"schema":"` + strings.Repeat("x", maxReply) + `"}`, "more than 1048576 bytes", true},
		"none":        {404, `{"error_code":40403,"message":"Schema 7 not found"}`, "the registry has none of this id", true},
		"no subject":  {404, `{"error_code":40401,"message":"Subject not found."}`, "the registry has none of this id", true},
		"wrong path":  {404, `{"error_code":404,"message":"HTTP 404 Not Found"}`, "status 404: there is no registry at this path", false},
		"other 404":   {404, `<html>hunter2</html>`, "status 404: there is no registry at this path", false},
		"no user":     {401, `{"error_code":401,"message":"Unauthorized hunter2"}`, "status 401: it does not let us in", false},
		"no right":    {403, `{"error_code":40301,"message":"hunter2 is denied"}`, "status 403: it does not let us in", false},
		"store":       {500, `{"error_code":50001,"message":"Error in the backend data store hunter2"}`, "status 500: error_code 50001", false},
		"overloaded":  {429, `{"error_code":429,"message":"hunter2"}`, "status 429", false},
		"down":        {503, `hunter2`, "status 503", false},
		"huge error":  {500, strings.Repeat("hunter2", maxReply/6), "status 500", false},
		"a page":      {200, `<html>hunter2</html>`, "the answer holds no schema: is the address that of a registry?", false},
		"other JSON":  {200, `["hunter2"]`, "the answer holds no schema", false},
		"no schema":   {200, `{"schema":null}`, "the answer holds no schema", false},
		"wrong types": {200, `{"schema":7}`, "the answer holds no schema", false},
		"no content":  {204, ``, "status 204", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := answering(t, tc.status, tc.body)
			s, err := mustClient(t, Options{URLs: []string{server.URL + "/hunter2"}}).Schema(t.Context(), 7)
			if err == nil {
				if got := s.Kind + " " + s.Text; got != tc.want {
					t.Errorf("%q, want %q", got, tc.want)
				}
				return
			}
			if !strings.Contains(err.Error(), tc.want) || Answers(err) != tc.word {
				t.Errorf("%v, its word: %v; want %q, %v", err, Answers(err), tc.want, tc.word)
			}
			if strings.Contains(err.Error(), "hunter2") || !tc.word && !strings.Contains(err.Error(), "registry 127.0.0.1:") {
				t.Errorf("%v: want the host, and nothing of the path or the text", err)
			}
		})
	}
}

// TestClientAsks: the request is the one of the API, below the path of the address, and signed.
func TestClientAsks(t *testing.T) {
	var got atomic.Value
	server := serving(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		got.Store(r.Method + " " + r.URL.Path + " " + user + ":" + password + " " + r.Header.Get("Accept"))
		_, _ = fmt.Fprint(w, `{"schema":"1"}`)
	})
	c := mustClient(t, Options{URLs: []string{server.URL + "/apis/ccompat/v7/"}, Sign: func(r *http.Request) error { r.SetBasicAuth("u", "p"); return nil }})
	if _, err := c.Schema(t.Context(), mostID); err != nil {
		t.Fatal(err)
	}
	if want := "GET /apis/ccompat/v7/schemas/ids/2147483647 u:p application/vnd.schemaregistry.v1+json, application/json"; got.Load() != want {
		t.Errorf("asked %q, want %q", got.Load(), want)
	}
	c = mustClient(t, Options{URLs: []string{server.URL}, Sign: func(*http.Request) error { return errors.New("no password") }})
	if _, err := c.Schema(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "no password") {
		t.Errorf("unsigned: %v", err)
	}
}

// TestClientTriesAll: addresses are tried in turn, the one first that answered last; a word of any is the word of all.
func TestClientTriesAll(t *testing.T) {
	var asked [3]atomic.Int32
	var urls []string
	for i, status := range []int{500, 200, 404} {
		server := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			asked[i].Add(1)
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, `{"schema":"1"}`)
		})
		urls = append(urls, server.URL)
	}
	c := mustClient(t, Options{URLs: urls})
	for range 3 {
		if _, err := c.Schema(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if a, b, d := asked[0].Load(), asked[1].Load(), asked[2].Load(); a != 1 || b != 3 || d != 0 {
		t.Errorf("asked %d, %d and %d times, want 1, 3, 0", a, b, d)
	}
	c = mustClient(t, Options{URLs: []string{urls[0], urls[2]}})
	_, err := c.Schema(t.Context(), 1)
	status, ok := errors.AsType[*Status](err)
	if !ok || status.Code != 500 || !strings.Contains(err.Error(), "status 500; registry 127.0.0.1:") {
		t.Errorf("%v, want what both say", err)
	}
	trials := mustClient(t, Options{URLs: append(urls, answering(t, 404, `{"error_code":40403}`).URL)}).Try(t.Context())
	for i, want := range []bool{false, true, false, true} {
		if got := trials[i]; (got.Err == nil) != want || !strings.HasPrefix(got.Host, "127.0.0.1:") {
			t.Errorf("address %d: %+v", i, got)
		}
	}
}

// TestClientIsPatientForAWhile: slow heads, slow bodies and dead addresses end in time, and say so.
func TestClientIsPatientForAWhile(t *testing.T) {
	stop := make(chan struct{})
	slow := serving(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	})
	body := serving(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, `{"schema":"`)
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	})
	defer close(stop)
	for _, server := range []*httptest.Server{slow, body} {
		_, err := mustClient(t, Options{URLs: []string{server.URL}, Timeout: 50 * time.Millisecond}).Schema(t.Context(), 1)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer in time") {
			t.Errorf("%v, want no answer in time", err)
		}
	}
	gone := serving(t, nil)
	gone.Close()
	if _, err := mustClient(t, Options{URLs: []string{gone.URL + "/hunter2"}}).Schema(t.Context(), 1); err == nil || Answers(err) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a dead address: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := mustClient(t, Options{URLs: []string{slow.URL, slow.URL}}).Schema(ended, 1); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), ";") {
		t.Errorf("%v, want that it was canceled, once", err)
	}
}

// TestClientKeepsCredentials: a redirect of the host to itself is followed; one to another place never sees us.
func TestClientKeepsCredentials(t *testing.T) {
	thief := serving(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked with %q", r.Header.Get("Authorization")) })
	server := serving(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/schemas/ids/1":
			http.Redirect(w, r, "/v2/schemas/ids/1", http.StatusTemporaryRedirect)
		case r.URL.Path == "/v2/schemas/ids/1" && r.Header.Get("Authorization") == "Bearer hunter2":
			_, _ = fmt.Fprint(w, `{"schema":"1"}`)
		case r.URL.Path == "/schemas/ids/2":
			http.Redirect(w, r, thief.URL, http.StatusFound)
		default:
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}
	})
	c := mustClient(t, Options{URLs: []string{server.URL}, Sign: func(r *http.Request) error { r.Header.Set("Authorization", "Bearer hunter2"); return nil }})
	if _, err := c.Schema(t.Context(), 1); err != nil {
		t.Errorf("of the host to itself: %v", err)
	}
	for _, id := range []uint32{2, 3} {
		if _, err := c.Schema(t.Context(), id); err == nil || !strings.Contains(err.Error(), "a redirect elsewhere") || Answers(err) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("schema %d: %v, want that the redirect is not followed", id, err)
		}
	}
}

// TestClientTLS: the certificate is judged by the authorities of the options.
func TestClientTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"schema":"1"}`) }))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of the handshake that fails
	server.StartTLS()
	defer server.Close()
	ours := x509.NewCertPool()
	ours.AddCert(server.Certificate())
	if _, err := mustClient(t, Options{URLs: []string{server.URL}, TLS: &tls.Config{RootCAs: ours}}).Schema(t.Context(), 1); err != nil {
		t.Error(err)
	}
	_, err := mustClient(t, Options{URLs: []string{server.URL}}).Schema(t.Context(), 1)
	if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); !unknown {
		t.Errorf("%v, want an unknown authority", err)
	}
}

// TestNewClientRefuses: what is no address is refused, and not shown.
func TestNewClientRefuses(t *testing.T) {
	for _, text := range []string{"", "host:8081", "ftp://hunter2/", "http://u:hunter2@host", "http:///hunter2", "http://ho st"} {
		if _, err := NewClient(Options{URLs: []string{text}}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := NewClient(Options{}); err == nil {
		t.Error("a client of nobody")
	}
}

// FuzzReply: whatever a registry says is a schema with a kind, or an error of one line without its text.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		`{"schema":"\"long\""}`, `{"schemaType":"PROTOBUF","schema":"","references":[]}`, `{"error_code":40403,"message":"m"}`, `{"schema":"1","references":[{}]}`, `[`, `null`, "",
	} {
		f.Add(200, []byte(body))
		f.Add(404, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		s, err := parseReply(status, body)
		switch {
		case err == nil && (s.Kind == "" || status != http.StatusOK):
			t.Errorf("%d %q: %+v", status, body, s)
		case err != nil && (s != Schema{} || strings.Contains(err.Error(), "\n") || len(err.Error()) > 100):
			t.Errorf("%d %q: %+v, %v", status, body, s, err)
		case errors.Is(err, ErrNone) && status != http.StatusNotFound:
			t.Errorf("status %d: %v", status, err)
		}
	})
}
