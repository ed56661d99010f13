package mover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"firebreak/actuator/notify"
	"firebreak/actuator/operation"
)

// maxAnswer is how much of an answer is read, in bytes, so that the connection can be used again.
const maxAnswer = 64 << 10

// hook is a Mover that posts tasks, signed as notices are.
type hook struct {
	cfg     *notify.Webhook
	timeout time.Duration
	client  *http.Client
}

// NewWebhook makes a Mover that posts each task. 200 and 204 are done, 202 not yet; a 4xx that speaks of the task is final, all else is
// tried again. timeout is of one attempt. transport carries the requests; nil = one of its own.
func NewWebhook(cfg *notify.Webhook, timeout time.Duration, transport http.RoundTripper) Mover {
	return &hook{cfg, timeout, notify.NewClient(transport)}
}

// Do posts the task once. Its id is the same for each attempt: fleet, operation, phase and version.
func (h *hook) Do(ctx context.Context, t *operation.Task) error {
	body, err := Encode(t)
	if err != nil {
		return &Final{err.Error()}
	}
	target, secret, err := h.cfg.Open()
	if err != nil {
		return err
	}
	call, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(call, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return &Final{"the URL makes no request"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "firebreak")
	req.Header.Set(notify.IDHeader, fmt.Sprintf("%s/%d/%s/%d", url.PathEscape(t.Fleet), t.Operation, t.Phase, t.Version))
	req.Header.Set(notify.SignatureHeader, notify.Sign(secret, body, time.Now()))
	resp, err := h.client.Do(req)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %s", target.Hostname(), notify.Cause(err))
	}
	defer resp.Body.Close() //nolint:errcheck // read only
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	switch code := resp.StatusCode; {
	case code == http.StatusAccepted:
		return ErrNotYet
	case code == http.StatusOK || code == http.StatusNoContent:
		return nil
	case code >= 200 && code < 300:
		return fmt.Errorf("%s: status %d: want 200, 202 or 204", target.Hostname(), code)
	}
	err = notify.Judge(resp, target.Hostname())
	if f := (*notify.Failure)(nil); errors.As(err, &f) && f.Final {
		return &Final{f.Why}
	}
	return err
}
