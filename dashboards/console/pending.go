package console

import (
	"cmp"
	"slices"
	"time"

	"firebreak/internal/words"
	"firebreak/policy"
)

// pending is what detection remembers of a shard that is over its line and of which there is no verdict yet, or of one whose hotspot may be
// over soon.
type pending struct {
	since  time.Time // close of the pane since which it is over its line by its numbers; zero = its newest panes are under it
	proved bool      // by its bounds too
	told   bool      // a hotspot is open that was told before this instance looked

	hotspot string    // that is open on it; empty = none
	cool    time.Time // end of the pane since which that is well under its line; zero = it is not
}

// pendingOf reads what is remembered of a shard. A nil state remembers nothing.
func pendingOf(state *policy.State, shard string) pending {
	if state == nil {
		return pending{}
	}
	t := state.Detection.Shards[shard]
	out := pending{since: t.Since, proved: !t.Proved.IsZero(), told: t.Hotspot != nil}
	if t.Hotspot != nil {
		out.hotspot, out.cool = t.Hotspot.ID, t.Hotspot.CoolSince
	}
	return out
}

// over are the shards whose load of the last minute is over their line: those that still are come first, then the fullest.
func (p *present) over() []shardNow {
	var out []shardNow
	for _, s := range p.shards {
		if s.full > 1 {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b shardNow) int {
		switch {
		case a.since.IsZero() == b.since.IsZero():
			return cmp.Compare(b.full, a.full)
		case a.since.IsZero():
			return 1
		}
		return -1
	})
	return out
}

// quiet is what is said while no hotspot is open: a shard whose bar stands over its line is named, with why it is not hot yet.
func (p *present) quiet() phrase {
	over := p.over()
	if len(over) == 0 {
		return words.Say("No shard is hot.")
	}
	s := over[0]
	out := words.Say("No shard is hot yet: ", words.Name(s.name), " is over its line since ", words.Hour(s.since))
	switch {
	case s.since.IsZero():
		out = words.Say("No shard is hot: ", words.Name(s.name), " was over its line in the last minute, its newest panes are not")
	case s.told:
		out = words.Say(words.Name(s.name), " is over its line since ", words.Hour(s.since), ", and was told to be hot before this instance looked")
	case s.proved:
		out = append(out, words.Say(", not long enough yet")...)
	default:
		out = append(out, words.Say(" by its numbers, which may be chance")...)
	}
	if n := len(over) - 1; n > 0 {
		out = append(out, words.Say("; ", words.Count(n, "more shard"), " beside it")...)
	}
	return append(out, words.Say(".")...)
}
