package notify

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"firebreak/internal/line"
)

// hook is the Sender of a webhook. Used by one goroutine.
type hook struct {
	cfg    Webhook
	guide  *Guide
	client *http.Client
	now    func() time.Time
}

// NewWebhook makes the Sender of a webhook. transport carries the requests, see NewClient.
func NewWebhook(cfg Webhook, guide *Guide, transport http.RoundTripper) Sender {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	return &hook{cfg: cfg, guide: guide, now: time.Now, client: NewClient(transport)}
}

// Send posts one notice. It has no receipt.
func (h *hook) Send(ctx context.Context, n *Notice) (string, error) {
	body, err := line.Encode(NewBody(n, h.guide))
	if err != nil {
		return "", &Failure{Final: true, Why: fmt.Sprintf("the notice cannot be written: %T", err)}
	}
	body = bytes.TrimSuffix(body, []byte("\n"))
	target, secret, err := h.cfg.Open()
	if err != nil {
		return "", err
	}
	_, err = Post(ctx, h.client, target, body, h.cfg.Timeout, http.Header{
		"Content-Type": {"application/json"}, IDHeader: {n.Key}, AttemptHeader: {strconv.Itoa(n.Attempt)}, SignatureHeader: {Sign(secret, body, h.now())},
	})
	return "", err
}

// Open reads the URL and the secret. The error is a *Failure.
func (w *Webhook) Open() (*url.URL, string, error) {
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
