package main

import (
	"fmt"

	"firebreak/policy"
)

// answer says what would cool the hottest shard of f, in the order of the verdicts: nothing, a split where the key itself
// fits a shard, a cache for a key that is read, a salt for one that is written, both, and more shards where the fleet
// is too warm for any of them.
func (q whatifQuestion) answer(f policy.Form) answer {
	a := answer{Rate: f.Rate, Mean: f.Mean(), Target: q.target(f), Hottest: f.Hottest(f.Shards), Floor: f.Floor()}
	a.After = a.Hottest
	switch {
	case a.Hottest <= a.Target*(1+1e-9):
		a.Why = fmt.Sprintf("Nothing to do: the hottest shard bears %s, the target is %s.", perSecond(a.Hottest), perSecond(a.Target))
	case f.Alone() <= a.Target*(1+1e-9):
		a.Fix, a.After = policy.FixSplit, f.Alone()
		a.Why = fmt.Sprintf("Split: move the key's neighbours to other shards. The hottest shard falls from %s to %s, and reads cost nothing more.",
			perSecond(a.Hottest), perSecond(a.After))
	case f.Reads < 0.5 && a.salted(f), f.Reads >= 0.5 && a.cached(f):
	default:
		q.scaleOut(&a, f)
	}
	return a
}

// salted answers for a key that is mostly written, if it can.
func (a *answer) salted(f policy.Form) bool {
	if s, ok := f.SmallestSalt(a.Target); ok {
		a.Fix, a.Salt, a.After = policy.FixSalt, &s, f.Salted(s)
		a.Why = fmt.Sprintf("Salt the key into %s pieces, on distinct shards: the hottest shard falls from %s to %s, %s the mean.",
			whole(s), perSecond(a.Hottest), perSecond(a.After), multiple(a.After/a.Mean))
		return true
	}
	if s, ok := f.SmallestCachedSalt(a.Target); ok {
		a.Fix, a.Salt, a.Cache, a.After = policy.FixSalt, &s, true, f.Cached(s)
		a.Why = fmt.Sprintf("Salt the writes into %s pieces and cache the reads: the hottest shard falls from %s to %s. No salt alone is enough, since every piece bears all reads (%s).",
			whole(s), perSecond(a.Hottest), perSecond(a.After), perSecond(f.Reads*f.Floor()))
		return true
	}
	return false
}

// cached answers for a key that is mostly read, if it can; a salt would make every piece bear all its reads.
func (a *answer) cached(f policy.Form) bool {
	s, ok := f.SmallestCachedSalt(a.Target)
	if !ok {
		return false
	}
	a.Fix, a.Cache, a.After = policy.FixCache, true, f.Cached(s)
	writes := ""
	if s > 1 {
		a.Salt, writes = &s, fmt.Sprintf(" and salt the writes into %s pieces", whole(s))
	}
	a.Why = fmt.Sprintf("Cache the key (%s of its requests are reads)%s: the hottest shard falls from %s to %s. A salt does not help reads: every piece bears them all.",
		percent(f.Reads), writes, perSecond(a.Hottest), perSecond(a.After))
	return true
}

// scaleOut answers with the smallest fleet on which another fix works. Only a capacity brings it here: against a
// multiple of the mean one of the others always works.
func (q whatifQuestion) scaleOut(a *answer, f policy.Form) {
	a.Fix = policy.FixScaleOut
	a.Why = "No split, salt or cache meets the target on these shards."
	if a.Mean > a.Target {
		a.Why = fmt.Sprintf("Capacity first: the mean alone, %s a shard, is over the target of %s.", perSecond(a.Mean), perSecond(a.Target))
	}
	n, ok := f.SmallestSaltedFleet(a.Target)
	if !ok || f.Reads >= 0.5 {
		n, ok = f.SmallestCachedFleet(a.Target)
	}
	if !ok || n <= f.Shards {
		a.Fix = policy.FixNone
		a.Why += " Nor does any number of shards up to a billion."
		return
	}
	f.Shards = n
	there := q.answer(f)
	a.Shards, a.Salt, a.Cache, a.After = &n, there.Salt, there.Cache, there.After
	a.Why += fmt.Sprintf(" It takes %s or more. There: %s", shards(n), there.Why)
}
