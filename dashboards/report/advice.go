package report

import (
	"fmt"
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// doText is the fix and what it brings, with all its steps.
func (t *teller) doText(h *hotspot) phrase {
	v := &h.told
	p := chosen(v)
	if p == nil {
		out := say("Nothing yet: no fix is proven.")
		for _, hold := range h.holds {
			out = append(out, say(" ", capital(hold.Detail), ".")...)
			break
		}
		return out
	}
	out, more := todo(v, p.Salt), further(h.plan)
	text := " It takes"
	if len(more) > 0 {
		out = append(out, then(more)...)
		text = fmt.Sprintf(" All %d steps together take", 1+len(more))
	}
	text += fmt.Sprintf(" the shard from %s to %s", t.rate(v.Load), t.rate(p.Shard))
	if p.Upper > p.Shard {
		text += fmt.Sprintf(" (at most %s)", t.rate(p.Upper))
	}
	text += fmt.Sprintf(", under the target of %s.", t.rate(v.Target))
	if p.MovedShare > 0 {
		text += fmt.Sprintf(" %s of the fleet’s load moves.", draw.Percent(p.MovedShare))
	}
	return append(append(out, say(text)...), t.doubt(v)...)
}

// further are the steps of a plan beyond those that its first fix is made of.
func further(plan *policy.Plan) []string {
	if plan == nil {
		return nil
	}
	var more []string
	for i := range plan.Steps {
		s := &plan.Steps[i]
		// An isolation begins with its quota, and a new shard is part of what needs it.
		if i == 0 || s.Kind == policy.StepAddShards || plan.Fix == policy.FixIsolate && i == 1 && plan.Steps[0].Kind == policy.StepQuota {
			continue
		}
		more = append(more, s.Text)
	}
	return more
}

// then names the first of the further steps.
func then(more []string) phrase {
	const shown = 2
	text := " Then: " + strings.Join(more[:min(len(more), shown)], "; ")
	if len(more) > shown {
		text += fmt.Sprintf("; and %s", draw.Count(len(more)-shown, "more step"))
	}
	return say(text, ".")
}

// doubt says of a cache or a salt that it rests on methods of HTTP, where the log tells reads and writes by nothing else.
func (t *teller) doubt(v *policy.Verdict) phrase {
	if !t.f.Summary.Methods || v.OpUnknown > 0.5 {
		return nil
	}
	const by = " Reads and writes are known by the method of HTTP alone: if a "
	switch v.Fix {
	case policy.FixCache:
		return say(by + "GET of it writes (a click, a vote, a count), a rule in record.ops has to say so, and a salt is the fix.")
	case policy.FixSalt:
		return say(by + "POST of it only reads (a search), a rule in record.ops has to say so, and a cache is the fix.")
	case policy.FixNone, policy.FixSplit, policy.FixIsolate, policy.FixQuota, policy.FixLimitCaller, policy.FixScaleOut:
	}
	return nil
}
