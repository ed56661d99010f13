package notify

import (
	"encoding/json"
	"net/url"
	"strings"

	"firebreak/internal/line"
)

// Body is the JSON of a webhook request: docs/webhook.md is its contract.
type Body struct {
	Version  int               `json:"version"` // 1
	ID       string            `json:"id"`      // of the entry
	DedupKey string            `json:"dedup_key"`
	Group    string            `json:"group"` // the same for all notices that are about one thing
	Kind     string            `json:"kind"`  // actuator.Kind, or more
	Phase    string            `json:"phase"`
	Severity string            `json:"severity"`
	Fleet    line.Name         `json:"fleet"`
	Hotspot  line.Name         `json:"hotspot"`
	Time     line.Stamp        `json:"time"`
	Text     line.Prose        `json:"text"`
	Links    map[string]string `json:"links,omitempty"`
	Line     json.RawMessage   `json:"line,omitempty"`
	Cut      []string          `json:"cut,omitempty"`
	More     *More             `json:"more,omitempty"`
}

// bodyVersion is the version of the contract.
const bodyVersion = 1

// NewBody is the body of a notice. external is the URL of the live page; empty = no links.
func NewBody(n *Notice, external string) *Body {
	b := &Body{Version: bodyVersion, ID: n.Key, DedupKey: n.Key, Group: n.Key, Text: line.Prose(Sentence(n))}
	if n.More != nil {
		b.Kind, b.More, b.Severity, b.Time = "more", n.More, Warning.String(), n.More.To
		return b
	}
	e := n.Entry
	b.Kind, b.Phase, b.Severity = e.Kind.String(), e.Phase.String(), severity(e).String()
	b.Fleet, b.Hotspot, b.Time, b.Line, b.Cut = line.Name(e.Fleet), line.Name(e.Hotspot), line.Stamp(e.At), e.Line, e.Cut
	b.Group = group(n)
	if external != "" && e.Hotspot != "" {
		page := strings.TrimRight(external, "/") + "/fleets/" + url.PathEscape(e.Fleet) + "/hotspots/" + url.PathEscape(e.Hotspot)
		b.Links = map[string]string{"hotspot": page}
	}
	return b
}

// group is the hotspot's id, which its notices share, or a hash of what other news is about.
func group(n *Notice) string {
	if n.Entry.Hotspot != "" {
		return n.Entry.Hotspot
	}
	return groupID(lane(n.Entry))
}
