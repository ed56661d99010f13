package pagerduty

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"firebreak/actuator/notify"
)

// changeEvent is the body of a change event: what is shown beside the incidents of a service and calls nobody,
// https://developer.pagerduty.com/docs/events-api-v2/send-change-events/.
type changeEvent struct {
	RoutingKey string         `json:"routing_key"`
	Links      []link         `json:"links,omitempty"`
	Payload    *changePayload `json:"payload"`
}

type changePayload struct {
	Summary   string            `json:"summary"`
	Source    string            `json:"source"`
	Timestamp string            `json:"timestamp,omitempty"`
	Details   map[string]string `json:"custom_details,omitempty"`
}

// change tells that an operation made its first write, and what became of it; of the steps between nothing is told.
func (s *sender) change(ctx context.Context, target *url.URL, key string, m *notify.Message, at time.Time) error {
	if m.Step != notify.StepBegun && m.Step != notify.StepEnded {
		return nil
	}
	to := *target
	to.Path = strings.TrimSuffix(to.Path, "/enqueue") + "/change/enqueue"
	e := newChange(key, m, at)
	body, err := json.Marshal(e)
	if err == nil && len(body) > maxEvent { // links may be of any length
		e.Links = nil
		body, err = json.Marshal(e)
	}
	return s.post(ctx, &to, body, err)
}

func newChange(key string, m *notify.Message, at time.Time) *changeEvent {
	e := &changeEvent{RoutingKey: key, Payload: &changePayload{Summary: clip(m.Text.Quoted(), maxSummary), Source: source(m), Details: details(m)}}
	for _, l := range m.Links {
		e.Links = append(e.Links, link{l.URL, l.Text})
	}
	if !at.IsZero() {
		e.Payload.Timestamp = at.UTC().Format(time.RFC3339)
	}
	return e
}
