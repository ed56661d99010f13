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

// Owner is who answers for what a notice is about; nil = nobody is named. A summary has none.
func (g *Guide) Owner(n *Notice) *Owner {
	if n.Entry == nil {
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
	t := &words.Told{Verdict: v, Cost: g.Costs[string(v.Fleet)]}
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
	if n.Entry != nil {
		if page := g.page(n.Entry); page != "" {
			out = append(out, Link{"Open the hotspot", page})
		}
	}
	if o != nil && o.Runbook != "" {
		out = append(out, Link{"Runbook", o.Runbook})
	}
	return out
}

// before is how much of the log before an onset shows what was usual.
const before = 5 * time.Minute

// command is how to see the evidence of a hotspot where there is no page to open: replay of the log of its time.
func command(v *line.Verdict) string {
	from, to := time.Time(v.Onset).Add(-before), time.Time(v.Window.To)
	if time.Time(v.Onset).IsZero() || to.IsZero() {
		return ""
	}
	return "firebreak replay --config FILE --from " + from.UTC().Format(time.RFC3339) + " --to " + to.UTC().Format(time.RFC3339) + " --report hotspot.html LOG..."
}
