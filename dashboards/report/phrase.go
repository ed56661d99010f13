package report

import (
	"time"

	"firebreak/internal/line"
	"firebreak/internal/words"
	"firebreak/policy"
)

// phrase is a sentence with names in it, and nameOf a name: their words are those of every message.
type (
	phrase = words.Phrase
	nameOf = words.Name
)

// say puts a phrase together of strings (our own words, or a sentence of policy), names and phrases.
func say(parts ...any) phrase { return words.Say(parts...) }

// capital begins a sentence.
func capital(s string) string { return words.Capital(s) }

// fixName is a fix as a noun for people.
func fixName(f policy.Fix) string { return words.Fix(f.String()) }

// words is a hotspot as it is told everywhere.
func (t *teller) words(h *hotspot) *words.Told {
	told := &words.Told{Verdict: line.NewVerdict(&h.told), Cost: t.f.Summary.Cost, Timeless: t.r.timeless, Methods: t.f.Summary.Methods, Plan: h.plan}
	told.Shards, told.Aside = t.serving(h)
	told.Held = h.holds
	if in := &h.inputs; in.LoggedRate > 0 && in.LoggedRate < 1 {
		told.OneIn = 1 / in.LoggedRate
	}
	if s := t.r.last; s != nil && !s.Whole {
		told.Fast, told.Calm = time.Duration(t.r.cfg.FastPanes)*s.Pane, t.r.cfg.Resolve
	}
	told.Owner = t.owner(h).Team
	return told
}

// owner is who answers for a hotspot.
func (t *teller) owner(h *hotspot) words.Owner {
	if t.f.Summary.Owner == nil {
		return words.Owner{}
	}
	return t.f.Summary.Owner(h.told.Tenant, h.told.Key)
}

// object names who is to blame; empty for volume and unknown.
func object(v *policy.Verdict) phrase {
	return (&words.Told{Verdict: line.NewVerdict(v)}).Object()
}

// because says in a clause who makes a shard hot.
func because(v *policy.Verdict, past bool) phrase {
	return (&words.Told{Verdict: line.NewVerdict(v)}).Because(past, false)
}

// readsText is the op mix, or that the log does not tell it.
func readsText(reads, unknown float64) string { return words.Reads(reads, unknown) }
