package access

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebreak/internal/secret"
)

const sentinel = "sentinel-token-7f3a9c"

// TestValidate: nobody listens beyond this machine without saying who may come, and no message has a secret.
func TestValidate(t *testing.T) {
	token := []Token{{Name: "ops", Token: sentinel}}
	files := TLS{"cert.pem", "key.pem"}
	proxy := Proxy{Header: "X-Forwarded-User", Trusted: []string{"10.0.0.0/8", "::1"}}
	for _, tt := range []struct {
		cfg  Config
		want string // empty = valid
	}{
		{Default(), ""},
		{Config{}, ""},
		{Config{Listen: "localhost:0"}, ""},
		{Config{Listen: "[::1]:9465"}, ""},
		{Config{Listen: "127.0.0.1:9465", Tokens: token}, ""},
		{Config{Listen: "0.0.0.0:9465", Tokens: token, TLS: files}, ""},
		{Config{Listen: ":9465", Proxy: proxy}, ""},
		{Config{Listen: ":9465"}, "is not on the loopback interface: want tokens, proxy or open_to"},
		{Config{Listen: ":9465", OpenTo: []string{"172.16.0.0/12"}}, ""},
		{Config{Listen: ":9465", OpenTo: []string{"0.0.0.0/0"}}, "is everywhere"},
		{Config{Listen: ":9465", OpenTo: []string{"::/0"}}, "is everywhere"},
		{Config{Listen: ":9465", OpenTo: []string{"0.0.0.0/1", "128.0.0.0/1"}}, "is everywhere"},
		{Config{Listen: ":9465", OpenTo: []string{"8.0.0.0/5", "16.0.0.0/4", "32.0.0.0/4"}}, "is everywhere"},
		{Config{Listen: ":9465", OpenTo: []string{"2000::/3"}}, "is everywhere"},
		{Config{Listen: ":9465", OpenTo: []string{"16.0.0.0/4", "16.0.0.0/4", "17.0.0.0/8", "fc00::/7", "1000::/4"}}, ""},
		{Config{Proxy: Proxy{Header: "X-User", Trusted: []string{"0.0.0.0/0"}}}, "is everywhere"},
		{Config{Proxy: Proxy{Header: "X-User", Trusted: []string{"::/1", "8000::/1"}}}, "is everywhere"},
		{Config{Proxy: Proxy{Header: "X-User", Trusted: []string{"::1"}, Hosts: []string{"firebreak.example.com"}}}, ""},
		{Config{Proxy: Proxy{Header: "X-User", Trusted: []string{"::1"}, Hosts: []string{"firebreak.example.com:443"}}}, "without a port"},
		{Config{Proxy: Proxy{Hosts: []string{"firebreak.example.com"}}}, "want header and trusted"},
		{Config{Listen: ":9465", OpenTo: []string{"here"}}, "want an address or a network"},
		{Config{Listen: "0.0.0.0:9465"}, "is not on the loopback interface"},
		{Config{Listen: "firebreak.example.com:9465"}, "is not on the loopback interface"},
		{Config{Listen: "0.0.0.0:9465", Tokens: token}, "would travel unencrypted"},
		{Config{Listen: "9465"}, "want host:port"},
		{Config{Listen: "127.0.0.1:http"}, "want host:port"},
		{Config{TLS: TLS{CertFile: "c"}}, "want cert_file and key_file"},
		{Config{Tokens: []Token{{Name: "a", Token: "short-secret"}}}, "want 16 bytes or more"},
		{Config{Tokens: []Token{{Name: "a"}}}, "want token or token_file"},
		{Config{Tokens: []Token{{Name: "a", Token: sentinel, File: "f"}}}, "want token or token_file"},
		{Config{Tokens: append(token, token...)}, `"ops" stands twice`},
		{Config{Tokens: []Token{{Token: sentinel}}}, "who has it"},
		{Config{Proxy: Proxy{Header: "X-User"}}, "want header and trusted"},
		{Config{Proxy: Proxy{Header: "X User", Trusted: []string{"::1"}}}, "is no name of a header"},
		{Config{Proxy: Proxy{Header: "X-User", Trusted: []string{"10.0.0.0/33"}}}, "want an address or a network"},
	} {
		err := tt.cfg.Validate()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%+v: %v", tt.cfg, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v: %v, want %s", tt.cfg, err, tt.want)
		case err != nil && (strings.Contains(err.Error(), sentinel) || strings.Contains(err.Error(), "short-secret")):
			t.Errorf("a secret in %v", err)
		}
	}
}

// request is one from an address, changed by with.
func request(t *testing.T, from, host string, with func(*http.Request)) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.RemoteAddr, r.Host = from, host
	if with != nil {
		with(r)
	}
	return r
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Add(name, value) }
}

