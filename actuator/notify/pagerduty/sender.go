package pagerduty

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"firebreak/actuator/notify"
)

// sender is the Sender of a service. Used by one goroutine.
type sender struct {
	cfg    notify.PagerDuty
	guide  *notify.Guide
	client *http.Client
}

// New makes the Sender of a service of PagerDuty. transport carries the requests, see notify.NewClient.
func New(cfg notify.PagerDuty, guide *notify.Guide, transport http.RoundTripper) notify.Sender {
	if cfg.Timeout == 0 {
		cfg.Timeout = notify.DefaultTimeout
	}
	if cfg.URL == "" {
		cfg.URL = notify.DefaultPagerDuty
	}
	return &sender{cfg: cfg, guide: guide, client: notify.NewClient(transport)}
}

// Send enqueues one event. It has no receipt: the dedup key says which incident it is about. PagerDuty answers 202 when it has
// taken an event, 400 when it never will, and 429 when there were too many: they are tried again, as other failures are.
func (s *sender) Send(ctx context.Context, n *notify.Notice) (string, error) {
	key, err := s.cfg.RoutingKey.Read(s.cfg.RoutingKeyFile)
	if err != nil {
		return "", &notify.Failure{Why: "routing_key_file: " + err.Error()}
	}
	target, err := url.Parse(s.cfg.URL)
	if err != nil {
		return "", &notify.Failure{Final: true, Why: "url: want an absolute http or https URL"}
	}
	e := newEvent(key, s.guide.Message(n), n.At())
	body, err := json.Marshal(e)
	if err == nil && len(body) > maxEvent { // links may be of any length
		e.Links, e.ClientURL = nil, ""
		body, err = json.Marshal(e)
	}
	if err != nil {
		return "", &notify.Failure{Final: true, Why: fmt.Sprintf("the event cannot be written: %T", err)}
	}
	_, err = notify.Post(ctx, s.client, target, body, s.cfg.Timeout, http.Header{"Content-Type": {"application/json"}})
	return "", err
}
