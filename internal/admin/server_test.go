package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"go.uber.org/zap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start opens a server with one metric on a free port, and closes it at the end of the test.
func start(t *testing.T, conditions ...Condition) *Server {
	t.Helper()
	reg := prometheus.NewRegistry()
	up := prometheus.NewGauge(prometheus.GaugeOpts{Name: "firebreak_test", Help: "One."})
	up.Set(1)
	reg.MustRegister(up)
	s, err := Open(t.Context(), Config{Listen: "127.0.0.1:0"}, reg, zap.NewNop(), conditions...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

type answer struct {
	status int
	body   string
	header http.Header
}

// ask makes one request on a connection of its own.
func ask(t *testing.T, s *Server, method, path string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addr().String()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, string(body), resp.Header}
}

// TestPaths: what is there, what is not, and that nothing is changed, cached or sniffed.
func TestPaths(t *testing.T) {
	s := start(t)
	for _, test := range []struct {
		method, path string
		status       int
		holds        string
	}{
		{"GET", "/", 200, "/-/ready"},
		{"HEAD", "/", 200, ""},
		{"GET", "/metrics", 200, "firebreak_test 1"},
		{"GET", "/-/healthy", 200, "healthy\n"},
		{"GET", "/-/ready", 200, "ready\n"},
		{"GET", "/debug/pprof/", 200, "goroutine"},
		{"GET", "/debug/pprof/heap?debug=1", 200, "heap profile"},
		{"GET", "/debug/pprof/goroutine?debug=1", 200, "goroutine profile"},
		{"GET", "/debug/pprof/cmdline", 200, "admin.test"},
		{"GET", "/debug/pprof/symbol", 200, "num_symbols"},
		{"GET", "/nothing", 404, ""},
		{"GET", "/-/", 404, ""},
		{"GET", "/metrics/more", 404, ""},
		{"POST", "/metrics", 405, ""},
		{"POST", "/-/ready", 405, ""},
		{"PUT", "/debug/pprof/profile", 405, ""},
		{"DELETE", "/", 405, ""},
	} {
		got := ask(t, s, test.method, test.path)
		if got.status != test.status || !strings.Contains(got.body, test.holds) {
			t.Errorf("%s %s: %d, want %d with %q; got %.200q", test.method, test.path, got.status, test.status, test.holds, got.body)
		}
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"} {
			if value := got.header.Get(header); value != want {
				t.Errorf("%s %s: %s %q, want %q", test.method, test.path, header, value, want)
			}
		}
	}
}

// TestReady: every condition must hold; verbose shows all, and why not.
func TestReady(t *testing.T) {
	var late atomic.Bool
	s := start(
		t,
		Condition{Name: "the broker answers", Check: func() error { return nil }},
		Condition{Name: "the window is warm", Check: func() error {
			if late.Load() {
				return errors.Join(errors.New("20 s of 60 s"), fmt.Errorf("and %w", io.ErrUnexpectedEOF))
			}
			return nil
		}},
	)
	type want struct {
		path   string
		status int
		body   string
	}
	check := func(wants ...want) {
		t.Helper()
		for _, w := range wants {
			got := ask(t, s, "GET", w.path)
			if diff := cmp.Diff(fmt.Sprintf("%d %s", w.status, w.body), fmt.Sprintf("%d %s", got.status, got.body)); diff != "" {
				t.Errorf("%s: want (-), got (+):\n%s", w.path, diff)
			}
		}
	}
	both := "ready      the broker answers\nready      the window is warm\n"
	check(want{"/-/ready", 200, "ready\n"}, want{"/-/ready?verbose", 200, "ready\n" + both})
	late.Store(true)
	why := "not ready  the window is warm: 20 s of 60 s and unexpected EOF\n"
	check(want{"/-/ready", 503, "not ready\n" + why}, want{"/-/ready?verbose", 503, "not ready\nready      the broker answers\n" + why},
		want{"/-/healthy", 200, "healthy\n"})
	late.Store(false)
	check(want{"/-/ready", 200, "ready\n"})
}

