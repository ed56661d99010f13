package words

import (
	"fmt"
	"strings"

	"firebreak/internal/line"
)

// Fix is a fix (policy.Fix) as a noun for people.
func Fix(f string) string {
	switch f {
	case "split":
		return "split"
	case "salt":
		return "salt the key"
	case "cache":
		return "cache"
	case "isolate":
		return "isolate"
	case "quota":
		return "quota"
	case "limit_caller":
		return "limit the caller"
	case "scale_out":
		return "more shards"
	}
	return "nothing"
}

// Chosen is the projection of the fix that was told; nil if none was.
func (t *Told) Chosen() *line.Projection {
	if t.Fix == "none" || t.Fix == "" {
		return nil
	}
	for i := range t.Projections {
		if t.Projections[i].Fix == t.Fix {
			return &t.Projections[i]
		}
	}
	return nil
}

// Todo says in words what the fix is.
func (t *Told) Todo() Phrase {
	switch t.Fix {
	case "split":
		return Say("Split the shard: move part of its load to colder shards.")
	case "salt":
		pieces := 0
		if p := t.Chosen(); p != nil {
			pieces = p.Salt
		}
		return Say("Salt the key ", t.Key, " over ", Number(float64(pieces)), " pieces on distinct shards.")
	case "cache":
		if t.Cause == "hot_key" {
			return Say("Cache reads of the key ", t.Key, ", or read it from replicas. Do not salt it: every piece would carry the reads.")
		}
		return Say("Cache the heaviest keys’ reads, or read them from replicas.")
	case "isolate":
		if t.Cause == "whale_tenant" {
			return Say("Give the tenant ", t.Tenant, " a quota"+t.limit(" of ")+" now, then a shard of its own.")
		}
		return Say("Give what makes it hot a shard of its own.")
	case "quota":
		return Say("Limit the tenant ", t.Tenant, " by a quota"+t.limit(" of ")+": no shard can take it whole.")
	case "limit_caller":
		return Say("Limit the caller ", t.Caller, ", which sends most of it"+t.limit(", to ")+".")
	case "scale_out":
		return Say("Add shards, then split: no shard has room.")
	}
	return Say("Nothing yet: no fix is proven.")
}

// limit is the rate that a quota or a limit sets, behind a word that leads to it; empty where it is not known.
func (t *Told) limit(before string) string {
	if p := t.Chosen(); p != nil && p.Rate > 0 {
		return before + t.Rate(p.Rate)
	}
	if t.Plan != nil {
		for i := range t.Plan.Steps {
			if s := &t.Plan.Steps[i]; (s.Kind == "quota" || s.Kind == "limit_caller") && s.Rate > 0 {
				return before + t.Rate(s.Rate)
			}
		}
	}
	return ""
}

// Was says in plain words what happened to a shard that is no longer hot.
func (t *Told) Was(bounded bool) Phrase {
	return Say("Shard ", t.Shard, " bore ", Number(float64(t.Verdict.Load)), " ", t.Unit(), ", ", Times(float64(t.Imbalance)), " the mean shard: ", t.Because(bounded), ".")
}

// Over is what to do about a hotspot that is over.
func (t *Told) Over() Phrase {
	out := Say("Nothing now: it is over.")
	if t.Chosen() != nil {
		out = append(out, append(Say(" Should it come back: "), t.Todo()...)...)
	}
	return out
}

// Do is the fix and what it brings, with all its steps; where there is none, why the first of the holds keeps it back.
func (t *Told) Do(held ...string) Phrase {
	p := t.Chosen()
	if p == nil {
		out := Say("Nothing yet: no fix is proven.")
		if len(held) > 0 {
			out = append(out, Say(" ", Capital(held[0]), ".")...)
		}
		if t.Cause == "unknown" {
			out = append(out, Say(" It is told as soon as the log proves one; a denser sample of the log proves it sooner.")...)
		}
		return out
	}
	out, more := t.Todo(), t.Further()
	text := " It takes"
	if len(more) > 0 {
		out = append(out, then(more)...)
		text = fmt.Sprintf(" All %d steps together take", 1+len(more))
	}
	text += fmt.Sprintf(" the shard from %s to %s", t.Rate(t.Verdict.Load), t.Rate(p.Shard))
	if p.Upper > p.Shard {
		text += fmt.Sprintf(" (at most %s)", t.Rate(p.Upper))
	}
	text += fmt.Sprintf(", under the target of %s.", t.Rate(t.Target))
	if p.MovedShare > 0 {
		text += fmt.Sprintf(" %s of the fleet’s load moves.", Percent(float64(p.MovedShare)))
	}
	return append(append(out, Say(text)...), t.doubt()...)
}

// Further are the steps of the plan beyond those that its first fix is made of.
func (t *Told) Further() []string {
	if t.Plan == nil {
		return nil
	}
	var more []string
	for i := range t.Plan.Steps {
		s := &t.Plan.Steps[i]
		// An isolation begins with its quota, and a new shard is part of what needs it.
		if i == 0 || s.Kind == "add_shards" || t.Plan.Projection.Fix == "isolate" && i == 1 && t.Plan.Steps[0].Kind == "quota" {
			continue
		}
		more = append(more, string(s.Text))
	}
	return more
}

// then names the first of the further steps.
func then(more []string) Phrase {
	const shown = 2
	text := " Then: " + strings.Join(more[:min(len(more), shown)], "; ")
	if len(more) > shown {
		text += fmt.Sprintf("; and %s", Count(len(more)-shown, "more step"))
	}
	return Say(text, ".")
}

// doubt says of a cache or a salt that it rests on methods of HTTP, where the log tells reads and writes by nothing else.
func (t *Told) doubt() Phrase {
	if !t.Methods || t.OpUnknown > 0.5 {
		return nil
	}
	const by = " Reads and writes are known by the method of HTTP alone: if a "
	switch t.Fix {
	case "cache":
		return Say(by + "GET of it writes (a click, a vote, a count), a rule in record.ops has to say so, and a salt is the fix.")
	case "salt":
		return Say(by + "POST of it only reads (a search), a rule in record.ops has to say so, and a cache is the fix.")
	}
	return nil
}

// Sentence says in plain words what happens, or happened, and what helps. bounded gives shares their bounds.
func (t *Told) Sentence(past, bounded bool) Phrase {
	bears := " bears "
	if past {
		bears = " bore "
	}
	out := Say("Shard ", t.Shard, bears, Number(float64(t.Verdict.Load)), " ", t.Unit(), ", ", Times(float64(t.Imbalance)), " the mean shard: ", t.Because(bounded), ". ")
	p := t.Chosen()
	if p == nil {
		return append(out, Say("No fix is proven yet.")...)
	}
	leaves := " That leaves "
	if more := t.Further(); len(more) > 0 {
		leaves = " With " + Count(len(more), "more step") + " that leaves "
	}
	return append(out, append(t.Todo(), Say(leaves, t.Rate(p.Shard), " of it.")...)...)
}

// Others say of each fix that was not taken why not.
func (t *Told) Others() []Phrase {
	var out []Phrase
	for i := range t.Projections {
		p := &t.Projections[i]
		if p.Fix == t.Fix || p.Why == "" {
			continue
		}
		verdict, why := " fails: ", string(p.Why)
		if p.Feasible {
			verdict = " would do: "
			if rest, same := strings.CutPrefix(why, "it would do "); same { // as well, but ...
				verdict, why = " would do ", rest
			}
		}
		out = append(out, Say(Capital(Fix(p.Fix)), verdict, Ended(why)))
	}
	return out
}
