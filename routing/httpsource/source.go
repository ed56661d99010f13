package httpsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// longestAsked bounds how long a server may ask to be left alone: it is not believed for longer.
const longestAsked = 5 * time.Minute

// Source reads what a Handler serves. It keeps the last head and document, so that an answer that says "as before" costs no bytes. Safe for
// concurrent use; make it with New.
type Source struct {
	base   *url.URL
	token  string
	client *http.Client

	mu   sync.Mutex
	last map[string]kept // by path
}

type kept struct {
	tag  string
	body []byte
}

// Throttled is a server that asks to be left alone.
type Throttled struct {
	status int
	asked  time.Duration
}

// Error says for how long.
func (t *Throttled) Error() string {
	return fmt.Sprintf("httpsource: the server answers %d: not again before %v", t.status, t.asked)
}

// RetryAfter is how long the server asks to be left alone.
func (t *Throttled) RetryAfter() time.Duration { return t.asked }

// New reads from the address under which a Handler is mounted, with a bearer token unless that is empty. A token is sent over TLS only, or to
// this machine. A nil client is one of its own; of a given one, redirects are not followed either.
func New(address, token string, client *http.Client) (*Source, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errors.New("httpsource: address: want http:// or https:// and a host")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("httpsource: address: want neither a user, a query nor a fragment")
	}
	if token != "" && base.Scheme == "http" && !loopback(base.Hostname()) {
		return nil, errors.New("httpsource: token: it would travel unencrypted: want https")
	}
	var own http.Client
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Source{base: base, token: token, client: &own, last: map[string]kept{}}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Head reads the head.
func (s *Source) Head(ctx context.Context) (control.Head, error) {
	b, err := s.get(ctx, "head", "", maxHead)
	if err != nil {
		return control.Head{}, err
	}
	return control.ParseHead(b)
}

// Document reads the document; the server reads on until it has one that is as late as atLeast, where there is one.
func (s *Source) Document(ctx context.Context, atLeast control.Head) (*routing.Document, error) {
	query := url.Values{"epoch": {strconv.FormatUint(atLeast.Epoch, 10)}, "version": {strconv.FormatUint(atLeast.Version, 10)}}
	b, err := s.get(ctx, "document", query.Encode(), routing.MaxDocumentBytes)
	if err != nil {
		return nil, err
	}
	return routing.ParseDocument(b)
}

// Confirm puts what a client holds.
func (s *Source) Confirm(ctx context.Context, c control.Confirmation) error {
	b, err := c.Encode()
	if err != nil {
		return fmt.Errorf("httpsource: %w", err)
	}
	req, err := s.request(ctx, http.MethodPut, "confirmations", "", bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req) //nolint:gosec // the address is the application's
	if err != nil {
		return fmt.Errorf("httpsource: %w", err)
	}
	defer done(resp)
	return failure(resp, http.StatusNoContent)
}

func (s *Source) request(ctx context.Context, method, path, query string, body io.Reader) (*http.Request, error) {
	u := s.base.JoinPath(path)
	u.RawQuery = query
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body) //nolint:gosec // the address is the application's
	if err != nil {
		return nil, fmt.Errorf("httpsource: %w", err)
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	return req, nil
}

// get reads a body of at most so many bytes, or the one of before where the server says that it is the same.
func (s *Source) get(ctx context.Context, path, query string, most int64) ([]byte, error) {
	req, err := s.request(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	last := s.last[path]
	s.mu.Unlock()
	if last.tag != "" {
		req.Header.Set("If-None-Match", last.tag)
	}
	resp, err := s.client.Do(req) //nolint:gosec // the address is the application's
	if err != nil {
		return nil, fmt.Errorf("httpsource: %w", err)
	}
	defer done(resp)
	if resp.StatusCode == http.StatusNotModified && last.tag != "" {
		return last.body, nil
	}
	if err := failure(resp, http.StatusOK); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("httpsource: %s: %w", path, err)
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("httpsource: %s: more than %d bytes", path, most)
	}
	if tag := resp.Header.Get("ETag"); tag != "" && len(tag) <= maxTag {
		s.mu.Lock()
		s.last[path] = kept{tag, b}
		s.mu.Unlock()
	}
	return b, nil
}

// maxTag bounds what is kept of a server's ETag.
const maxTag = 256

// done lets a connection be used again, unless the server sends on and on.
func done(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}

// failure is what a status means, nil for the one that is wanted.
func failure(resp *http.Response, want int) error {
	switch resp.StatusCode {
	case want:
		return nil
	case http.StatusNotFound:
		if resp.Header.Get(headerNone) != "" {
			return fmt.Errorf("httpsource: %w", control.ErrNone)
		}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		n, err := strconv.ParseUint(strings.TrimSpace(resp.Header.Get("Retry-After")), 10, 31)
		asked := time.Duration(n) * time.Second
		if err != nil {
			asked = askAgain
		}
		return &Throttled{resp.StatusCode, min(asked, longestAsked)}
	}
	return fmt.Errorf("httpsource: the server answers %d, want %d", resp.StatusCode, want)
}
