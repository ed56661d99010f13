package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"firebreak/actuator"
	"firebreak/internal/secret"
)

const signing = "sentinel-secret-of-32-characters"

// received is what a fake receiver got.
type received struct {
	header http.Header
	body   []byte
}

// fake is a real server that answers as it is told and verifies every signature.
func fake(t *testing.T, answer http.HandlerFunc) (url string, got *[]received) {
	t.Helper()
	got = new([]received)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if err := Verify(signing, r.Header.Get(SignatureHeader), body, time.Now()); err != nil {
			t.Errorf("%v: %s", err, r.Header.Get(SignatureHeader))
		}
		*got = append(*got, received{r.Header, body})
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func notice() *Notice {
	e := fired("h")
	return &Notice{Receiver: "hook", Key: e.ID, Entry: e, Attempt: 2}
}

func send(cfg Webhook) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	_, err := NewWebhook(cfg, &Guide{External: "https://pages.example/fb/", Owners: Owners{{Team: "carts"}}}, transport).Send(context.Background(), notice())
	return err
}

// TestRequest: what a receiver gets.
func TestRequest(t *testing.T) {
	url, got := fake(t, func(http.ResponseWriter, *http.Request) {})
	if err := send(Webhook{URL: secret.Value(url + "/token"), Secret: signing}); err != nil {
		t.Fatal(err)
	}
	r := (*got)[0]
	id := fired("h").ID
	if r.header.Get(IDHeader) != id || r.header.Get(AttemptHeader) != "2" || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", r.header)
	}
	var body map[string]any
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"version": 1.0, "id": id, "dedup_key": id, "group": "h", "kind": "verdict", "phase": "fired", "severity": "warning", "fleet": "orders", "hotspot": "h",
		"time": "2026-03-01T12:00:00.000Z", "text": `Fleet "orders", hotspot "h": verdict fired.`,
		"links": map[string]any{"hotspot": "https://pages.example/fb/fleets/orders/hotspots/h"}, "line": map[string]any{"name": "fired h", "severity": "warning"},
		"owner": map[string]any{"team": "carts"},
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// TestStatusCodes is the contract: what has taken a notice, what is tried again, what is final.
func TestStatusCodes(t *testing.T) {
	code := 0
	url, _ := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
		if code != http.StatusNoContent && code != http.StatusNotModified {
			fmt.Fprint(w, "what the receiver says")
		}
	})
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	hook := NewWebhook(Webhook{URL: secret.Value(url), Secret: signing}, &Guide{}, transport)
	for code = 200; code < 600; code++ {
		_, err := hook.Send(context.Background(), notice())
		want := "final"
		switch {
		case code < 300:
			want = "taken"
		case code == 408, code == 425, code == 429, code >= 500:
			want = "again"
		case code < 400, code >= 401 && code <= 405, code == 407, code == 410:
			want = "person"
		}
		got := "taken"
		if f, failed := errors.AsType[*Failure](err); failed {
			got = "again"
			if f.Final {
				got = "final"
			} else if f.Person {
				got = "person"
			}
			if f.After != 30*time.Second && got == "again" {
				t.Errorf("%d: Retry-After read as %s", code, f.After)
			}
			if !strings.Contains(f.Why, strconv.Itoa(code)) || !strings.Contains(f.Why, "127.0.0.1") {
				t.Errorf("%d: the cause is %q", code, f.Why)
			}
		}
		if got != want {
			t.Errorf("%d: %s, want %s (%v)", code, got, want, err)
		}
	}
}

