package main

import (
	"fmt"
	"math"

	"firebreak/internal/history"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/routing"
)

// sum is one number of a verdict with where it comes from.
type sum struct {
	What  string      `json:"what"`
	Form  line.Prose  `json:"form"`  // its arithmetic
	Value line.Number `json:"value"` // that it gives
	Told  line.Number `json:"told"`  // what the verdict says; for a closed form, what the projection on the real loads says
	Unit  string      `json:"unit"`  // "/s", "x" or "share"
}

// arithmetic derives the numbers of a firing verdict from its inputs, apart from the code that judged it: sums of what was counted, the lines
// of the policy, and the closed form beside each projection.
func arithmetic(e *history.Evidence, v *policy.Verdict) []sum {
	s := e.Snapshot
	picture := policy.Behind(s, &e.Config, v, 1)
	if len(picture.Loads) == 0 {
		return nil
	}
	out := []sum{loadSum(s, v)}
	total, serving := 0.0, 0
	for i, shard := range s.Table.Document().Shards {
		if shard.Role == routing.Serving {
			total, serving = total+picture.Loads[i], serving+1
		}
	}
	out = append(out,
		sum{"mean", form("%s of all shards that serve / %d", perSecond(total), serving), line.Number(total / float64(max(1, serving))), line.Number(v.Mean), "/s"},
		sum{"imbalance", form("%s / %s", perSecond(v.Load), perSecond(v.Mean)), ratioOf(v.Load, v.Mean), line.Number(v.Imbalance), "x"})
	out = append(out, lineSums(&e.Config, v)...)
	for i := range v.Contribute {
		c := &v.Contribute[i]
		out = append(out, sum{
			"share of " + c.Cause.String(), form("%s / %s; %s to %s at 95 %% one-sided", perSecond(c.Load), perSecond(v.Load), percentShort(c.Share.Low), percentShort(c.Share.High)),
			ratioOf(c.Load, v.Load), line.Number(c.Share.Value), "share",
		})
	}
	return append(out, closedForms(v, total, serving)...)
}

func form(format string, args ...any) line.Prose { return line.Prose(fmt.Sprintf(format, args...)) }

func ratioOf(a, b float64) line.Number {
	if b <= 0 {
		return 0
	}
	return line.Number(a / b)
}

// loadSum adds up what was counted on the virtual shards of the hot shard in the verdict's window.
func loadSum(s *policy.Snapshot, v *policy.Verdict) sum {
	panes := s.Panes
	if d := v.To.Sub(v.From); d > 0 {
		panes = panes[max(0, len(panes)-max(1, int(d/s.Pane))):]
	}
	counted, busy := 0.0, map[routing.VShard]bool{}
	for i := range panes {
		for _, c := range panes[i].VShards {
			if s.Table.Owner(c.VShard) == v.ShardID {
				counted += c.LoadIn(v.Dimension)
				busy[c.VShard] = true
			}
		}
	}
	seconds := float64(len(panes)) * s.Pane.Seconds()
	text := form("%s counted on %d of its virtual shards in %d panes of %s / %s s", grouped(counted), len(busy), len(panes), s.Pane, grouped(seconds))
	if doc := s.Table.Document(); len(doc.Salts)+len(doc.Tenants) > 0 {
		text += "; salts and placements of tenants move some of it"
	}
	return sum{"load", text, line.Number(counted / seconds), line.Number(v.Load), "/s"}
}

// lineSums are the line and the target. Without a capacity both are of the mean when it fired, which may have been another.
func lineSums(cfg *policy.Config, v *policy.Verdict) []sum {
	l := cfg.Lines
	if v.Capacity <= 0 {
		text := form("%s x the mean of %s; frozen when it fired, raised by a mean that grows", fixed(l.Relative, 2), perSecond(v.Mean))
		return []sum{{"line", text, line.Number(l.Relative * v.Mean), line.Number(v.Line), "/s"}, {"target", text, line.Number(l.Relative * v.Mean), line.Number(v.Target), "/s"}}
	}
	return []sum{
		{"line", form("%s x the capacity of %s; critical from %s x", fixed(l.Warning, 2), perSecond(v.Capacity), fixed(l.Critical, 2)), line.Number(l.Warning * v.Capacity), line.Number(v.Line), "/s"},
		{"target", form("%s x the capacity of %s", fixed(l.Target, 2), perSecond(v.Capacity)), line.Number(l.Target * v.Capacity), line.Number(v.Target), "/s"},
	}
}

// closedForms are the projections of a hot key beside their closed forms, which take the rest of the fleet for even: what the key's shard
// would bear. f is the key's share of the fleet, L the load of the fleet, N the shards, r and w the key's reads and writes, s the pieces.
func closedForms(v *policy.Verdict, total float64, serving int) []sum {
	if v.Cause != policy.CauseHotKey || len(v.Contribute) == 0 || total <= 0 || serving == 0 {
		return nil
	}
	key := &v.Contribute[0]
	f := policy.Form{Share: math.Min(1, key.Load/total), Rate: total, Shards: serving, Reads: key.ReadShare}
	out := []sum{
		{"closed form", form("f*L + (1-f)*L/N, f = %s, L = %s, N = %d", percent(f.Share), perSecond(total), serving), line.Number(f.Hottest(serving)), line.Number(v.Load), "/s"},
		{"floor", form("f*L: what stays on one shard at any shard count"), line.Number(f.Floor()), line.Number(key.Load), "/s"},
	}
	for i := range v.Projected {
		p := &v.Projected[i]
		if text, value, ok := closedForm(f, p); ok && p.Shard > 0 {
			out = append(out, sum{p.Fix.String(), text, line.Number(value), line.Number(p.Shard), "/s"})
		}
	}
	return out
}

// closedForm is that of one fix for the key's shard, on the shards that there are then; ok is false where there is none.
func closedForm(f policy.Form, p *policy.Projection) (text line.Prose, value float64, ok bool) {
	f.Shards += p.Shards
	switch p.Fix {
	case policy.FixSalt:
		if p.Salt < 2 {
			return "", 0, false
		}
		if p.KeyReadMultiplier <= 1 && f.Reads > 0 {
			return form("ceil(s/N)*w/s*f*L + (1-f)*L/N beside a cache, s = %d, w = %s, N = %d", p.Salt, percent(1-f.Reads), f.Shards), f.Cached(p.Salt), true
		}
		return form("ceil(s/N)*(w/s + r)*f*L + (1-f)*L/N, s = %d, r = %s, N = %d", p.Salt, percent(f.Reads), f.Shards), f.Salted(p.Salt), true
	case policy.FixCache:
		s := max(1, p.Salt)
		return form("w/s*f*L + (1-f)*L/N, s = %d, w = %s, N = %d", s, percent(1-f.Reads), f.Shards), f.Cached(s), true
	case policy.FixSplit:
		return form("max(f*L, (1-f)*L/(N-1)), N = %d: its neighbours move away", f.Shards), f.Alone(), true
	case policy.FixScaleOut:
		return form("f*L + (1-f)*L/N, N = %d", f.Shards), f.Hottest(f.Shards), true
	case policy.FixIsolate:
		return form("(1-f)*L/N, N = %d: the key leaves for the one that is added", f.Shards-p.Shards), (1 - f.Share) * f.Rate / float64(max(1, f.Shards-p.Shards)), true
	case policy.FixQuota, policy.FixLimitCaller, policy.FixNone:
	}
	return "", 0, false
}
