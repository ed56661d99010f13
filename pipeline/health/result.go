package health

import (
	"context"
	"math"
	"slices"

	"firebreak/policy"
)

// Result is what one query gave.
type Result struct {
	Metric   policy.Metric
	Readings []policy.Reading // of shards of the fleet
	Strange  []string         // some of the names that came and are no shard of the fleet
	Err      error            // it was not answered; Readings may still be a part of the answer
}

// mostStrange is how many strange names are kept.
const mostStrange = 5

// asker reads one source once. It gives a result for each of its queries, in their order.
type asker interface {
	ask(ctx context.Context) []Result
}

// add takes one value by the source's name for its shard. What is no number is no reading.
func (r *Result) add(n *names, outside string, value, factor float64) {
	if factor > 0 {
		value *= factor
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	shard, ok := n.shard(outside)
	if !ok {
		r.strange(outside)
		return
	}
	r.Readings = append(r.Readings, policy.Reading{Shard: shard, Metric: r.Metric, Value: value})
}

func (r *Result) strange(outside string) {
	if len(r.Strange) < mostStrange && !slices.Contains(r.Strange, outside) {
		r.Strange = append(r.Strange, outside)
	}
}