// TestRetryAfterForms: seconds and dates; nonsense is none.
func TestRetryAfterForms(t *testing.T) {
	now := start()
	for header, want := range map[string]time.Duration{
		"30": 30 * time.Second, " 5 ": 5 * time.Second, "0": 0, "": 0, "-3": 0, "soon": 0, "1e3": 0, "99999999999999999999": 0,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second, now.Add(-time.Hour).Format(http.TimeFormat): 0,
		"2000000000": 2_000_000_000 * time.Second,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}

// TestNothingLeaks (S15): whatever goes wrong, no part of the URL but its host and no secret is in an error, a log, a journal
// entry or a dump of the configuration, and the cause is.
func TestNothingLeaks(t *testing.T) {
	const hidden = "sentinel"
	path := "/sentinel-path?token=sentinel-token"
	echo := listen(t, func(c net.Conn) { _, _ = io.CopyN(c, c, 60) })
	closes := listen(t, func(net.Conn) {})
	hangs, _ := fake(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	fails, _ := fake(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.URL.String(), http.StatusInternalServerError)
	})
	redirects, seen := fake(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/sentinel-elsewhere", http.StatusTemporaryRedirect)
	})
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = zap.NewStdLog(zap.NewNop())
	secure.StartTLS()
	t.Cleanup(secure.Close)
	refused := listen(t, nil)
	for _, tt := range []struct{ what, url, cause string }{
		{"DNS failure", "https://nowhere.invalid", "nowhere.invalid: "},
		{"refused", "http://" + refused, "127.0.0.1: connection refused"},
		{"500", fails, "127.0.0.1: status 500"},
		{"redirect", redirects, "127.0.0.1: status 307, a redirect, which is not followed"},
		{"TLS error", secure.URL, "127.0.0.1: TLS: the certificate is signed by an unknown authority"},
		{"no TLS", "https://" + strings.TrimPrefix(fails, "http://"), "127.0.0.1: TLS: the other side does not speak it"},
		{"time-out", hangs, "127.0.0.1: no answer in time"},
		{"echo", "http://" + echo, "127.0.0.1: "},
		{"closed", "http://" + closes, "127.0.0.1: "},
		{"bad URL", "sentinel://sentinel:sentinel@%zz", "url: want"},
		{"user", strings.Replace(fails, "http://", "http://sentinel:sentinel@", 1), "127.0.0.1: status 500"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			cfg := Webhook{URL: secret.Value(tt.url + path), Secret: signing}
			if tt.what == "time-out" {
				cfg.Timeout = 300 * time.Millisecond
			}
			err := send(cfg)
			if err == nil || !strings.HasPrefix(err.Error(), tt.cause) {
				t.Fatalf("error %v, want %s", err, tt.cause)
			}
			all := fmt.Sprintf("%v %+v %#v %s", err, err, err, everything(t, cfg, err))
			if strings.Contains(all, hidden) {
				t.Errorf("a secret in %s", all)
			}
		})
	}
	if len(*seen) != 1 {
		t.Errorf("%d requests: the redirect was followed", len(*seen))
	}
}

// everything is all that the process would show of a receiver whose delivery failed: configuration, logs, entries, a problem.
func everything(t *testing.T, cfg Webhook, failed error) string {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	queue := one(Rule{})
	queue.Apply(fired("h"), start())
	if _, ok := queue.Due("hook", start()); !ok {
		t.Fatal("nothing is due")
	}
	l := &loop{log: zap.New(core)}
	l.warn(failed, 1)
	entries, err := queue.Failed("hook", start(), &Failure{Final: true, Why: failed.Error()})
	if err != nil {
		t.Fatal(err)
	}
	all := Config{Receivers: []Receiver{{Name: "hook", Webhook: &cfg}}}
	dump, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Secret = "sentinel"
	problem := all.Validate()
	zap.New(core).Info("config", zap.Any("config", all))
	return fmt.Sprintf("%s %s %+v %#v %+v %v %s", dump, entries[0].Line, all, *all.Receivers[0].Webhook, logs.All(), problem, cfg.URL)
}

// listen is a TCP server of one answer; nil = one that is closed.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if serve == nil {
		l.Close()
		return l.Addr().String()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(c)
			c.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return l.Addr().String()
}

// TestSecretFiles: URL and secret come from files, which are read anew for each request.
func TestSecretFiles(t *testing.T) {
	url, got := fake(t, func(http.ResponseWriter, *http.Request) {})
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cfg := Webhook{URLFile: write("url", "http://127.0.0.1:1/wrong\n"), SecretFile: write("secret", signing+"\n")}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	hook := NewWebhook(cfg, &Guide{}, transport)
	if _, err := hook.Send(context.Background(), notice()); err == nil {
		t.Fatal("sent to the wrong URL")
	}
	write("url", url+"\n")
	if _, err := hook.Send(context.Background(), notice()); err != nil || len(*got) != 1 {
		t.Errorf("%v, %d requests", err, len(*got))
	}
	for name, text := range map[string]string{"empty": " \n", "short": "abc"} {
		cfg.SecretFile = write("secret", text)
		if _, err := hook.Send(context.Background(), notice()); err == nil || failure(err).Final {
			t.Errorf("%s secret: %v, want a failure that is tried again", name, err)
		}
	}
}

