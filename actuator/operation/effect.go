package operation

import (
	"fmt"
	"slices"

	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// most is the share of the fleet's load that an operation may move: a tenant or a virtual shard, which cannot be cut, may be more where a
// person saw what it moves. Salts, quotas, caches and roles move nothing of a shard's data, and have no cap.
func (n *Numbers) most(o *control.Operation) float64 {
	moves := 0
	for _, e := range o.Do {
		if e.Entry.Kind == routing.EntryVShard || e.Entry.Kind == routing.EntryTenant {
			moves++
		}
	}
	if moves == 0 || moves == 1 && o.By != "" {
		return 1
	}
	return n.Config.MovedAtMost
}

// fits says whether a change may be made on the loads of now: those of the long window, and of the fast one, which alone shows what became
// hot a minute ago.
func (n *Numbers) fits(was, is *routing.Document, most float64) error {
	for _, panes := range [...]int{n.Config.LongPanes, n.Config.FastPanes} {
		c, err := policy.Compare(n.Snapshot.Newest(panes), n.Config, was, is)
		if err != nil {
			return err
		}
		if c.Moved > most {
			return fmt.Errorf("it would move %.1f %% of the fleet's load now, at most %.0f %%", 100*c.Moved, 100*most)
		}
		if len(c.Over) > 0 {
			o := c.Over[0]
			return fmt.Errorf("%s would get %.0f/s, above its target of %.0f/s", o.Shard, o.Load, o.Target)
		}
	}
	return nil
}

// effect judges an operation: what it is for is cooler by the table of now than by the one before, and the traffic follows.
func (n *Numbers) effect(o *control.Operation, was, is *routing.Document, open bool) Effect {
	if !relocates(o) {
		return n.effectBeside(o, was, open)
	}
	if n.astray() {
		return Effect{Outcome: Misrouted, Text: fmt.Sprintf("%.1f %% of the load is logged on other shards than the table names: the traffic does not follow", 100*n.Snapshot.Inputs.Disagree)}
	}
	c, err := policy.Compare(n.Snapshot, n.Config, was, is)
	if err != nil {
		return Effect{Text: err.Error()}
	}
	e := Effect{Text: fmt.Sprintf("%sthe hottest shard is at %.0f %% of its target, and would be at %.0f %% without it", returned(o), 100*c.Is, 100*c.Was)}
	if c.Is > 1 && c.Is > c.Was+worseBy*c.Noise && c.Is > 1.02*c.Was {
		e.Worse = true
	}
	e.Outcome = Unverified
	if n.Snapshot.Inputs.Shards {
		e.Outcome = Effective
	}
	if i := shardAt(is, o.Shard); i >= 0 && c.Before[i] > 0 {
		e.Before, e.After = c.Before[i], c.After[i]
		e.Text += fmt.Sprintf("; %s itself at %.0f %% for %.0f %%", o.Shard, 100*c.After[i], 100*c.Before[i])
		if c.After[i] >= c.Before[i]*(1-leastGain) {
			e.Outcome = NoEffect
		}
	}
	if key, old, ok := policy.Unsplit(n.Snapshot, was, is); ok { // its home is as hot as before, and that is not for want of pieces
		e.Outcome = Misrouted
		e.Text += fmt.Sprintf("; %.0f %% of the writes of %q still go to its pieces of before: the traffic does not follow", 100*old, key)
	}
	if e.Outcome == Unverified {
		n.ask(&e, &c, is, o.Shard)
	}
	return e
}

// ask has the shards say what the log cannot: whether the traffic follows.
func (n *Numbers) ask(e *Effect, c *policy.Comparison, is *routing.Document, shard string) {
	if i := shardAt(is, shard); i >= 0 && c.Before[i] > 0 {
		if seen, ok := n.outsideOf(c, is.Shards, i); ok {
			outcome, text := seen.verdict(shard)
			e.Outcome, e.Text = outcome, e.Text+"; "+text
			return
		}
	}
	e.Text += "; nothing independent of the table says that the traffic follows"
}

const (
	// worseBy is how many standard deviations count as worse.
	worseBy = 3
	// leastGain is the share of its load that a shard must be rid of, for an operation to have an effect.
	leastGain = 0.01
)

// effectBehind judges a quota or a cache that lies between the log and the shard, by what the shard itself counts.
func (n *Numbers) effectBehind(o *control.Operation, was *routing.Document) Effect {
	e := Effect{Outcome: Unverified, Text: "clients log before caches and quotas: the log cannot show the effect, and nothing says what the shards serve"}
	i := shardAt(was, o.Shard)
	c, err := policy.Compare(n.Snapshot, n.Config, was, was) // with what its own cache answers, which clients log
	if err != nil || i < 0 {
		return e
	}
	seen, ok := n.outsideOf(&c, was.Shards, i)
	if !ok || seen.fullness == 0 {
		return e
	}
	e.Outcome, e.Before, e.After = Effective, c.Before[i], seen.fullness
	if seen.fullness > 1 {
		e.Outcome = NoEffect
	}
	e.Text = fmt.Sprintf("%s serves %.0f %% of its target by its own count, and clients ask it for %.0f %%", o.Shard, 100*seen.fullness, 100*c.Before[i])
	return e
}

// shardAt is where a shard stands in a document; -1 = nowhere.
func shardAt(d *routing.Document, name string) int {
	return slices.IndexFunc(d.Shards, func(s routing.Shard) bool { return s.Name == name })
}

// effectBeside judges quotas, caches and roles, which change no table: only a log of what shards served shows them, or what they count.
func (n *Numbers) effectBeside(o *control.Operation, was *routing.Document, open bool) Effect {
	if !slices.ContainsFunc(o.Do, func(e control.Edit) bool { return e.Entry.Kind != routing.EntryShard }) {
		return Effect{Outcome: Effective, Text: "the shards have their roles"}
	}
	switch {
	case o.Hotspot == "":
		return Effect{Outcome: Effective, Text: "it is lifted; a shard that gets hot by it is a hotspot of its own"}
	case n.Snapshot.LogPoint != policy.LogPointShard:
		return n.effectBehind(o, was)
	case open:
		return Effect{Outcome: NoEffect, Text: "the shard is as hot as before"}
	}
	return Effect{Outcome: Effective, Text: "the shard is under its line"}
}

// returned is what an operation of no hotspot was for, as the begin of a sentence: it cools nothing, and takes back what is no longer needed.
// Empty = it is for a hotspot.
func returned(o *control.Operation) string {
	if o.Hotspot != "" {
		return ""
	}
	for _, e := range o.Do {
		switch e.Entry.Kind {
		case routing.EntrySalt:
			return "the key is in one piece again, which is what it was for; "
		case routing.EntryTenant:
			return "the tenant has no place of its own any more, which is what it was for; "
		case routing.EntryVShard:
			return "what the shard that is drained had is elsewhere, which is what it was for; "
		case routing.EntryUnknown, routing.EntryShard, routing.EntryCache, routing.EntryQuota:
		}
	}
	return ""
}

// relocates says whether an operation changes where load lies.
func relocates(o *control.Operation) bool {
	return slices.ContainsFunc(o.Do, func(e control.Edit) bool {
		return e.Entry.Kind == routing.EntryVShard || e.Entry.Kind == routing.EntryTenant || e.Entry.Kind == routing.EntrySalt
	})
}
