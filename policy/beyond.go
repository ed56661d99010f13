package policy

import (
	"fmt"

	"firebreak/routing"
)

// beyond says which other shard a fix leaves over its line, if one is so beyond doubt: of several the one that is furthest over. A line that
// is a multiple of the mean falls when load leaves the fleet, so a shard can be over it that nobody moved anything to. doc is the candidate;
// empty = it leaves none.
func (e *evidence) beyond(doc *routing.Document, p *Projection) string {
	mean := 0.0
	if p.Imbalance > 0 {
		mean = p.Hottest / p.Imbalance
	}
	worst, most := -1, 1.0
	for i, shard := range doc.Shards {
		if i == int(e.id) || i >= len(p.Loads) || shard.Role != routing.Serving {
			continue
		}
		limit := e.lineOf(shard, mean)
		if over := ratio(p.Loads[i], limit); over > most && e.over(routing.ShardID(i), p.Loads[i], limit) {
			worst, most = i, over
		}
	}
	if worst < 0 {
		return ""
	}
	name, load := doc.Shards[worst].Name, p.Loads[worst]
	was := 0.0
	if worst < len(e.w.shards) {
		was = e.w.shards[worst].load / e.w.seconds
	}
	switch {
	case was > e.lineOf(doc.Shards[worst], e.v.mean(e.w)):
		return fmt.Sprintf("another shard, %s, which is over its line too, then bears %s/s, %s the mean", name, rate(load), times(ratio(load, mean)))
	case e.v.capacity(doc.Shards[worst]) > 0:
		return fmt.Sprintf("another shard, %s, then bears %s/s, over its line of %s/s", name, rate(load), rate(e.lineOf(doc.Shards[worst], mean)))
	}
	return fmt.Sprintf("another shard, %s, is then over the line, which falls with the mean: it bears %s/s, %s the mean of then", name, rate(load), times(ratio(load, mean)))
}

// lineOf is the line of a serving shard at a mean, load/s.
func (e *evidence) lineOf(shard routing.Shard, mean float64) float64 {
	if c := e.v.capacity(shard); c > 0 {
		return e.v.cfg.Lines.Warning * c
	}
	return e.v.cfg.Lines.Relative * mean
}