// TestVector: the signature is that of the published vector, and Verify takes it and nothing near it.
func TestVector(t *testing.T) {
	text, err := os.ReadFile("testdata/signature.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Secret, Body, Signature string
		Time                    int64
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(v.Time, 0)
	if got := Sign(v.Secret, []byte(v.Body), at); got != v.Signature {
		t.Errorf("signature %s, want %s", got, v.Signature)
	}
	_, sum, _ := strings.Cut(v.Signature, "v1=")
	for _, tt := range []struct {
		what, signing, header, body string
		now                         time.Time
		ok                          bool
	}{
		{"the vector", v.Secret, v.Signature, v.Body, at, true},
		{"a late one", v.Secret, v.Signature, v.Body, at.Add(Tolerance), true},
		{"spaces and another signature", v.Secret, strings.Replace(v.Signature, ",", ", v1=00, v2=x, ", 1), v.Body, at, true},
		{"another secret", v.Secret + "x", v.Signature, v.Body, at, false},
		{"another body", v.Secret, v.Signature, v.Body + " ", at, false},
		{"another time", v.Secret, fmt.Sprintf("t=%d,v1=%s", v.Time+1, sum), v.Body, at, false},
		{"a replay", v.Secret, v.Signature, v.Body, at.Add(Tolerance + time.Second), false},
		{"from the future", v.Secret, v.Signature, v.Body, at.Add(-Tolerance - time.Second), false},
		{"none", v.Secret, "", v.Body, at, false},
		{"no time", v.Secret, "v1=" + sum, v.Body, at, false},
		{"cut", v.Secret, v.Signature[:len(v.Signature)-2], v.Body, at, false},
	} {
		if err := Verify(tt.signing, tt.header, []byte(tt.body), tt.now); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
}

// TestConfig: what is wrong is named by its path, all of it at once.
func TestConfig(t *testing.T) {
	good := Config{ExternalURL: "https://p.example", Receivers: []Receiver{{Name: "a", Webhook: &Webhook{URL: "https://h.example/x", SecretFile: "f"}}}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	bad := Config{ExternalURL: "p.example", Receivers: []Receiver{
		{Name: "", Pace: -1, Queue: -1, GiveUp: time.Second, Kinds: []actuator.Kind{actuator.KindDelivered}},
		{Name: "b", Webhook: &Webhook{URL: "ftp://sentinel", URLFile: "f", Secret: "short", Timeout: time.Hour}},
		{Name: "b", Webhook: &Webhook{}},
		{Name: "c", Slack: &Slack{Token: "sentinel", WebhookURLFile: "f", Channel: "C1"}, PagerDuty: &PagerDuty{RoutingKey: "sentinel"}},
		{Name: "d", Slack: &Slack{TokenFile: "f"}},
		{Name: "e", Kinds: []actuator.Kind{actuator.KindHold}, Alertmanager: &Alertmanager{URLs: []string{"http://u:sentinel@am.example"}, Keep: time.Second}},
	}}
	want := []string{
		"external_url", "receivers[0].name", "receivers[0].kinds[0]", "receivers[0].pace", "receivers[0].queue", "receivers[0].give_up", "receivers[0].name",
		"receivers[1].webhook.url_file", "receivers[1].webhook.timeout", "receivers[1].name", "receivers[1].name",
		"receivers[2].name", "receivers[2].webhook.url_file", "receivers[2].webhook.secret_file",
		"receivers[3].slack.token_file", "receivers[3].slack.channel", "receivers[3].name", "receivers[3].pagerduty",
		"receivers[4].slack.channel", "receivers[5].kinds[0]", "receivers[5].alertmanager.urls[0]", "receivers[5].alertmanager.keep",
	}
	var got []string
	joined, ok := bad.Validate().(interface{ Unwrap() []error })
	if !ok {
		t.Fatal("one error only")
	}
	for _, err := range joined.Unwrap() {
		var e *ConfigError
		if !errors.As(err, &e) {
			t.Fatalf("%T", err)
		}
		path, problem := e.Field()
		if got = append(got, path); problem == "" || strings.Contains(err.Error(), "sentinel") {
			t.Errorf("%v", err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}
