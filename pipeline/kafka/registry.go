package kafka

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"firebreak/internal/secret"
	"firebreak/pipeline/registry"
)

// Registry is how the schema registry of a cluster is reached, whose ids its records carry. The zero value is none.
type Registry struct {
	URLs         URLs          `yaml:"url"`                    // https or http; tried in turn
	User         string        `yaml:"user"`                   // of basic authentication
	Password     secret.Value  `yaml:"password" secret:"true"` // of it
	PasswordFile string        `yaml:"password_file"`
	Token        secret.Value  `yaml:"token" secret:"true"` // instead of them: a bearer token
	TokenFile    string        `yaml:"token_file"`
	CAFile       string        `yaml:"ca_file"` // as those of TLS
	CertFile     string        `yaml:"cert_file"`
	KeyFile      string        `yaml:"key_file"`
	ServerName   string        `yaml:"server_name"`
	Timeout      time.Duration `yaml:"timeout"` // of one request; 0 = 5 s
	Wait         time.Duration `yaml:"wait"`    // how long a record waits for its schema; 0 = registry.DefaultWait
}

const (
	registryTimeout = 5 * time.Second
	mostTimeout     = time.Minute
	mostWait        = time.Hour
)

// URLs is a list of addresses. In YAML a text is the list of what its commas part.
type URLs []string

// UnmarshalYAML reads a text or a list.
func (u *URLs) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal(&text) != nil {
		return unmarshal((*[]string)(u))
	}
	*u = nil
	for part := range strings.SplitSeq(text, ",") {
		*u = append(*u, strings.TrimSpace(part))
	}
	return nil
}

// On says that there is a registry.
func (r *Registry) On() bool { return len(r.URLs) > 0 }

// validate notes what cannot be meant. It shows no address: some hold a password.
func (r *Registry) validate(p *problems) {
	password, token := r.Password != "" || r.PasswordFile != "", r.Token != "" || r.TokenFile != ""
	encrypted := false
	for i, text := range r.URLs {
		at := "registry.url[" + strconv.Itoa(i) + "]"
		u, err := url.Parse(text)
		p.want(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.RawQuery == "" && u.Fragment == "", at, "want https://host:port, or http, with a path if it has one")
		p.want(err != nil || u.User == nil, at, "holds a user: user and password have fields of their own")
		encrypted = encrypted || err == nil && u.Scheme == "https"
	}
	given := r.User != "" || password || token || r.CAFile != "" || r.CertFile != "" || r.KeyFile != "" || r.ServerName != "" || r.Timeout != 0 || r.Wait != 0
	p.want(r.On() || !given, "registry.url", "missing: say where the registry is")
	p.agree(r.Password == "" || r.PasswordFile == "", "registry.password_file", []string{"registry.password"}, "excludes password")
	p.agree(r.Token == "" || r.TokenFile == "", "registry.token_file", []string{"registry.token"}, "excludes token")
	p.agree((r.User != "") == password, "registry.user", []string{"registry.password", "registry.password_file"}, "user and password, or password_file, go together")
	p.agree(r.User == "" || !token, "registry.user", []string{"registry.token", "registry.token_file"}, "excludes a token")
	p.agree((r.CertFile == "") == (r.KeyFile == ""), "registry.cert_file", []string{"registry.key_file"}, "cert_file and key_file go together")
	plain := r.On() && !encrypted && (r.CAFile != "" || r.CertFile != "" || r.ServerName != "")
	p.agree(!plain, "registry.url", []string{"registry.ca_file", "registry.cert_file", "registry.server_name"}, "is not https, so nothing is encrypted")
	p.want(r.Timeout >= 0 && r.Timeout <= mostTimeout, "registry.timeout", "%v: want at most %v", r.Timeout, mostTimeout)
	p.want(r.Wait >= 0 && r.Wait <= mostWait, "registry.wait", "%v: want at most %v", r.Wait, mostWait)
}

// Client makes the client of the registry. Files of certificates are read here once, so that a wrong path is an error now;
// secrets are read for each request, and our certificate for each connection.
func (r *Registry) Client() (*registry.Client, error) {
	encryption := TLS{Enabled: true, CAFile: r.CAFile, CertFile: r.CertFile, KeyFile: r.KeyFile, ServerName: r.ServerName}
	config, err := encryption.config()
	if err != nil {
		return nil, err
	}
	o := registry.Options{URLs: r.URLs, TLS: config, Sign: r.sign, Timeout: r.Timeout}
	if o.Timeout == 0 {
		o.Timeout = registryTimeout
	}
	return registry.NewClient(o)
}

// Asker makes the one who asks the registry for the schemas of a cluster's records.
func (r *Registry) Asker(log *zap.Logger) (*registry.Asker, error) {
	client, err := r.Client()
	if err != nil {
		return nil, err
	}
	return registry.NewAsker(client, r.Wait, log), nil
}

// sign adds the credentials to a request.
func (r *Registry) sign(req *http.Request) error {
	switch {
	case r.User != "":
		password, err := r.Password.Read(r.PasswordFile)
		if err != nil {
			return err
		}
		req.SetBasicAuth(r.User, password)
	case r.Token != "" || r.TokenFile != "":
		token, err := r.Token.Read(r.TokenFile)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}
