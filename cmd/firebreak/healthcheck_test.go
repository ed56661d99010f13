package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"firebreak/internal/admin"
)

// TestHealthcheck: who is ready is 0, who is not, who is elsewhere and who is not there is 1, and the answer is said on one line.
func TestHealthcheck(t *testing.T) {
	var why atomic.Pointer[error]
	s, err := admin.Open(t.Context(), admin.Config{Listen: "127.0.0.1:0"}, prometheus.NewRegistry(), zap.NewNop(), admin.Condition{Name: "window begun", Check: func() error {
		if e := why.Load(); e != nil {
			return *e
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	away := httptest.NewServer(http.RedirectHandler("http://"+s.Addr().String()+"/-/ready", http.StatusFound))
	defer away.Close()
	ask := func(url string, code int, said string) {
		t.Helper()
		var out, errs bytes.Buffer
		err := run(t.Context(), []string{"healthcheck", url}, nil, &out, &errs)
		text := out.String()
		if err != nil {
			text = err.Error() + "\n"
		}
		if exitCode(err) != code || !strings.Contains(text, said) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: code %d, %q", url, exitCode(err), text)
		}
	}
	page := "http://" + s.Addr().String() + "/-/"
	ask(page+"ready", exitOK, "ready")
	bad := errors.New("fleet orders: nothing was counted yet\x1b[2J")
	why.Store(&bad)
	ask(page+"ready", exitError, "status 503: not ready not ready window begun: fleet orders: nothing was counted yet")
	ask(page+"healthy", exitOK, "healthy")
	ask(away.URL, exitError, "status 302")
	ask("localhost:9464", exitUsage, "URL")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask(page+"ready", exitError, "refused")
}