// TestAside: what a process is ready without is told to who asks for all, and to nobody else.
func TestAside(t *testing.T) {
	s := start(t, Condition{Name: "routing of orders", Aside: true, Check: func() error { return errors.New("paused: throttled") }},
		Condition{Name: "routing of users", Aside: true, Check: func() error { return nil }})
	for path, want := range map[string]string{
		"/-/ready": "ready\n", "/-/ready?verbose": "ready\naside      routing of orders: paused: throttled\nready      routing of users\n",
	} {
		if got := ask(t, s, "GET", path); got.status != 200 || got.body != want {
			t.Errorf("%s: %d %q, want 200 %q", path, got.status, got.body, want)
		}
	}
}

// TestClose: a request under way is answered; then nobody is.
func TestClose(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := start(t, Condition{Name: "slow", Check: func() error {
		close(entered)
		<-leave
		return nil
	}})
	answered := make(chan answer, 1)
	go func() { answered <- ask(t, s, "GET", "/-/ready") }()
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.WithoutCancel(t.Context())) }()
	for { // until the listener is gone, so that the request is under way while the server closes
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr().String())
		if err != nil {
			break
		}
		conn.Close()
	}
	close(leave)
	if got := <-answered; got.status != 200 || got.body != "ready\n" {
		t.Errorf("the request under way: %d %q", got.status, got.body)
	}
	if err := <-closed; err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestCloseIsBounded: a request that does not end is cut off when the context ends.
func TestCloseIsBounded(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	defer close(leave)
	s := start(t, Condition{Name: "stuck", Check: func() error {
		close(entered)
		<-leave
		return nil
	}})
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /-/ready HTTP/1.1\r\nHost: x\r\n\r\n")
	<-entered
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 20*time.Millisecond)
	defer cancel()
	if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("close: %v, want the deadline", err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Error("the connection still answers")
	}
}

// TestOpenFails: no address, a port that is taken.
func TestOpenFails(t *testing.T) {
	if _, err := Open(t.Context(), Config{Listen: "9464"}, prometheus.NewRegistry(), zap.NewNop()); err == nil || !strings.Contains(err.Error(), "host:port") {
		t.Errorf("no colon: %v", err)
	}
	s := start(t)
	if _, err := Open(t.Context(), Config{Listen: s.Addr().String()}, prometheus.NewRegistry(), zap.NewNop()); err == nil {
		t.Error("a port that is taken: no error")
	}
}

// TestBrokenMetric: a metric that cannot be had is a failed scrape, not a page that lacks it.
func TestBrokenMetric(t *testing.T) {
	reg := prometheus.NewRegistry()
	reg.MustRegister(broken{prometheus.NewDesc("firebreak_test", "One.", nil, nil)})
	s, err := Open(t.Context(), Config{Listen: "127.0.0.1:0"}, reg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, s, "GET", "/metrics")
	if got.status != 500 || !strings.Contains(got.body, io.ErrUnexpectedEOF.Error()) {
		t.Errorf("%d %q, want 500 with the cause", got.status, got.body)
	}
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

type broken struct{ desc *prometheus.Desc }

func (b broken) Describe(to chan<- *prometheus.Desc) { to <- b.desc }
func (b broken) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.NewInvalidMetric(b.desc, io.ErrUnexpectedEOF)
}

// TestDefault is on the loopback interface, and every way to dawdle is bounded.
func TestDefault(t *testing.T) {
	cfg := Default()
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	host, _, err := net.SplitHostPort(cfg.Listen)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("listens on %q: %v", cfg.Listen, err)
	}
	srv := start(t).http
	for name, d := range map[string]time.Duration{
		"header": srv.ReadHeaderTimeout, "read": srv.ReadTimeout, "write": srv.WriteTimeout, "idle": srv.IdleTimeout,
	} {
		if d <= 0 || d > 5*time.Minute {
			t.Errorf("%s time-out %v", name, d)
		}
	}
}
