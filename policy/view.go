package policy

import (
	"time"

	"firebreak/routing"
)

// view is a snapshot seen in one dimension under the table in force: loads per
// pane and shard, with the design effect in every variance.
type view struct {
	s       *Snapshot
	cfg     *Config
	dim     Dimension
	serving []routing.ShardID
	effect  float64    // design effect, at least 1
	panes   [][]amount // [pane][shard]

	keys, tenants float64 // design effects among listed keys and pairs; 0 = not measured yet
}

// span is the newest part of a view, summed.
type span struct {
	panes   int
	seconds float64
	shards  []amount
	total   amount // over serving shards
}

func newView(s *Snapshot, cfg *Config, dim Dimension, sums [][]Sums) *view {
	v := &view{s: s, cfg: cfg, dim: dim, effect: 1}
	for i, shard := range s.Table.Document().Shards {
		if shard.Role == routing.Serving {
			v.serving = append(v.serving, routing.ShardID(i))
		}
	}
	v.panes = make([][]amount, len(sums))
	for i, row := range sums {
		v.panes[i] = make([]amount, len(row))
		for j := range row {
			v.panes[i][j] = row[j].in(dim)
		}
	}
	v.effect = v.designEffect()
	for _, row := range v.panes {
		for j := range row {
			row[j].variance *= v.effect
		}
	}
	return v
}

// newest sums the newest n panes.
func (v *view) newest(n int) span { return v.between(len(v.panes)-n, len(v.panes)) }

// between sums the panes [from, to).
func (v *view) between(from, to int) span {
	from = max(from, 0)
	w := span{panes: to - from, seconds: float64(to-from) * v.s.Pane.Seconds()}
	w.shards = make([]amount, v.s.Table.Shards())
	for _, row := range v.panes[from:to] {
		for j := range row {
			w.shards[j] = w.shards[j].plus(row[j])
		}
	}
	for _, id := range v.serving {
		w.total = w.total.plus(w.shards[id])
	}
	return w
}

// all is the load of the shards of every role: what a part that moves between them is a share of.
func (w *span) all() (load float64) {
	for _, a := range w.shards {
		load += a.load
	}
	return load
}

// fast and long are the two windows of the design.
func (v *view) fast() span { return v.newest(v.windowPanes(v.cfg.FastPanes)) }
func (v *view) long() span { return v.newest(v.windowPanes(v.cfg.LongPanes)) }

// windowPanes clips a window to what is there; a whole file is one window.
func (v *view) windowPanes(n int) int {
	if v.s.Whole {
		return len(v.panes)
	}
	return min(n, len(v.panes))
}

// mean is the load of an average serving shard, per second.
func (v *view) mean(w span) float64 {
	if len(v.serving) == 0 || w.seconds <= 0 {
		return 0
	}
	return w.total.load / w.seconds / float64(len(v.serving))
}

// of sums the newest n panes of a contributor or pair.
func (v *view) of(panes []Sums, n int) amount {
	return v.amount(newestSums(panes, n))
}

// amount of sums in the view's dimension, with the design effect.
func (v *view) amount(sums Sums) amount {
	a := sums.in(v.dim)
	a.variance *= v.effect
	return a
}

// end is when the newest pane ends.
func (s *Snapshot) end() time.Time {
	if len(s.Panes) == 0 {
		return time.Time{}
	}
	return s.Panes[len(s.Panes)-1].Start.Add(s.Pane)
}
