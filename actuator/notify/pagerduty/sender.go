package pagerduty

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// Send enqueues the events of a notice; the receipt is the dedup key of the incident that is open. PagerDuty answers 202 when it has
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
	m := s.guide.Message(n)
	if m.More && m.State == notify.Note { // steps of operations and the like: nothing of it has an end
		return n.Receipt, nil
	}
	if m.Step != notify.NoStep {
		return n.Receipt, s.change(ctx, target, key, m, n.At())
	}
	all, receipt := steps(m, n.Receipt, n.Key)
	for _, is := range all {
		if err := s.enqueue(ctx, target, newEvent(key, is, m, n.At())); err != nil {
			return "", err
		}
	}
	return receipt, nil
}

// enqueue posts one event.
func (s *sender) enqueue(ctx context.Context, target *url.URL, e *event) error {
	body, err := json.Marshal(e)
	if err == nil && len(body) > maxEvent { // links may be of any length
		e.Links, e.ClientURL = nil, ""
		body, err = json.Marshal(e)
	}
	return s.post(ctx, target, body, err)
}

// post sends the body of an event; failed is why there is none.
func (s *sender) post(ctx context.Context, target *url.URL, body []byte, failed error) error {
	if failed != nil {
		return &notify.Failure{Final: true, Why: fmt.Sprintf("the event cannot be written: %T", failed)}
	}
	answer, err := notify.Post(ctx, s.client, target, body, s.cfg.Timeout, http.Header{"Content-Type": {"application/json"}})
	return judge(err, answer)
}

// judge tells a key that a person must mend from an event that is wrong: PagerDuty answers 400 to both, and names the key ("Invalid
// Routing Key", "Length of 'routing_key' is incorrect").
func judge(err error, answer []byte) error {
	f, failed := errors.AsType[*notify.Failure](err)
	if failed && f.Final && bytes.Contains(bytes.ReplaceAll(bytes.ToLower(answer), []byte("_"), []byte(" ")), []byte("routing key")) {
		return &notify.Failure{Person: true, Why: f.Why + ", the routing key"}
	}
	return err
}
