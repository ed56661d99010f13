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

	"firebreak/actuator"
	"firebreak/internal/line"
)

// maxAnswer is how much of an answer is read, so that its connection can be used again. Its text is for nobody.
const maxAnswer = 64 << 10

// hook is the Sender of a webhook. Used by one goroutine.
type hook struct {
	cfg      Webhook
	external string
	client   *http.Client
	now      func() time.Time
}

// NewWebhook makes the Sender of a webhook. external is the URL of the live page, for links; empty = none. transport carries
// the requests; nil = a transport of its own that honours the proxy variables of the environment. Redirects are not followed:
// a signed body goes to the configured host and to no other.
func NewWebhook(cfg Webhook, external string, transport http.RoundTripper) Sender {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if transport == nil {
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConns: 2, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: cfg.Timeout, ForceAttemptHTTP2: true,
		}
	}
	return &hook{cfg: cfg, external: external, now: time.Now, client: &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Send posts one notice.
func (h *hook) Send(ctx context.Context, n *Notice) error {
	body, err := line.Encode(NewBody(n, h.external))
	if err != nil {
		return &Failure{Final: true, Why: fmt.Sprintf("the notice cannot be written: %T", err)}
	}
	body = bytes.TrimSuffix(body, []byte("\n"))
	target, secret, err := h.cfg.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return &Failure{Final: true, Why: "the URL makes no request"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "firebreak")
	req.Header.Set(IDHeader, n.Key)
	req.Header.Set(AttemptHeader, strconv.Itoa(n.Attempt))
	req.Header.Set(SignatureHeader, Sign(secret, body, h.now()))
	resp, err := h.client.Do(req)
	if err != nil {
		return &Failure{Why: target.Hostname() + ": " + cause(err)}
	}
	defer resp.Body.Close()                                                                //nolint:errcheck // read only
	if _, err := io.CopyN(io.Discard, resp.Body, maxAnswer); err != nil && err != io.EOF { //nolint:errorlint // CopyN gives io.EOF itself
		h.client.CloseIdleConnections() // the status has come and counts
	}
	return h.judge(resp, target.Hostname())
}

// Readable says what is wrong with the URL and the secret as they are now, in their files too. It sends nothing, and its error
// holds neither.
func (w *Webhook) Readable() error {
	_, _, err := w.open()
	return err
}

// open reads the URL and the secret.
func (w *Webhook) open() (*url.URL, string, error) {
	text, err := w.URL.Read(w.URLFile)
	if err != nil {
		return nil, "", &Failure{Why: "url_file: " + err.Error()}
	}
	target, err := url.Parse(text)
	if err != nil || !absolute(text) {
		return nil, "", &Failure{Why: "url: want an absolute http or https URL"}
	}
	secret, err := w.Secret.Read(w.SecretFile)
	if err == nil && len(secret) < leastSecret {
		err = fmt.Errorf("want at least %d bytes", leastSecret)
	}
	if err != nil {
		return nil, "", &Failure{Why: "secret: " + err.Error()}
	}
	return target, secret, nil
}

// judge turns an answer into what becomes of the notice. 2xx has taken it. 408, 425, 429 and 5xx are tried again, as the
// receiver may recover by itself. Everything else is final: it would say the same again.
func (h *hook) judge(resp *http.Response, host string) error {
	code := resp.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	f := &Failure{Why: fmt.Sprintf("%s: status %d", host, code), Final: true}
	switch {
	case code >= 300 && code < 400:
		f.Why += ", a redirect, which is not followed"
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		f.Final = false
		f.After = retryAfter(resp.Header.Get("Retry-After"), h.now())
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

// groupID is a short name of a lane.
func groupID(lane string) string { return actuator.NewID(lane)[:16] }
