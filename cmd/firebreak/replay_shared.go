package main

import (
	"fmt"

	"firebreak/policy"
	"firebreak/routing"
)

// sharedShare is the share of a shard from which a key that many tenants use is worth a word: that of a hot key.
const sharedShare = 0.25

// shared finds the keys that a verdict of volume hides: where the log names the shard, a key is identified with its tenant,
// so a key that many tenants use is as many keys. What is listed of it is summed; there may be more.
func (s *said) shared(snapshot *policy.Snapshot, verdicts []policy.Verdict) {
	place := snapshot.Table.Document().Placement
	if place.Map != routing.Explicit || !place.IdentifiesTenant() {
		return
	}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Phase != policy.PhaseFiring || v.Cause != policy.CauseVolume {
			continue
		}
		key, tenants, share := bareKey(snapshot, v)
		if tenants > 1 && share >= sharedShare {
			s.find(policy.Finding{Shard: v.Shard, Reason: fmt.Sprintf("key %q of %s listed tenants is %s of its load or more, as one key; each tenant's is a key of its own here: "+
				"with placement: {map: explicit, bytes: key} and a list of shards in a configuration they are one, and it can be named", key, whole(tenants), percent(share))})
		}
	}
}

// bareKey is the key with the most load on a verdict's shard over all tenants that are listed with it, by what is known: its
// tenants and its share of the shard over the verdict's window.
func bareKey(s *policy.Snapshot, v *policy.Verdict) (key string, tenants int, share float64) {
	panes := len(s.Panes)
	if d := v.To.Sub(v.From); d > 0 && s.Pane > 0 {
		panes = min(panes, max(1, int(d/s.Pane)))
	}
	total := 0.0
	for _, p := range s.Panes[len(s.Panes)-panes:] {
		for _, at := range p.VShards {
			if s.Table.Owner(at.VShard) == v.ShardID {
				total += at.LoadIn(v.Dimension)
			}
		}
	}
	loads, owners := map[string]float64{}, map[string]int{}
	for i := range s.Keys {
		c := &s.Keys[i]
		if c.Key == "" || s.Table.Owner(c.VShard) != v.ShardID {
			continue
		}
		load := 0.0
		for _, sums := range c.Panes[max(0, len(c.Panes)-panes):] {
			load += sums.LoadIn(v.Dimension)
		}
		if load > 0 {
			loads[c.Key] += load
			owners[c.Key]++
		}
		if loads[c.Key] > loads[key] || loads[c.Key] == loads[key] && c.Key < key {
			key = c.Key
		}
	}
	if total <= 0 {
		return "", 0, 0
	}
	return key, owners[key], loads[key] / total
}
