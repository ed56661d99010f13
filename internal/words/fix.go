package words

import (
	"fmt"
	"strings"

	"firebreak/internal/line"
	"firebreak/internal/numerals"
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
	case "undo":
		return "take a fix back"
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

// Hottest says how loaded the hottest shard is under a projection, and of which shards: an isolation fills one that does not count, whose
// own load stands beside it.
func (t *Told) Hottest(p *line.Projection) string {
	text := t.Rate(p.Hottest) + ", " + Times(float64(p.Imbalance)) + " the mean"
	if p.Utilization > 0 {
		text += ", " + Percent(float64(p.Utilization)) + " of its capacity"
	}
	if p.Fix == "isolate" {
		text += ", of the shards that serve"
	}
	if p.Own > 0 {
		text += "; its own shard bears " + t.Rate(p.Own)
	}
	return text
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
			return Say("Cache reads of the key ", t.Key, ", or read it from replicas. A salt alone fails: every piece would carry the reads.")
		}
		return Say("Cache the heaviest keys’ reads, or read them from replicas.")
	case "isolate":
		if t.Cause == "whale_tenant" {
			return Say("Give the tenant ", t.Tenant, " a quota"+t.limit(" of ")+" now, then a shard of its own", t.receiver(), ".")
		}
		return Say("Give what makes it hot a shard of its own", t.receiver(), ".")
	case "quota":
		return Say("Limit the tenant ", t.Tenant, " by a quota"+t.limit(" of ")+": no shard can take it whole.")
	case "limit_caller":
		return Say("Limit the caller ", t.Caller, t.limit(" to "), " of ", t.contributor(), ": it sends "+t.sent()+" of that.")
	case "scale_out":
		return Say("Add shards, then split: no shard has room.")
	}
	return Say("Nothing yet: no fix is proven.")
}

// receiver names the shard that an isolation fills, or says that it has to be added; nil where it is not known.
func (t *Told) receiver() Phrase {
	if t.Plan == nil {
		return nil
	}
	if p := t.Chosen(); p != nil && p.Shards > 0 {
		return Say(", to be added")
	}
	for i := range t.Plan.Steps {
		s := &t.Plan.Steps[i]
		if (s.Kind == "place_tenant" || s.Kind == "place_key") && len(s.Shards) == 1 {
			return Say(", ", s.Shards[0])
		}
	}
	return nil
}

// contributor names what a caller is limited on: a limit is of one key or tenant, not of all that the caller sends.
func (t *Told) contributor() Phrase {
	if t.Key != "" {
		return Say("the key ", t.Key)
	}
	return Say("the tenant ", t.Tenant)
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

// Was says in plain words what happened to a shard that is no longer hot; bounded says its bounds too, and what the requests were.
func (t *Told) Was(bounded bool) Phrase {
	reads := ""
	if bounded && t.Cause != "unknown" {
		reads = "; " + t.reads()
	}
	return Say("Shard ", t.Shard, " bore ", numerals.Load(float64(t.Verdict.Load)), " ", t.Unit(), ", ", Times(float64(t.Imbalance)), " the mean shard: ", t.Because(true, bounded), reads+".")
}

// Over is what to do about a hotspot that is over.
func (t *Told) Over() Phrase {
	out := Say("Nothing now: it is over.")
	if t.Chosen() != nil {
		out = append(append(append(out, Say(" Should it come back: ")...), t.Advised()...), t.merges()...)
	}
	return out
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
