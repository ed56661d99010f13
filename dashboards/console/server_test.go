package console

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"firebreak/internal/access"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opened is a running console.
func opened(t *testing.T, cfg access.Config, m *Model, log *zap.Logger) string {
	t.Helper()
	s, err := Open(t.Context(), cfg, m, &oracle{}, nil, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s.Addr().String()
}

// certificate writes one for 127.0.0.1 and gives what trusts it.
func certificate(t *testing.T) (access.TLS, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	files := access.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	pool := x509.NewCertPool()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	pool.AppendCertsFromPEM(text)
	for file, b := range map[string][]byte{files.CertFile: text, files.KeyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files, pool
}

// TestBehindTokens (S15): over TLS, who shows no token reads nothing, of no path; the token shows up in no answer and no log.
func TestBehindTokens(t *testing.T) {
	const sentinel = "sentinel-token-7f3a9c"
	files, pool := certificate(t)
	core, logged := observer.New(zap.DebugLevel)
	f := hotKey(t).looked(nil).run(30)
	at := opened(t, access.Config{Listen: "127.0.0.1:0", TLS: files, Tokens: []access.Token{{Name: "ops", Token: sentinel}}}, f.model, zap.New(core))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	ask := func(path, token string) (int, http.Header, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, resp.Header, string(b)
	}
	for _, path := range []string{"/", "/status", "/whatif", "/events", "/api/v1/fleets", "/api/v1/openapi.json", "/fleets/orders", "/nope"} {
		if code, h, body := ask(path, ""); code != http.StatusUnauthorized || !strings.HasPrefix(h.Get("WWW-Authenticate"), "Basic ") || strings.Contains(body, "cart:42") {
			t.Errorf("%s without a token: %d %s", path, code, body)
		}
		if path == "/events" {
			continue
		}
		_, h, body := ask(path, sentinel)
		if csp := h.Get("Content-Security-Policy"); csp != policyOf || strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.Contains(body, sentinel) {
			t.Errorf("%s has the token", path)
		}
	}
	if code, _, body := ask("/", sentinel); code != 200 || !strings.Contains(body, "cart:42") {
		t.Errorf("with the token: %d", code)
	}
	if code, _, _ := ask("/", sentinel+"x"); code != http.StatusUnauthorized {
		t.Errorf("with another token: %d", code)
	}
	for _, e := range logged.All() {
		if strings.Contains(e.Message, sentinel) {
			t.Errorf("logged: %s", e.Message)
		}
	}
}

// TestReadsOnly: nothing but GET and HEAD is answered, and a name that was made to lead here is not.
func TestReadsOnly(t *testing.T) {
	at := opened(t, access.Config{Listen: "127.0.0.1:0"}, hotKey(t).looked(nil).run(8).model, zap.NewNop())
	for _, tt := range []struct {
		method, path, host string
		want               int
	}{
		{"POST", "/api/v1/fleets", at, 405},
		{"DELETE", "/", at, 405},
		{"HEAD", "/", at, 200},
		{"HEAD", "/events", at, 200},
		{"GET", "/", at, 200},
		{"GET", "/", "evil.example", 403},
		{"GET", "/api/v1/fleets", "evil.example:9465", 403},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tt.method, "http://"+at+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s %s of %s: %d, want %d", tt.method, tt.path, tt.host, resp.StatusCode, tt.want)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// TestEvents: a stream says that something changed, and ends when the server does.
func TestEvents(t *testing.T) {
	f := watch(t, 4, "key").looked(nil).run(2)
	s, err := Open(t.Context(), access.Config{Listen: "127.0.0.1:0"}, f.model, &oracle{}, nil, nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr().String()+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("content type %s", kind)
	}
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || lines.Text() != "retry: 5000" {
		t.Errorf("the first line is %q", lines.Text())
	}
	f.run(3)
	for lines.Scan() && lines.Text() != "event: change" {
		if strings.HasPrefix(lines.Text(), "data:") {
			t.Fatal("data before its event")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Errorf("a stream keeps the server: %v", err)
	}
	for lines.Scan() {
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// TestManyTabs: over TLS the streams of more tabs than a browser has connections for share one, and a page is answered beside them.
func TestManyTabs(t *testing.T) {
	files, pool := certificate(t)
	f := watch(t, 4, "key").looked(nil).run(2)
	at := opened(t, access.Config{Listen: "127.0.0.1:0", TLS: files}, f.model, zap.NewNop())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, MaxConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
	var streams []*bufio.Scanner
	for _, path := range []string{"/events", "/events", "/events", "/events", "/events", "/events", "/events", "/"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+at+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
			t.Errorf("%s: %d by %s", path, resp.StatusCode, resp.Proto)
		}
		if path == "/events" {
			streams = append(streams, bufio.NewScanner(resp.Body))
		}
	}
	f.run(3)
	for i, s := range streams {
		for s.Scan() && s.Text() != "event: change" {
		}
		if s.Text() != "event: change" {
			t.Errorf("stream %d ended: %v", i, s.Err())
		}
	}
}

// TestManyStreams: beyond a number of streams one more is refused, with when to come again.
func TestManyStreams(t *testing.T) {
	e := newEvents(New(nil, nil), nil)
	for range maxStreams {
		e.places <- struct{}{}
	}
	w := get(t, e, "/events")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// TestRefusesToOpen: no certificate, no token, no address: the error says which, and nothing listens.
func TestRefusesToOpen(t *testing.T) {
	for _, tt := range []struct {
		cfg  access.Config
		want string
	}{
		{access.Config{Listen: "0.0.0.0:0"}, "not on the loopback interface"},
		{access.Config{Listen: "127.0.0.1:0", TLS: access.TLS{CertFile: "/nope/cert", KeyFile: "/nope/key"}}, "/nope/cert"},
		{access.Config{Listen: "127.0.0.1:0", Tokens: []access.Token{{Name: "ops", File: "/nope/token"}}}, "/nope/token"},
	} {
		if _, err := Open(t.Context(), tt.cfg, New(nil, nil), &oracle{}, nil, nil, zap.NewNop()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}
