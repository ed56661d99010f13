package mover_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/notify"
)

const key = "0123456789abcdef"

// TestWebhook: what a status means, and that the request is signed and named the same each time.
func TestWebhook(t *testing.T) {
	for code, want := range map[int]string{
		200: "done", 204: "done", 202: "not yet", 201: "again", 400: "final", 404: "again", 409: "final", 422: "final", 401: "again", 429: "again",
		500: "again", 503: "again", 302: "again",
	} {
		var ids []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if err := notify.Verify(key, r.Header.Get(notify.SignatureHeader), body, time.Now()); err != nil {
				t.Errorf("the signature: %v", err)
			}
			ids = append(ids, r.Header.Get(notify.IDHeader))
			w.WriteHeader(code)
		}))
		transport := &http.Transport{}
		m := mover.NewWebhook(&notify.Webhook{URL: notifyURL(server.URL), Secret: key}, time.Second, transport)
		got := "again"
		var final *mover.Final
		err := m.Do(t.Context(), task(t))
		_ = m.Do(t.Context(), task(t))
		switch {
		case err == nil:
			got = "done"
		case errors.Is(err, mover.ErrNotYet):
			got = "not yet"
		case errors.As(err, &final):
			got = "final"
		}
		if got != want || len(ids) != 2 || ids[0] != ids[1] || ids[0] != "orders%FF/7/copy/31" {
			t.Errorf("%d is %s (%v), want %s; ids %v", code, got, err, want, ids)
		}
		transport.CloseIdleConnections()
		server.Close()
		if err := m.Do(t.Context(), task(t)); err == nil || errors.Is(err, mover.ErrNotYet) || errors.As(err, &final) {
			t.Errorf("a place that is away: %v", err)
		}
	}
}
