package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Person is who asks.
type Person struct {
	Name string // empty = whoever is on this machine
	Role Role
}

// Guard tells who asks. It is read only.
type Guard struct {
	open    bool // nobody has to say: the listener is on the loopback interface
	tokens  []Token
	proxy   Proxy
	trusted []netip.Prefix
	openTo  []netip.Prefix
}

// New makes the guard of a valid configuration. It checks that every token can be read. Errors name the file of a token, never the token.
func New(cfg *Config) (*Guard, error) {
	g := &Guard{open: !cfg.Guarded(), tokens: cfg.Tokens, proxy: cfg.Proxy}
	for i := range g.tokens {
		t := &g.tokens[i]
		text, err := t.Token.Read(t.File)
		if err != nil {
			return nil, fmt.Errorf("token of %q: %w", t.Name, err)
		}
		if len(text) < minToken {
			return nil, fmt.Errorf("token of %q: want %d bytes or more", t.Name, minToken)
		}
	}
	var err error
	if g.trusted, err = networks(cfg.Proxy.Trusted); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if g.openTo, err = networks(cfg.OpenTo); err != nil {
		return nil, fmt.Errorf("open_to: %w", err)
	}
	return g, nil
}

// Who says who asks; false = nobody that is known.
func (g *Guard) Who(r *http.Request) (Person, bool) {
	if g.open {
		if !localHost(r.Host) {
			return Person{}, false
		}
		return Person{Role: RoleViewer}, true
	}
	if p, ok := g.byProxy(r); ok {
		return p, true
	}
	if p, ok := g.byToken(r); ok {
		return p, true
	}
	if from(r, g.openTo) && localHost(r.Host) {
		return Person{Role: RoleViewer}, true
	}
	return Person{}, false
}

// networks reads addresses and networks; with an error out has those that are ones.
func networks(texts []string) (out []netip.Prefix, err error) {
	for _, text := range texts {
		p, bad := network(text)
		if bad != nil {
			err = bad
			continue
		}
		out = append(out, p)
	}
	return out, err
}

// from says whether a request comes from one of some networks.
func from(r *http.Request, some []netip.Prefix) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	for _, p := range some {
		if p.Contains(at.Addr().Unmap()) {
			return true
		}
	}
	return false
}

// localHost says whether a request means this machine: a page elsewhere whose name was made to lead here does not.
func localHost(host string) bool { return loopback(hostOf(host)) }

// hostOf is the name of a host, without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.Trim(host, "[]")
}

// Open says that nobody has to say who they are.
func (g *Guard) Open() bool { return g.open }

// Tokens says whether a token would let somebody in.
func (g *Guard) Tokens() bool { return len(g.tokens) > 0 }

// byProxy believes the header of a trusted proxy that names one person.
func (g *Guard) byProxy(r *http.Request) (Person, bool) {
	names := r.Header.Values(g.proxy.Header)
	if g.proxy.Header == "" || len(names) != 1 || strings.TrimSpace(names[0]) == "" {
		return Person{}, false
	}
	if !from(r, g.trusted) || !g.named(r) {
		return Person{}, false
	}
	return Person{Name: strings.TrimSpace(names[0]), Role: g.proxy.Role.or()}, true
}

// named says whether a request that comes as from a proxy asks for this listener by a name that a proxy would use.
func (g *Guard) named(r *http.Request) bool {
	host := hostOf(r.Host)
	if slices.ContainsFunc(g.proxy.Hosts, func(name string) bool { return strings.EqualFold(name, host) }) {
		return true
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	here := err != nil || at.Addr().Unmap().IsLoopback()
	return localHost(r.Host) || len(g.proxy.Hosts) == 0 && !here
}

// Misnamed says that a trusted proxy names somebody, and asks by a name that it is not known to use.
func (g *Guard) Misnamed(r *http.Request) bool {
	return g.proxy.Header != "" && r.Header.Get(g.proxy.Header) != "" && from(r, g.trusted) && !g.named(r)
}

// byToken looks for a bearer token, or one that stands as a password. Digests are compared, of every token, so that the time says
// nothing.
func (g *Guard) byToken(r *http.Request) (Person, bool) {
	shown := ""
	if kind, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "bearer") {
		shown = strings.TrimSpace(text)
	} else if _, password, ok := r.BasicAuth(); ok {
		shown = password
	}
	if shown == "" {
		return Person{}, false
	}
	sum := sha256.Sum256([]byte(shown))
	var found Person
	for i := range g.tokens {
		t := &g.tokens[i]
		text, err := t.Token.Read(t.File)
		if err != nil || len(text) < minToken { // a file that is being replaced lets nobody in
			continue
		}
		want := sha256.Sum256([]byte(text))
		if subtle.ConstantTimeCompare(sum[:], want[:]) == 1 {
			found = Person{t.Name, t.Role.or()}
		}
	}
	return found, found.Role != RoleNone
}
