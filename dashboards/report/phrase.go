package report

import (
	"strings"

	"firebreak/dashboards/draw"
	"firebreak/policy"
)

// span is a piece of a sentence: our own words, or a name that is set apart.
type span struct {
	Text string
	Name bool
}

// phrase is a sentence with names in it. The zero value is an empty one.
type phrase []span

// nameOf is a key, tenant, shard or other name in a phrase.
type nameOf string

// say puts a phrase together of strings (our own words, or a sentence of policy), names and phrases.
func say(parts ...any) phrase {
	var out phrase
	for _, p := range parts {
		switch p := p.(type) {
		case nameOf:
			out = append(out, span{draw.Name(string(p), draw.MaxName), true})
		case phrase:
			out = append(out, p...)
		case string:
			out = append(out, span{draw.Glue(draw.Prose(p, draw.MaxPhrase)), false})
		}
	}
	return out
}

// String is the phrase as plain text.
func (p phrase) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Text)
	}
	return b.String()
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// bounds writes a share with its bounds.
func bounds(b policy.Bounds) string {
	return draw.Percent(b.Value) + " (" + draw.Percent(b.Low) + " to " + draw.Percent(b.High) + ")"
}

// fixName is a fix as a noun for people.
func fixName(f policy.Fix) string {
	switch f {
	case policy.FixSplit:
		return "split"
	case policy.FixSalt:
		return "salt the key"
	case policy.FixCache:
		return "cache"
	case policy.FixIsolate:
		return "isolate"
	case policy.FixQuota:
		return "quota"
	case policy.FixLimitCaller:
		return "limit the caller"
	case policy.FixScaleOut:
		return "more shards"
	case policy.FixNone:
	}
	return "nothing"
}

// object names who is to blame; empty for volume and unknown.
func object(v *policy.Verdict) phrase {
	switch v.Cause {
	case policy.CauseHotKey:
		if v.Tenant != "" {
			return say(nameOf(v.Key), " of tenant ", nameOf(v.Tenant))
		}
		return say(nameOf(v.Key))
	case policy.CauseWhaleTenant:
		return say(nameOf(v.Tenant))
	case policy.CauseVolume, policy.CauseUnknown:
	}
	return nil
}

// because says in a clause who makes a shard hot.
func because(v *policy.Verdict) phrase {
	share := draw.Percent(v.Share.Value)
	switch v.Cause {
	case policy.CauseHotKey:
		return say("one key, ", nameOf(v.Key), ", is ", share, " of its load")
	case policy.CauseWhaleTenant:
		return say("one tenant, ", nameOf(v.Tenant), ", is ", share, " of its load")
	case policy.CauseVolume:
		return say(share, " of the fleet’s load is on it, and no one key or tenant is to blame")
	case policy.CauseUnknown:
	}
	return say("the log does not prove who makes it so")
}

// readsText is the op mix, or that the log does not tell it.
func readsText(reads, unknown float64) string {
	if unknown > 0.5 {
		return "reads or writes: not logged"
	}
	switch {
	case reads >= 0.9995:
		return "all of it reads"
	case reads <= 0.0005:
		return "all of it writes"
	}
	return draw.Percent(reads) + " of it reads"
}

// todo says in words what a fix is.
func todo(v *policy.Verdict, salt int) phrase {
	switch v.Fix {
	case policy.FixSplit:
		return say("Split the shard: move part of its load to colder shards.")
	case policy.FixSalt:
		return say("Salt the key ", nameOf(v.Key), " over ", draw.Number(float64(salt)), " pieces on distinct shards.")
	case policy.FixCache:
		if v.Cause == policy.CauseHotKey {
			return say("Cache reads of the key ", nameOf(v.Key), ", or read it from replicas. Do not salt it: every piece would carry the reads.")
		}
		return say("Cache the heaviest keys’ reads, or read them from replicas.")
	case policy.FixIsolate:
		if v.Cause == policy.CauseWhaleTenant {
			return say("Give the tenant ", nameOf(v.Tenant), " a quota now, then a shard of its own.")
		}
		return say("Give what makes it hot a shard of its own.")
	case policy.FixQuota:
		return say("Limit the tenant ", nameOf(v.Tenant), " by a quota: no shard can take it whole.")
	case policy.FixLimitCaller:
		return say("Limit the caller ", nameOf(v.Caller), ", which sends most of it.")
	case policy.FixScaleOut:
		return say("Add shards, then split: no shard has room.")
	case policy.FixNone:
	}
	return say("Nothing yet: no fix is proven.")
}