// TestWho: who is let in, as whom.
func TestWho(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("the-token-of-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := Default()
	tokens := Config{Listen: "0.0.0.0:1", TLS: TLS{"c", "k"}, Tokens: []Token{{Name: "ops", Token: sentinel}, {Name: "lead", Role: RoleApprover, File: file}}}
	proxied := Config{Listen: ":1", Proxy: Proxy{Header: "X-Forwarded-User", Trusted: []string{"10.0.0.0/8", "fd00::7"}, Role: RoleOperator}}
	beside := Config{Proxy: Proxy{Header: "X-Forwarded-User", Trusted: []string{"127.0.0.1"}}}
	named := Config{Proxy: Proxy{Header: "X-Forwarded-User", Trusted: []string{"127.0.0.1", "10.0.0.0/8"}, Hosts: []string{"firebreak.example.com"}}}
	bridged := Config{Listen: ":1", OpenTo: []string{"172.16.0.0/12"}}
	twice := func(r *http.Request) { header("X-Forwarded-User", "ann")(r); header("X-Forwarded-User", "bob")(r) }
	for _, tt := range []struct {
		name string
		cfg  *Config
		r    *http.Request
		want Person
	}{
		{"this machine", &open, request(t, "127.0.0.1:9", "localhost:9465", nil), Person{Role: RoleViewer}},
		{"this machine by number", &open, request(t, "127.0.0.1:9", "[::1]:9465", nil), Person{Role: RoleViewer}},
		{"a name that was made to lead here", &open, request(t, "127.0.0.1:9", "evil.example:9465", nil), Person{}},
		{"no token", &tokens, request(t, "192.0.2.1:9", "h", nil), Person{}},
		{"bearer", &tokens, request(t, "192.0.2.1:9", "h", header("Authorization", "bearer "+sentinel)), Person{"ops", RoleViewer}},
		{"a file's", &tokens, request(t, "192.0.2.1:9", "h", header("Authorization", "Bearer the-token-of-a-file")), Person{"lead", RoleApprover}},
		{"as a password", &tokens, request(t, "192.0.2.1:9", "h", func(r *http.Request) { r.SetBasicAuth("anyone", sentinel) }), Person{"ops", RoleViewer}},
		{"as a user", &tokens, request(t, "192.0.2.1:9", "h", func(r *http.Request) { r.SetBasicAuth(sentinel, "") }), Person{}},
		{"a part of it", &tokens, request(t, "192.0.2.1:9", "h", header("Authorization", "Bearer "+sentinel[:12])), Person{}},
		{"empty", &tokens, request(t, "192.0.2.1:9", "h", header("Authorization", "Bearer ")), Person{}},
		{"from the proxy", &proxied, request(t, "10.1.2.3:9", "h", header("X-Forwarded-User", "ann")), Person{"ann", RoleOperator}},
		{"from the proxy, over IPv6", &proxied, request(t, "[fd00::7]:9", "h", header("X-Forwarded-User", "ann")), Person{"ann", RoleOperator}},
		{"from the proxy, mapped", &proxied, request(t, "[::ffff:10.1.2.3]:9", "h", header("X-Forwarded-User", "ann")), Person{"ann", RoleOperator}},
		{"from elsewhere", &proxied, request(t, "192.0.2.1:9", "h", header("X-Forwarded-User", "ann")), Person{}},
		{"from a proxy on this machine", &beside, request(t, "127.0.0.1:9", "localhost:9465", header("X-Forwarded-User", "ann")), Person{"ann", RoleViewer}},
		{"a name that was made to lead to a proxied listener", &beside, request(t, "127.0.0.1:9", "evil.example:9465", header("X-Forwarded-User", "ann")), Person{}},
		{"from a proxy on this machine, by its name", &named, request(t, "127.0.0.1:9", "Firebreak.example.com", header("X-Forwarded-User", "ann")), Person{"ann", RoleViewer}},
		{"from a proxy, by a name that it does not use", &named, request(t, "10.1.2.3:9", "evil.example", header("X-Forwarded-User", "ann")), Person{}},
		{"from a network that it is open to", &bridged, request(t, "172.18.0.1:9", "localhost:9465", nil), Person{Role: RoleViewer}},
		{"from there, by a name that was made to lead here", &bridged, request(t, "172.18.0.1:9", "evil.example", nil), Person{}},
		{"from another network", &bridged, request(t, "192.0.2.1:9", "localhost:9465", nil), Person{}},
		{"nobody named", &proxied, request(t, "10.1.2.3:9", "h", header("X-Forwarded-User", " ")), Person{}},
		{"two named", &proxied, request(t, "10.1.2.3:9", "h", twice), Person{}},
	} {
		g, err := New(tt.cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := g.Who(tt.r); got != tt.want || ok != (tt.want.Role != RoleNone) {
			t.Errorf("%s: %+v %v, want %+v", tt.name, got, ok, tt.want)
		}
	}
}

// TestTokenReplaced: a token's file may be changed in place; while it is empty it lets nobody in.
func TestTokenReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg := &Config{Tokens: []Token{{Name: "ops", File: file}}}
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "ops") {
		t.Errorf("a file that is not there: %v", err)
	}
	write("too-short")
	if _, err := New(cfg); err == nil || strings.Contains(err.Error(), "too-short") {
		t.Errorf("a short token: %v", err)
	}
	write("the-first-token-of-all")
	g, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		text, shown string
		want        bool
	}{
		{"the-first-token-of-all", "the-first-token-of-all", true},
		{"", "", false},
		{"the-second-token-of-all", "the-first-token-of-all", false},
		{"the-second-token-of-all", "the-second-token-of-all", true},
	} {
		write(step.text)
		if _, ok := g.Who(request(t, "192.0.2.1:9", "h", header("Authorization", "Bearer "+step.shown))); ok != step.want {
			t.Errorf("file %q, shown %q: %v", step.text, step.shown, ok)
		}
	}
}

func TestRoles(t *testing.T) {
	for r := RoleViewer; r <= RoleApprover; r++ {
		var back Role
		text, err := r.MarshalText()
		if err != nil || back.UnmarshalText(text) != nil || back != r {
			t.Errorf("%s came back as %s", r, back)
		}
	}
	var r Role
	if r.UnmarshalText([]byte("none")) == nil || r.UnmarshalText([]byte("admin")) == nil || Role(9).String() != "invalid(9)" {
		t.Error("a role that is none")
	}
	if text := (&Token{Token: secret.Value(sentinel)}).Token.String(); strings.Contains(text, sentinel) {
		t.Error(text)
	}
}
