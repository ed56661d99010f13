package main

import (
	"cmp"
	"math"
	"slices"

	"firebreak/internal/line"
	"firebreak/policy"
)

// boardLength is how many keys and tenants the summary ranks.
const boardLength = 20

// lastWindow adds the last window: what was detectable with its traffic, and its heaviest keys and tenants.
func (f *replayedFleet) lastWindow(s *line.Summary) {
	w := f.window
	if w == nil || len(w.Panes) == 0 {
		return
	}
	from, to := w.Panes[0].Start, w.Panes[len(w.Panes)-1].Start.Add(w.Pane)
	board := &line.Board{DistinctKeys: f.distinct.Keys, DistinctTenants: f.distinct.Tenants, TopKeys: []line.Rank{}, TopTenants: []line.Rank{}}
	if !f.fleet.Timeless() {
		board.From, board.To = line.Stamp(from), line.Stamp(to)
		s.Time, s.From, s.To = line.Stamp(f.fleet.Now()), line.Stamp(f.fleet.First()), line.Stamp(f.fleet.Last())
	}
	total := f.distinct.Load
	board.Load = line.Number(total)
	board.TopKeys = rank(w.Keys, total, func(c *policy.Contributor) line.Rank {
		return line.Rank{Key: line.Name(c.Key), Tenant: line.Name(c.Tenant), TenantShare: line.Number(c.TenantShare)}
	})
	board.TopTenants = rank(w.Tenants, total, func(c *policy.Contributor) line.Rank { return line.Rank{Tenant: line.Name(c.Tenant)} })
	s.Window = board
	s.Detectable = f.detectable()
}

// rank lists the heaviest contributors of a window.
func rank(all []policy.Contributor, total float64, named func(*policy.Contributor) line.Rank) []line.Rank {
	out := make([]line.Rank, 0, len(all))
	for i := range all {
		r := named(&all[i])
		var load float64
		for _, p := range all[i].Panes {
			load += p.Load
		}
		r.Load, r.Low, r.High = line.Number(load), line.Number(all[i].Low), line.Number(all[i].High)
		if r.High == 0 {
			r.Low, r.High = r.Load, r.Load
		}
		if total > 0 {
			r.Share = line.Number(load / total)
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b line.Rank) int {
		return cmp.Or(cmp.Compare(b.Load, a.Load), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Tenant, b.Tenant))
	})
	return out[:min(len(out), boardLength)]
}

// detectable is what a log of this traffic can promise.
func (f *replayedFleet) detectable() *line.Detectable {
	table, stats := f.fleet.Table(), f.fleet.Stats()
	seconds := f.fleet.Last().Sub(f.fleet.First()).Seconds() + f.fleet.Pane().Seconds()/2
	if table == nil || f.fleet.Timeless() || stats.Counted == 0 || seconds <= 0 {
		return nil
	}
	watch := policy.Watch{Samples: float64(stats.Counted) / seconds, Shards: f.serving(), Line: f.judge.Lines.Relative}
	mean := stats.Requests / seconds / float64(max(1, watch.Shards))
	if c := f.judge.Capacity.Total; c > 0 && mean > 0 && f.pipeline.Cost == 0 {
		watch.Line, watch.Absolute = f.judge.Lines.Warning*c/mean, true
	}
	d := watch.Detectable()
	part := &line.Detectable{Line: line.Number(watch.Line), Samples: line.Number(d.Samples)}
	for _, p := range []struct {
		value float64
		into  **line.Number
	}{{d.Fast, &part.OneMinute}, {d.Long, &part.FiveMinutes}} {
		if !math.IsInf(p.value, 0) && !math.IsNaN(p.value) {
			n := line.Number(p.value)
			*p.into = &n
		}
	}
	return part
}

// serving is the number of shards that carry the fleet.
func (f *replayedFleet) serving() int {
	n := 0
	for _, s := range f.fleet.Table().Document().Shards {
		if s.Role.String() == "serving" {
			n++
		}
	}
	return n
}
