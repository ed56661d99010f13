package registry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Schema is what a registry has under an id.
type Schema struct {
	Kind string // AVRO, PROTOBUF, JSON, or what else it says
	Text string
}

// Options are how a registry is reached.
type Options struct {
	URLs    []string                  // http or https, some with a path; they are tried in turn, from the one on that answered last
	TLS     *tls.Config               // nil = the authorities of the system
	Sign    func(*http.Request) error // adds credentials to a request; nil = there are none
	Timeout time.Duration             // of one request
	// Dial connects; nil = the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client asks a registry. NewClient makes it; any goroutine may use it.
type Client struct {
	urls  []*url.URL
	sign  func(*http.Request) error
	http  *http.Client
	first atomic.Int64 // index of the address that answered last
}

const (
	// maxReply is the most bytes of an answer that are read: a schema as large is a rare one, and takes a second to compile.
	maxReply = 1 << 20
	// maxHeader is the same of its head.
	maxHeader = 64 << 10
	// maxRedirects is how many redirects of a host to itself are followed.
	maxRedirects = 3
)

// NewClient makes a client. Nothing is reached yet. The error names no address.
func NewClient(o Options) (*Client, error) {
	c := &Client{sign: o.Sign}
	for _, text := range o.URLs {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
			return nil, errors.New("want http or https addresses without a user")
		}
		c.urls = append(c.urls, u)
	}
	if len(c.urls) == 0 {
		return nil, errors.New("want one address or more")
	}
	c.http = &http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: redirect,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: o.Dial, TLSClientConfig: o.TLS, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: o.Timeout, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 1, MaxResponseHeaderBytes: maxHeader,
		},
	}
	return c, nil
}

// redirect lets a host send us to another of its own pages only: headers and certificates are for it alone.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// Close ends the connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Schema asks for a schema, one address after the other until one answers. ErrNone and errors that are ErrUnusable are
// answers too; of any other the registry could not be asked.
func (c *Client) Schema(ctx context.Context, id uint32) (Schema, error) {
	var failed []error
	first := int(c.first.Load())
	for i := range c.urls {
		at := (first + i) % len(c.urls)
		s, err := c.ask(ctx, c.urls[at], id)
		if err == nil || Answers(err) {
			c.first.Store(int64(at))
			return s, err
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return Schema{}, several(failed)
}

// Answers tells whether an error is the registry's word on a schema.
func Answers(err error) bool { return errors.Is(err, ErrNone) || errors.Is(err, ErrUnusable) }

// Trial is how one address took us.
type Trial struct {
	Host string // and port
	Err  error  // nil = it answers as a registry does
}

// probe is an id that no registry has given yet: they count from 1.
const probe = mostID

// Try asks each address for a schema that is not there.
func (c *Client) Try(ctx context.Context) []Trial {
	var all []Trial
	for _, u := range c.urls {
		_, err := c.get(ctx, page(u, probe))
		if Answers(err) {
			err = nil
		}
		all = append(all, Trial{u.Host, err})
	}
	return all
}

// ask sends one request.
func (c *Client) ask(ctx context.Context, base *url.URL, id uint32) (Schema, error) {
	s, err := c.get(ctx, page(base, id))
	if err != nil && !Answers(err) {
		return s, fmt.Errorf("registry %s: %w", base.Host, err)
	}
	return s, err
}

// page is where a registry has a schema.
func page(base *url.URL, id uint32) *url.URL {
	return base.JoinPath("schemas", "ids", strconv.FormatUint(uint64(id), 10))
}

func (c *Client) get(ctx context.Context, from *url.URL) (Schema, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), http.NoBody)
	if err != nil {
		return Schema{}, errors.New("the address makes no request")
	}
	req.Header.Set("Accept", "application/vnd.schemaregistry.v1+json, application/json")
	req.Header.Set("User-Agent", "firebreak")
	if c.sign != nil {
		if err := c.sign(req); err != nil {
			return Schema{}, err
		}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Schema{}, bare(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return Schema{}, bare(err)
	}
	return parseReply(resp.StatusCode, body)
}

// bare takes the address out of an error of the HTTP client.
func bare(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errSlow
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errSlow
	}
	return err
}

// errSlow says that an answer took too long.
var errSlow = fmt.Errorf("no answer in time (%w)", context.DeadlineExceeded)

// failures are those of several addresses, on one line.
type failures []error

func several(failed []error) error {
	if len(failed) == 1 {
		return failed[0]
	}
	return failures(failed)
}

// Error says them all.
func (f failures) Error() string {
	texts := make([]string, len(f))
	for i, err := range f {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap gives them.
func (f failures) Unwrap() []error { return f }
