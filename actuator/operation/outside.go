package operation

import (
	"fmt"
	"strings"

	"firebreak/policy"
	"firebreak/routing"
)

// outside is what shards say of themselves, beside the log: how full one is, as a multiple of the mean of those that say it. So no scale is
// needed, and no reading of before: both tables are laid on the loads of now, and what the shards say is held against either.
type outside struct {
	metric   policy.Metric
	own      float64 // by the readings
	was, is  float64 // by the log, under the table of before and under the one of now
	fullness float64 // of the shard, in shares of its target, by policy.MetricServed; 0 = not known
}

const (
	// apart is how much more a shard must bear by the table of before for its readings to tell the two apart.
	apart = 1.2
	// near is how close to one of the two the readings must lie, in shares of the way between them.
	near = 0.25
)

// outsideOf reads what is known of a shard, best first; ok is false where too few shards tell it.
func (n *Numbers) outsideOf(c *policy.Comparison, shards []routing.Shard, at int) (outside, bool) {
	for _, m := range [...]policy.Metric{policy.MetricServed, policy.MetricUtilization} {
		o, ok := outside{metric: m}, false
		var told, all int
		var reading, was, is float64 // sums
		for i := range shards {
			if shards[i].Role != routing.Serving && i != at {
				continue
			}
			all++
			value, known := n.reading(shards[i].Name, m)
			if known && m == policy.MetricServed {
				if known = c.Target[i] > 0; known {
					value /= c.Target[i]
				}
			}
			if !known {
				continue
			}
			told++
			reading, was, is = reading+value, was+c.Before[i], is+c.After[i]
			if i == at {
				ok, o.own, o.was, o.is = true, value, c.Before[i], c.After[i]
			}
		}
		if !ok || told < 2 || 2*told < all || reading <= 0 || was <= 0 || is <= 0 {
			continue
		}
		if m == policy.MetricServed {
			o.fullness = o.own
		}
		of := float64(told)
		o.own, o.was, o.is = o.own*of/reading, o.was*of/was, o.is*of/is
		return o, true
	}
	return outside{}, false
}

// reading is the newest of a shard's metric that counts.
func (n *Numbers) reading(shard string, m policy.Metric) (value float64, known bool) {
	for _, r := range n.Snapshot.World.Health {
		if r.Shard == shard && r.Metric == m {
			return r.Value, true
		}
	}
	return 0, false
}

// verdict says whether the traffic follows the table: Effective, Misrouted, or Unverified where the readings lie between.
func (o *outside) verdict(shard string) (outcome, text string) {
	where := fmt.Sprintf("by its %s %s bears %.1f times the mean of the shards; by the table of before it would be %.1f, by this one %.1f", strings.ReplaceAll(o.metric.String(), "_", " "), shard, o.own, o.was, o.is)
	if o.was < apart*o.is {
		return Unverified, where + ": too close to tell them apart"
	}
	switch way := (o.own - o.is) / (o.was - o.is); {
	case way <= near:
		return Effective, where
	case way >= 1-near:
		return Misrouted, where + ": the traffic does not follow"
	}
	return Unverified, where + ": neither"
}
