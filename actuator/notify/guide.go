package notify

import (
	"net/url"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// Guide is what notices say beside what the journal holds. The zero value has no links and no owners. It is read only.
type Guide struct {
	External string            // URL of the live page; empty = no links
	Owners   Owners            // who answers for what
	Redact   actuator.Redact   // as names were redacted; nil = they were not
	Costs    map[string]string // by fleet: what a request loads a shard with, where that is not 1
	Times    map[string]Times  // by fleet: how fast it is seen that a shard is cool
}

// Times are those of a fleet. Zero fields are not known.
type Times struct {
	Window time.Duration // that the loads of now are of
	Calm   time.Duration // how long a shard has to be cool until its hotspot is over
}

// Link is a page that a message leads to.
type Link struct{ Text, URL string }

// page is the live page of a hotspot; empty without one.
func (g *Guide) page(e *actuator.Entry) string {
	if g.External == "" || e.Hotspot == "" {
		return ""
	}
	return strings.TrimRight(g.External, "/") + "/fleets/" + url.PathEscape(e.Fleet) + "/hotspots/" + url.PathEscape(e.Hotspot)
}

// Owner is who answers for what a notice is about, of a summary for all of it; nil = nobody is named.
func (g *Guide) Owner(n *Notice) *Owner {
	switch {
	case n.More != nil:
		return n.More.Owner
	case n.Entry == nil:
		return nil
	}
	var tenant, key string
	if v := verdictOf(n); v != nil {
		tenant, key = string(v.Tenant), string(v.Key)
	}
	return g.Owners.Of(n.Entry.Fleet, tenant, key, g.Redact)
}

// verdictOf is what was told of a notice's hotspot last while it fired; nil = it is not known, or there is no hotspot.
func verdictOf(n *Notice) *line.Verdict {
	if n.Story != nil && n.Story.Verdict != nil {
		return n.Story.Verdict
	}
	if n.Entry == nil || n.Entry.Kind != actuator.KindVerdict {
		return nil
	}
	l, err := line.Decode(n.Entry.Line)
	if err != nil {
		return nil
	}
	v, _ := l.(*line.Verdict)
	return v
}

// told is a verdict with what stands around it.
func (g *Guide) told(n *Notice, v *line.Verdict) *words.Told {
	t := &words.Told{Verdict: v, Cost: g.Costs[string(v.Fleet)], Fast: g.Times[string(v.Fleet)].Window, Calm: g.Times[string(v.Fleet)].Calm}
	if n.Story != nil {
		t.Plan, t.Held = n.Story.Plan, n.Story.Held
	}
	if o := g.Owner(n); o != nil {
		t.Owner = o.Team
	}
	return t
}

// links are the pages of a notice.
func (g *Guide) links(n *Notice, o *Owner) []Link {
	var out []Link
	if g.External != "" {
		out = append(out, g.open(n))
	}
	if o != nil && o.Runbook != "" {
		out = append(out, Link{"Runbook", o.Runbook})
	}
	return out
}

// open is the page on which a reader goes on: the hotspot's, else the fleet's, else the first.
func (g *Guide) open(n *Notice) Link {
	base := strings.TrimRight(g.External, "/")
	switch {
	case n.Entry == nil || n.Entry.Fleet == "":
		return Link{"Open the page", base + "/"}
	case n.Entry.Hotspot == "":
		return Link{"Open the fleet", base + "/fleets/" + url.PathEscape(n.Entry.Fleet)}
	}
	return Link{"Open the hotspot", g.page(n.Entry)}
}
