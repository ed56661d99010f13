package alertmanager

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"firebreak/actuator/notify"
)

// sender is the Sender of the instances of one Alertmanager. Used by one goroutine.
type sender struct {
	cfg    notify.Alertmanager
	guide  *notify.Guide
	client *http.Client
	now    func() time.Time
}

// New makes the Sender of an Alertmanager. transport carries the requests, see notify.NewClient.
func New(cfg notify.Alertmanager, guide *notify.Guide, transport http.RoundTripper) notify.Sender {
	if cfg.Timeout == 0 {
		cfg.Timeout = notify.DefaultTimeout
	}
	if cfg.Keep == 0 {
		cfg.Keep = notify.DefaultKeep
	}
	return &sender{cfg: cfg, guide: guide, client: notify.NewClient(transport), now: time.Now}
}

// Send posts the alert of a notice to every instance: they share what was notified, not what fires. It is taken when one of them
// took it. The receipt is the labels that may change.
func (s *sender) Send(ctx context.Context, n *notify.Notice) (string, error) {
	token, err := s.cfg.Token.Read(s.cfg.TokenFile)
	if err != nil {
		return "", &notify.Failure{Why: "token: " + err.Error()}
	}
	alerts, receipt := newAlerts(s.guide.Message(n), moment{n.At(), s.now(), s.cfg.Keep}, n.Receipt)
	body, err := json.Marshal(alerts)
	if err != nil {
		return "", &notify.Failure{Final: true, Why: fmt.Sprintf("the alert cannot be written: %T", err)}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	taken := false
	var failed error
	for _, base := range s.cfg.URLs {
		target, err := url.Parse(strings.TrimRight(base, "/") + "/api/v2/alerts")
		if err != nil {
			return "", &notify.Failure{Final: true, Why: "urls: want absolute http or https URLs"}
		}
		if _, err := notify.Post(ctx, s.client, target, body, s.cfg.Timeout, header); err != nil {
			failed = graver(failed, err)
			continue
		}
		taken = true
	}
	if taken {
		return receipt, nil
	}
	return "", failed
}

// graver is the error that counts of two instances: one that may pass by itself.
func graver(a, b error) error {
	if f, ok := a.(*notify.Failure); ok && !f.Final { //nolint:errorlint // Post returns a Failure itself
		return a
	}
	return b
}
