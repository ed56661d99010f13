package slack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/fakes/news"
	fake "firebreak/internal/fakes/slack"
	"firebreak/internal/secret"
)

func secretOf(text string) secret.Value { return secret.Value(text) }

func notice() *notify.Notice {
	return &notify.Notice{Key: "k", Attempt: 1, Entry: news.Hotspot(news.Verdict("orders", "h1", "shard-7", "shop-7", "cart:42"), actuator.PhaseFired, 0)}
}

func hookTo(t *testing.T, url string) notify.Sender {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return New(notify.Slack{WebhookURL: secretOf(url)}, &notify.Guide{}, transport)
}

// TestHook: an incoming webhook gets a message for each notice, and no receipt comes of it.
func TestHook(t *testing.T) {
	server := fake.New(time.Now, "C1 alerts")
	defer server.Close()
	hook := hookTo(t, server.HookURL())
	for range 2 {
		if receipt, err := hook.Send(context.Background(), notice()); err != nil || receipt != "" {
			t.Fatal(receipt, err)
		}
	}
	if in := server.In("C1"); len(in) != 2 || in[0].Colour != red || len(in[0].Pinged) > 0 {
		t.Errorf("%d messages", len(in))
	}
}

// TestStatusCodes is the contract of every receiver: what has taken a notice, what is tried again, what is final.
func TestStatusCodes(t *testing.T) {
	code := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
		if code == http.StatusOK {
			fmt.Fprint(w, `{"ok":true,"channel":"C1","ts":"1.2"}`)
		}
	}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	bot := New(notify.Slack{Token: fake.Token, Channel: "C1", APIURL: server.URL}, &notify.Guide{}, transport)
	hook := hookTo(t, server.URL+fake.Hook)
	for code = 200; code < 600; code++ {
		if code > 200 && code < 300 { // Slack answers 200 only
			continue
		}
		again := code == 408 || code == 425 || code == 429 || code >= 500
		for name, s := range map[string]notify.Sender{"bot": bot, "hook": hook} {
			_, err := s.Send(context.Background(), notice())
			f, failed := errors.AsType[*notify.Failure](err)
			if failed != (code != 200) || failed && (f.Final || f.Person) == again {
				t.Errorf("%s, %d: %v", name, code, err)
			}
		}
	}
}

// TestNoSecret (S15): whatever fails, neither the token nor the webhook's URL is in the error; the host and the cause are.
func TestNoSecret(t *testing.T) {
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	slow := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-slow }))
	defer hanging.Close()
	defer close(slow)
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		fmt.Fprintf(w, `{"ok":false,"error":%q}`, r.URL.Path+r.PostForm.Get("token"))
	}))
	defer echo.Close()
	dns := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "sentinel", IsNotFound: true}
	}}
	plain := &http.Transport{}
	defer plain.CloseIdleConnections()
	for _, tt := range []struct {
		url, has string
		by       http.RoundTripper
		within   time.Duration
	}{
		{refused.URL, "connection refused", plain, time.Minute},
		{hanging.URL, "no answer in time", plain, 100 * time.Millisecond},
		{untrusted.URL, "TLS", plain, time.Minute},
		{"https://slack.invalid", "no such host", dns, time.Minute},
		{echo.URL, "without a known code", plain, time.Minute},
	} {
		cfg := notify.Slack{Token: fake.Token, Channel: "C1", APIURL: tt.url, Timeout: tt.within}
		_, err := New(cfg, &notify.Guide{}, tt.by).Send(context.Background(), notice())
		if err == nil || strings.Contains(err.Error(), "sentinel") || !strings.Contains(err.Error(), tt.has) {
			t.Errorf("%s: %v, want %s", tt.url, err, tt.has)
		}
		_, err = New(notify.Slack{WebhookURL: secretOf(tt.url + fake.Hook), Timeout: tt.within}, &notify.Guide{}, tt.by).Send(context.Background(), notice())
		if tt.url != echo.URL && (err == nil || strings.Contains(err.Error(), "sentinel") || !strings.Contains(err.Error(), tt.has)) {
			t.Errorf("%s: %v, want %s", tt.url, err, tt.has)
		}
	}
}
