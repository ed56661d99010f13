package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebreak/internal/kafkarig"
)

// TestRegistrySigns: user and password, or a token, from the configuration or from a file that changes.
func TestRegistrySigns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		_, _ = fmt.Fprint(w, `{"schema":"1"}`)
	}))
	defer server.Close()
	for _, tc := range []struct {
		registry Registry
		want     string // with the file's words
	}{
		{Registry{}, ""},
		{Registry{User: "u", Password: "p"}, "Basic dTpw"},
		{Registry{User: "u", PasswordFile: file}, "Basic dTpvbmU= Basic dTp0d28="},
		{Registry{Token: "t"}, "Bearer t"},
		{Registry{TokenFile: file}, "Bearer one Bearer two"},
	} {
		tc.registry.URLs = URLs{server.URL}
		client, err := tc.registry.Client()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, word := range []string{"one", "two"} {
			if err := os.WriteFile(file, []byte(word+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Schema(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if len(all) == 0 || all[len(all)-1] != got {
				all = append(all, got)
			}
		}
		client.Close()
		if got := strings.Join(all, " "); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
	client, err := (&Registry{URLs: URLs{server.URL}, TokenFile: file + ".none"}).Client()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Schema(t.Context(), 1); err == nil || !strings.Contains(err.Error(), ".none: no such file") {
		t.Errorf("without its file: %v", err)
	}
}

// TestCheckRegistry: each address is tried as a run asks it, and what is wrong stands beside what mends it.
func TestCheckRegistry(t *testing.T) {
	dir := t.TempDir()
	files := kafkarig.Certificates(t)
	pair, err := tls.LoadX509KeyPair(files.ServerPair(), files.ServerPair())
	if err != nil {
		t.Fatal(err)
	}
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch user, password, _ := r.BasicAuth(); {
		case !strings.HasPrefix(r.URL.Path, "/api/schemas/ids/"):
			w.WriteHeader(404)
		case user != "u" || password != "right":
			w.WriteHeader(401)
			_, _ = fmt.Fprint(w, `{"error_code":401,"message":"hunter2"}`)
		default:
			w.WriteHeader(404)
			_, _ = fmt.Fprint(w, `{"error_code":40403,"message":"Schema not found"}`)
		}
	})
	plain := httptest.NewServer(answer)
	defer plain.Close()
	secure := httptest.NewUnstartedServer(answer)
	authorities := x509.NewCertPool()
	pem, err := os.ReadFile(files.CA)
	if err != nil {
		t.Fatal(err)
	}
	authorities.AppendCertsFromPEM(pem)
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: authorities, ClientAuth: tls.RequireAndVerifyClientCert}
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // of handshakes that fail
	secure.StartTLS()
	defer secure.Close()
	ours := Registry{URLs: URLs{secure.URL + "/api"}, User: "u", Password: "right", CAFile: files.CA, CertFile: files.Cert, KeyFile: files.Key}
	with := func(change func(*Registry)) Registry {
		r := ours
		change(&r)
		return r
	}
	for name, tc := range map[string]struct {
		registry     Registry
		detail, mend string
	}{
		"certificate":   {ours, "answers, signed in", ""},
		"plain":         {Registry{URLs: URLs{plain.URL + "/api"}, User: "u", Password: "right"}, "what we sign in with travels readable", ""},
		"password":      {with(func(r *Registry) { r.Password = "hunter2" }), "status 401", "check registry.user with its password"},
		"path":          {with(func(r *Registry) { r.URLs = URLs{secure.URL + "/hunter2"} }), "no registry at this path", "check the path"},
		"authority":     {with(func(r *Registry) { r.CAFile = files.OtherCA }), "unknown authority", "set registry.ca_file"},
		"name":          {with(func(r *Registry) { r.ServerName = "r.example" }), "not r.example", "set registry.server_name"},
		"not ours":      {with(func(r *Registry) { r.CertFile, r.KeyFile = "", "" }), "tls", "check"},
		"no TLS":        {with(func(r *Registry) { r.URLs = URLs{strings.Replace(plain.URL, "http:", "https:", 1)} }), "server gave HTTP response", "write http instead of https"},
		"nobody":        {with(func(r *Registry) { r.URLs = URLs{"https://127.0.0.1:1"} }), "refused", "check the address"},
		"no such file":  {with(func(r *Registry) { r.CAFile = dir + "/none" }), "no such file", "mend the registry part"},
		"file, no cert": {with(func(r *Registry) { r.CAFile = files.Key }), "holds no certificate", "mend the registry part"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &doctor{cluster: &Cluster{Registry: tc.registry}}
			d.registry(t.Context())
			if len(d.found) != 1 {
				t.Fatalf("found %+v", d.found)
			}
			f := d.found[0]
			if f.OK != (tc.mend == "") || !strings.Contains(f.Detail, tc.detail) || !strings.Contains(f.Mend, tc.mend) || !strings.HasPrefix(f.Name, "main: registry") {
				t.Errorf("%+v, want %q, mend %q", f, tc.detail, tc.mend)
			}
			if strings.Contains(f.Name+f.Detail+f.Mend, "hunter2") {
				t.Errorf("a secret is shown: %+v", f)
			}
		})
	}
}
