package notify

import (
	"encoding/json"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// Body is the JSON of a webhook request: docs/webhook.md is its contract.
type Body struct {
	Version  int               `json:"version"` // 1
	ID       string            `json:"id"`      // of the entry
	DedupKey string            `json:"dedup_key"`
	Group    string            `json:"group"` // the same for all notices that are about one thing
	Kind     string            `json:"kind"`  // actuator.Kind, more, or test
	Phase    string            `json:"phase"`
	Severity string            `json:"severity"`
	Fleet    line.Name         `json:"fleet"`
	Hotspot  line.Name         `json:"hotspot"`
	Time     line.Stamp        `json:"time"`
	Text     line.Prose        `json:"text"`
	Links    map[string]string `json:"links,omitempty"`
	Owner    *Owner            `json:"owner,omitempty"`
	Line     json.RawMessage   `json:"line,omitempty"`
	Cut      []string          `json:"cut,omitempty"`
	More     *More             `json:"more,omitempty"`
}

// bodyVersion is the version of the contract.
const bodyVersion = 1

// NewBody is the body of a notice.
func NewBody(n *Notice, g *Guide) *Body {
	b := &Body{Version: bodyVersion, ID: n.Key, DedupKey: n.Key, Group: n.Key, Text: line.Prose(g.Sentence(n)), Owner: g.Owner(n)}
	switch {
	case n.Test != nil:
		b.Kind, b.Severity, b.Time = "test", Warning.String(), line.Stamp(n.Test.At)
		return b
	case n.More != nil:
		b.Kind, b.More, b.Severity, b.Time, b.Group = "more", n.More, Warning.String(), n.More.To, n.More.Group
		if n.More.Critical > 0 {
			b.Severity = Critical.String()
		}
		return b
	}
	e := n.Entry
	b.Kind, b.Phase, b.Severity = e.Kind.String(), e.Phase.String(), severity(e).String()
	b.Fleet, b.Hotspot, b.Time, b.Line, b.Cut = line.Name(e.Fleet), line.Name(e.Hotspot), line.Stamp(e.At), e.Line, e.Cut
	b.Group = group(n)
	if page := g.page(e); page != "" {
		b.Links = map[string]string{"hotspot": page}
	}
	return b
}

// groupDigits is how many hexadecimal digits name a subject that is no hotspot.
const groupDigits = 16

// group is the hotspot's id, which its notices share, or a hash of what other news is about: also of the call of a person to an operation.
func group(n *Notice) string {
	if n.Entry.Hotspot != "" && !calls(n.Entry) {
		return n.Entry.Hotspot
	}
	return actuator.NewID(subject(n.Entry))[:groupDigits]
}
