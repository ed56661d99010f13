package console

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"
)

// bears is what the key of an open hotspot bears in the newest panes, against its fleet.
type bears struct {
	at    time.Time // end of the newest pane
	load  float64   // of the key on all shards, load/s
	rate  float64   // of the shards that serve, load/s
	reads float64   // share of reads in the load, among what is known, 0 to 1
}

// keysNow reads it of every hot key that is open, by the id of its hotspot. It is empty while nothing can be judged.
func keysNow(t *Tick, serving int) map[string]*bears {
	if t.Decision.Blind {
		return nil
	}
	type name struct{ key, tenant string }
	open := map[name][]*policy.Verdict{}
	for i := range t.Decision.Open {
		if v := &t.Decision.Open[i]; v.Cause == policy.CauseHotKey && v.Mean > 0 && v.To.After(v.From) {
			open[name{v.Key, v.Tenant}] = append(open[name{v.Key, v.Tenant}], v)
		}
	}
	if len(open) == 0 {
		return nil
	}
	out := map[string]*bears{}
	for i := range t.Snapshot.Keys {
		c := &t.Snapshot.Keys[i]
		for _, n := range []name{{c.Key, c.Tenant}, {c.Key, ""}} { // the tenant of a key that placement does not part by it is not named
			for _, v := range open[n] {
				out[v.Hotspot] = bearsOf(c, v, t.Snapshot.Pane, v.Mean*float64(serving))
			}
			if c.Tenant == "" {
				break
			}
		}
	}
	return out
}

func bearsOf(c *policy.Contributor, v *policy.Verdict, pane time.Duration, rate float64) *bears {
	b := &bears{at: v.To, rate: rate}
	var reads, writes, load float64
	for _, s := range c.Panes[max(0, len(c.Panes)-int(v.To.Sub(v.From)/pane)):] {
		reads, writes, load = reads+s.Reads, writes+s.Writes, load+s.Load
	}
	switch v.Dimension {
	case policy.DimensionReads:
		load, writes = reads, 0
	case policy.DimensionWrites:
		load, reads = writes, 0
	case policy.DimensionTotal:
	}
	b.load = load / v.To.Sub(v.From).Seconds()
	if known := reads + writes; known > 0 {
		b.reads = reads / known
	}
	return b
}

// asNow and asVerdict say of which time the numbers are that what-if begins with.
const (
	asNow     = "now"
	asVerdict = "verdict"
)

// whatifOf is the what-if of a hot key: on its loads of now where they are known, else on those of its verdict; empty for other causes.
func (f *fleet) whatifOf(h *hotspot) (href, as string) {
	v := h.verdict
	if v.Cause != "hot_key" || len(v.Contributors) == 0 || v.Mean <= 0 || f.now == nil {
		return "", ""
	}
	as = asVerdict
	b := &bears{at: timeOf(v.Window.To), load: float64(v.Contributors[0].Load), rate: float64(v.Mean) * float64(f.now.serving), reads: float64(v.ReadShare)}
	if h.bears != nil && h.open() {
		as, b = asNow, h.bears
	}
	if share := b.load / b.rate; !(share > 0 && share <= 1) {
		return "", ""
	}
	q := []string{
		fmt.Sprintf("share=%.2f&rate=%.0f&shards=%d&reads=%.0f", 100*b.load/b.rate, b.rate, f.now.serving, 100*b.reads),
	}
	if v.Capacity > 0 {
		q = append(q, fmt.Sprintf("capacity=%.0f", float64(v.Capacity)))
	}
	if salt := slices.IndexFunc(v.Projections, func(p line.Projection) bool { return p.Fix == "salt" && p.Salt > 1 }); salt >= 0 {
		q = append(q, fmt.Sprintf("salt=%d", v.Projections[salt].Salt))
	}
	q = append(q, "as="+as)
	if !b.at.IsZero() {
		q = append(q, "at="+url.QueryEscape(b.at.UTC().Format(time.RFC3339)))
	}
	return "/whatif?" + strings.Join(q, "&"), as
}

// whatifText is the way to what-if, with what it begins with.
func whatifText(as string) string {
	if as == asNow {
		return "What if: move the numbers that this key has now"
	}
	return "What if: move the numbers that this key had at the verdict"
}

// begins says which numbers a what-if begins with; empty = those that somebody typed.
func begins(as, at string, typed bool) string {
	when := ""
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		when = ", up to " + words.Clock(t)
	}
	switch {
	case as == asNow:
		return "It begins with the numbers of now: those of the newest window" + when + "."
	case as == asVerdict:
		return "It begins with the numbers of the verdict: those of its window" + when + "." +
			" Those of now are known of a hotspot that is open, while the input can be judged."
	case !typed:
		return "The numbers are an example. From the page of a hot key it begins with those of the key."
	}
	return ""
}
