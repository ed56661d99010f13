package pagerduty

import (
	"fmt"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/words"
)

// Limits of an event: https://developer.pagerduty.com/docs/events-api-v2/trigger-events/.
const (
	maxSummary = 1024      // characters
	maxDedup   = 255       // characters
	maxEvent   = 512 << 10 // bytes
	// maxDetail is the longest text of one custom detail, in bytes: forty of them are far from maxEvent.
	maxDetail = 2048
	// maxDetails is how many custom details an event has.
	maxDetails = 40
)

// event is the body of a request.
type event struct {
	RoutingKey string   `json:"routing_key"`
	Action     action   `json:"event_action"`
	Dedup      string   `json:"dedup_key"`
	Client     string   `json:"client,omitempty"`
	ClientURL  string   `json:"client_url,omitempty"`
	Links      []link   `json:"links,omitempty"`
	Payload    *payload `json:"payload"`
}

type link struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

type payload struct {
	Summary   string            `json:"summary"`
	Source    string            `json:"source"`
	Severity  string            `json:"severity"` // critical, error, warning or info
	Timestamp string            `json:"timestamp,omitempty"`
	Component string            `json:"component,omitempty"`
	Group     string            `json:"group,omitempty"`
	Class     string            `json:"class,omitempty"`
	Details   map[string]string `json:"custom_details,omitempty"`
}

// newEvent is an event of a message: what is triggered, and the end of what is over, so that this stands in the incident last. Others
// say only which incident they are about.
func newEvent(key string, is step, m *notify.Message, at time.Time) *event {
	e := &event{RoutingKey: key, Action: is.action, Dedup: is.dedup}
	if e.Action != trigger && (e.Action != resolve || m.State != notify.Over) {
		return e
	}
	e.Client = "firebreak"
	for _, l := range m.Links {
		e.Links = append(e.Links, link{l.URL, l.Text})
	}
	if len(m.Links) > 0 {
		e.ClientURL = m.Links[0].URL
	}
	e.Payload = &payload{
		Summary: summary(m), Source: source(m), Severity: m.Severity.String(), Component: short(m.Shard), Group: short(m.Fleet), Class: m.Cause, Details: details(m),
	}
	if !at.IsZero() {
		e.Payload.Timestamp = at.UTC().Format(time.RFC3339)
	}
	return e
}

// dedup is a subject as a dedup key; one that is too long or does not print is hashed.
func dedup(subject string) string {
	if len(subject) <= maxDedup && strings.Trim(subject, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == "" {
		return subject
	}
	return actuator.NewID("subject", subject)
}

// summary is the title and what is most to be known, with the hash of a key that was cut.
func summary(m *notify.Message) string {
	end := ""
	if long(m.Key) {
		end = " [key " + hash(m.Key) + "]"
	}
	text := m.Text.Quoted()
	if m.Shard != "" || m.State == notify.Over {
		text = m.Title.Quoted() + "."
		for _, f := range m.Facts {
			if f.Label == "What" && m.State != notify.Over || f.Label == "What to do" {
				text += " " + f.Text.Quoted()
			}
		}
	}
	return clip(text, maxSummary-len(end)) + end
}

// source is the affected system.
func source(m *notify.Message) string {
	if m.Fleet == "" {
		return "firebreak"
	}
	return "fleet " + short(m.Fleet)
}

// details are the facts, the names in full as far as there is room, and who answers for them. Facts are numbered: PagerDuty sorts details
// by name, and this is the order of reading.
func details(m *notify.Message) map[string]string {
	out := map[string]string{}
	add := func(label, text string) {
		if text == "" || len(out) >= maxDetails {
			return
		}
		out[label] = clip(text, maxDetail)
	}
	for i, f := range m.Facts {
		add(fmt.Sprintf("%02d %s", 1+i, f.Label), f.Text.Quoted())
	}
	add("Key", words.Show(m.Key, maxDetail/4))
	add("Tenant", words.Show(m.Tenant, maxDetail/4))
	if long(m.Key) {
		add("Key, xxHash64", hash(m.Key))
	}
	add("The evidence", m.Command)
	if m.Owner != nil {
		add("Owner", m.Owner.Team)
	}
	return out
}

// long says whether a name is cut where it is shown.
func long(name string) bool {
	return words.Show(name, words.MaxName) != words.Show(name, len(name)+words.MaxName)
}

// hash is that of a redacted journal.
func hash(name string) string {
	h, err := actuator.ParseRedact("hash")
	if err != nil {
		return ""
	}
	return h([]byte(name))
}

func short(name string) string { return words.Show(name, words.MaxName) }

// clip shortens text to at most so many bytes, between two characters.
func clip(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return text
	}
	at := 0
	for i := range text {
		if i > most-len(mark) {
			break
		}
		at = i
	}
	return text[:at] + mark
}
