package report

import (
	"fmt"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// whatText says how hot the shard is, against what.
func (t *teller) whatText(h *hotspot) phrase {
	v := &h.told
	text := draw.Number(v.Load) + " " + t.unit(v)
	if v.Line > 0 {
		text += fmt.Sprintf(": %s its line of %s", draw.Times(v.Load/v.Line), t.rate(v.Line))
	}
	text += fmt.Sprintf(", %s the mean shard", draw.Times(v.Imbalance))
	if v.Capacity > 0 {
		text += fmt.Sprintf(", %s of its capacity of %s", draw.Percent(v.Load/v.Capacity), t.rate(v.Capacity))
	}
	text += ". "
	if !h.peakAt.IsZero() && h.peak > 1.1*v.Load {
		text += fmt.Sprintf("At most %s, at %s. ", t.rate(h.peak), draw.Hour(h.peakAt))
	}
	if v.Severity == policy.SeverityCritical {
		text += "Critical: over the critical line."
	} else if v.Capacity == 0 {
		text += "A warning: without a capacity nothing is ever critical."
	} else {
		text += "A warning."
	}
	if h.changed > 0 && v.Capacity == 0 {
		text += " The line is of the mean when it fired; the verdict was revised since, and its mean is of its own window."
	}
	return say(text)
}

// unit is what a load is counted in.
func (t *teller) unit(v *policy.Verdict) string {
	unit := "requests"
	switch {
	case v.Dimension != policy.DimensionTotal:
		unit = v.Dimension.String()
	case t.f.Summary.Cost != "":
		unit = "units of " + t.f.Summary.Cost
	}
	if t.r.timeless {
		return unit
	}
	return unit + "/s"
}

// whereText names the shard among its like.
func (t *teller) whereText(h *hotspot) phrase {
	v := &h.told
	n := 0
	if h.table != nil {
		n = h.table.Shards()
	} else if t.placed() {
		n = t.r.last.Table.Shards()
	}
	return say("Shard ", nameOf(v.Shard), " of ", draw.Count(n, "shard"), " in fleet ", nameOf(v.Fleet), ", placed by ", strings.TrimPrefix(v.Placement, "explicit: "), ".")
}

// whenText is the life of the hotspot.
func (t *teller) whenText(h *hotspot) phrase {
	v := &h.told
	text := fmt.Sprintf("Since %s; found %s later. ", draw.Clock(v.Onset), draw.Span(h.found.Sub(v.Onset)))
	if t.whole() {
		return say(fmt.Sprintf("The whole log was judged as one window, from %s to %s.", draw.Clock(v.From), draw.Clock(v.To)))
	}
	if h.resolved.IsZero() {
		text += "Not seen to cool before the log ends."
	} else {
		text += fmt.Sprintf("Over at %s, after %s.", draw.Hour(h.resolved), draw.Span(h.resolved.Sub(v.Onset)))
	}
	return say(text)
}

// whyText names the cause with its bounds.
func (t *teller) whyText(h *hotspot) phrase {
	v := &h.told
	out := say(capital(draw.Cause(v.Cause)), ". ")
	switch v.Cause {
	case policy.CauseHotKey, policy.CauseWhaleTenant:
		kind := "The key "
		if v.Cause == policy.CauseWhaleTenant {
			kind = "The tenant "
		}
		out = append(out, say(kind, object(v), " is ", bounds(v.Share), " of the shard’s load, ", readsText(v.ReadShare, v.OpUnknown))...)
		if v.Caller != "" {
			out = append(out, say("; most of it is sent by the caller ", nameOf(v.Caller))...)
		}
		out = append(out, say(".")...)
		if n := len(v.Contribute); n > 1 {
			out = append(out, say(fmt.Sprintf(" It is one of %d that have to be taken away until the shard is cool.", n))...)
		}
	case policy.CauseVolume:
		out = append(out, say("The shard has ", bounds(v.Share), " of the fleet’s load, and without its heaviest key or tenant it would still be hot; ",
			readsText(v.ReadShare, v.OpUnknown), ".")...)
	case policy.CauseUnknown:
		if len(v.Missing) > 0 {
			out = append(out, say("The evidence leaves open ", strings.Join(v.Missing, " and "), ".")...)
		} else {
			out = append(out, say(capital(v.Reason), ".")...)
		}
	}
	return out
}

// chosen is the projection of the fix that was told; nil if none was.
func chosen(v *policy.Verdict) *policy.Projection {
	if v.Fix == policy.FixNone {
		return nil
	}
	for i := range v.Projected {
		if v.Projected[i].Fix == v.Fix {
			return &v.Projected[i]
		}
	}
	return nil
}

// sureText says what the verdict rests on.
func (t *teller) sureText(v *policy.Verdict, h *hotspot) phrase {
	n := 1
	if h.table != nil {
		n = h.table.Shards()
	}
	text := fmt.Sprintf("Hot beyond chance: the lower bound of its load is over the line (an error of less than 1 in %s). ", draw.Number(float64(100*max(1, n))))
	switch {
	case v.Cause == policy.CauseUnknown:
		text += "Who makes it hot is not proven. "
	case len(v.Missing) > 0:
		text += "Open: " + strings.Join(v.Missing, "; ") + ". "
	default:
		text += "The cause is the same at both ends of the bounds. "
	}
	if p := chosen(v); p != nil && p.Feasible {
		text += "The fix meets its target on upper bounds, on this shard and on every one that receives. "
	}
	text += fmt.Sprintf("It rests on %s effective requests in %s", draw.Number(v.Samples), window(v))
	if v.Coverage < 1 {
		text += fmt.Sprintf(" and on %s of the log", draw.Percent(v.Coverage))
	}
	return say(text + ".")
}
