package notify

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// NewClient makes a client for requests to receivers. transport carries them; nil = a transport of its own that honours the
// proxy variables of the environment. Redirects are not followed: what is sent goes to the configured host and to no other.
func NewClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConns: 2, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: DefaultTimeout, ForceAttemptHTTP2: true,
		}
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Post sends a body and gives the beginning of the answer of who has taken it. The error is a *Failure that names the host and
// the cause, and never what the other side said.
func Post(ctx context.Context, client *http.Client, target *url.URL, body []byte, timeout time.Duration, header http.Header) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Failure{Final: true, Why: "the URL makes no request"}
	}
	for name, values := range header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("User-Agent", "firebreak")
	resp, err := client.Do(req)
	if err != nil {
		return nil, &Failure{Why: target.Hostname() + ": " + Cause(err)}
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		client.CloseIdleConnections() // the status has come and counts
	}
	return answer, Judge(resp, target.Hostname())
}

// Judge turns an answer into what becomes of the notice. 2xx has taken it. 408, 425, 429 and 5xx are tried again, as the
// receiver may recover by itself. So are, from time to time, 3xx, 401, 402, 403, 404, 405, 407 and 410: they speak of the URL or of the
// right to use it, which a person may mend. Everything else is final: it speaks of the notice, and would say the same again.
func Judge(resp *http.Response, host string) error {
	code := resp.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	f := &Failure{Why: fmt.Sprintf("%s: status %d", host, code)}
	switch {
	case code >= 300 && code < 400:
		f.Why += ", a redirect, which is not followed"
		f.Person = true
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		f.After = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	case code >= http.StatusUnauthorized && code <= http.StatusMethodNotAllowed, code == http.StatusProxyAuthRequired, code == http.StatusGone:
		f.Person = true
	default:
		f.Final = true
	}
	return f
}

// retryAfter reads a Retry-After header: seconds or an HTTP date; 0 = none that makes sense. RFC 9110 section 10.2.3.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if n, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
