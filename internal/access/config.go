package access

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"firebreak/internal/secret"
)

// Config says where the page and the API are served, and to whom. Default gives a valid one.
type Config struct {
	Listen string   `yaml:"listen"` // host:port; empty = no listener
	TLS    TLS      `yaml:"tls"`
	Tokens []Token  `yaml:"tokens"`
	Proxy  Proxy    `yaml:"proxy"`
	OpenTo []string `yaml:"open_to"` // addresses or networks from which anybody may look who names this machine, without a token
}

// TLS is a certificate and its key, PEM files that are read anew for each connection. The zero value is plain HTTP.
type TLS struct {
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// On says whether connections are encrypted.
func (t *TLS) On() bool { return t.CertFile != "" }

// Token lets in who shows it: as a bearer token, or as the password of basic authentication, which browsers ask for.
type Token struct {
	Name  string       `yaml:"name"`       // of who has it, unique
	Role  Role         `yaml:"role"`       // none = viewer
	Token secret.Value `yaml:"token"`      // 16 bytes or more
	File  string       `yaml:"token_file"` // of it, read for each request; instead of Token
}

// Proxy lets in whom a proxy names that has authenticated them. The zero value trusts none.
type Proxy struct {
	Header  string   `yaml:"header"`  // that names the person, such as X-Forwarded-User
	Trusted []string `yaml:"trusted"` // addresses or networks of the proxies; from elsewhere the header says nothing
	Role    Role     `yaml:"role"`    // of everybody who comes so; none = viewer
	// Hosts are the names by which the proxy asks for this listener, without a port. None: any, but from this machine itself only
	// names of it, for a page in a browser here could send the header as well.
	Hosts []string `yaml:"hosts"`
}

// minToken is the length of the shortest token, in bytes.
const minToken = 16

// Default serves on the loopback interface, to whoever is on this machine.
func Default() Config { return Config{Listen: "127.0.0.1:9465"} }

// ConfigError is a problem with one field of the configuration. It never holds the value of a secret.
type ConfigError struct{ path, problem string }

// Error says where and what.
func (e *ConfigError) Error() string { return e.path + ": " + e.problem }

// Field returns the path of the field, from the Config on, and what is wrong with it.
func (e *ConfigError) Field() (path, problem string) { return e.path, e.problem }

type problems []error

func (p *problems) want(ok bool, path, format string, args ...any) {
	if !ok {
		*p = append(*p, &ConfigError{path, fmt.Sprintf(format, args...)})
	}
}

// Validate reports every value that cannot be meant. It fills in nothing and reads no file.
func (c *Config) Validate() error {
	var p problems
	p.want(c.TLS.CertFile == "" == (c.TLS.KeyFile == ""), "tls", "want cert_file and key_file, or neither")
	names := map[string]bool{}
	for i := range c.Tokens {
		t := &c.Tokens[i]
		at := fmt.Sprintf("tokens[%d]", i)
		p.want(t.Name != "" && len(t.Name) <= 64, at+".name", "want 1 to 64 bytes: who has it")
		p.want(!names[t.Name], at+".name", "%q stands twice", t.Name)
		names[t.Name] = true
		p.want((t.Token == "") != (t.File == ""), at+".token", "want token or token_file, exactly one")
		p.want(t.Token == "" || len(t.Token) >= minToken, at+".token", "want %d bytes or more", minToken)
	}
	c.Proxy.validate(&p)
	for i, text := range c.OpenTo {
		_, err := network(text)
		p.want(err == nil, fmt.Sprintf("open_to[%d]", i), "%q: want an address or a network, such as 172.16.0.0/12", text)
	}
	p.want(!wide(c.OpenTo), "open_to", "%s is everywhere: an eighth of all addresses or more; want tokens or proxy", strings.Join(c.OpenTo, ", "))
	if c.Listen == "" {
		return errors.Join(p...)
	}
	host, port, err := net.SplitHostPort(c.Listen)
	_, numErr := strconv.ParseUint(port, 10, 16)
	p.want(err == nil && numErr == nil, "listen", "%q: want host:port, or nothing for no listener", c.Listen)
	if err == nil && !loopback(host) {
		p.want(c.Guarded(), "listen", "%q is not on the loopback interface: want tokens, proxy or open_to, or everybody who reaches it reads tenants and keys", c.Listen)
		p.want(len(c.Tokens) == 0 || c.TLS.On(), "tokens", "would travel unencrypted to %q: want tls", c.Listen)
	}
	return errors.Join(p...)
}

// validate judges the part of the proxy.
func (x *Proxy) validate(p *problems) {
	p.want(x.Header == "" == (len(x.Trusted) == 0), "proxy", "want header and trusted, or neither")
	p.want(x.Header == "" || http.CanonicalHeaderKey(x.Header) != "" && strings.Trim(x.Header, headerLetters) == "", "proxy.header", "%q is no name of a header", x.Header)
	for i, text := range x.Trusted {
		_, err := network(text)
		p.want(err == nil, fmt.Sprintf("proxy.trusted[%d]", i), "%q: want an address or a network, such as 10.0.0.0/8", text)
	}
	p.want(!wide(x.Trusted), "proxy.trusted", "%s is everywhere: an eighth of all addresses or more; anybody could send the header", strings.Join(x.Trusted, ", "))
	p.want(len(x.Hosts) == 0 || x.Header != "", "proxy.hosts", "want header and trusted, too")
	for i, host := range x.Hosts {
		p.want(host != "" && !strings.ContainsAny(host, "/: "), fmt.Sprintf("proxy.hosts[%d]", i), "%q: want a name without a port, such as firebreak.example.com", host)
	}
}

const headerLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

// Guarded says whether anybody has to say who they are.
func (c *Config) Guarded() bool {
	return len(c.Tokens) > 0 || c.Proxy.Header != "" || len(c.OpenTo) > 0
}

// Files are the paths of the configuration's files, to be changed in place.
func (c *Config) Files() []*string {
	out := []*string{&c.TLS.CertFile, &c.TLS.KeyFile}
	for i := range c.Tokens {
		out = append(out, &c.Tokens[i].File)
	}
	return out
}

// loopback says whether only this machine reaches a host to listen on.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// wide says whether networks together hold an eighth of the addresses of IPv4, or of IPv6, or more: all that the internet uses of IPv6 is
// an eighth, and no site has as much.
func wide(texts []string) bool {
	const most = 1.0 / 8
	all, _ := networks(texts)
	share := map[bool]float64{}
	for i, n := range all {
		within := func(j int, o netip.Prefix) bool {
			return o.Bits() < n.Bits() && o.Contains(n.Addr()) || o == n && j < i
		}
		counted := false
		for j, o := range all {
			counted = counted || j != i && within(j, o)
		}
		if !counted {
			share[n.Addr().Is4()] += math.Ldexp(1, -n.Bits())
		}
	}
	return max(share[true], share[false]) >= most
}

// network reads an address or a network.
func network(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err
}
