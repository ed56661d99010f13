package operation_test

import (
	"time"

	"firebreak/routing"
	"firebreak/routing/control"
)

// loadsOf judges a write by which load moves, on sums of its own.
func (w *walk) loadsOf(o *control.Operation, n *control.State) {
	s := w.numbers.Snapshot
	newest := s.Panes[len(s.Panes)-1]
	if w.numbers.Decision.Blind || w.now.Sub(newest.Start) > time.Minute+2*s.Pane {
		w.fail(fresh, "%s with numbers of %s at %s", o.Phase, newest.Start, w.now)
	}
	was, is := w.sums(w.state.Document), w.sums(n.Document)
	moved, all, serving, edits := 0.0, 0.0, 0.0, 0
	for i := range is {
		all += is[i]
		moved += max(0, is[i]-was[i])
		if n.Document.Shards[i].Role == routing.Serving {
			serving++
		}
	}
	for i, shard := range n.Document.Shards {
		if shard.Role == routing.Serving && is[i] > was[i]+1 && is[i] > 1.5*all/serving {
			w.fail(caps, "%s gets %.0f of %.0f", shard.Name, is[i], 1.5*all/serving)
		}
	}
	for _, e := range o.Do {
		if e.Entry.Kind == routing.EntryVShard || e.Entry.Kind == routing.EntryTenant {
			edits++
		}
	}
	if moved > 0.1*all && edits > 0 && (edits > 1 || o.By == "") {
		w.fail(caps, "%.0f %% is moved", 100*moved/all)
	}
}

// sums are the loads of shards under a document.
func (w *walk) sums(d *routing.Document) []float64 {
	table, err := routing.NewTable(d)
	if err != nil {
		w.t.Fatal(err)
	}
	out := make([]float64, len(d.Shards))
	for _, v := range w.numbers.Snapshot.Panes[0].VShards {
		out[table.Owner(v.VShard)] += v.Load
	}
	if salt, ok := d.SaltOf(routing.SaltEntry("", "feed")); ok {
		out[table.Owner(routing.VShard(w.feed))] -= feedLoad
		for _, suffix := range salt.Suffixes[:salt.Write] {
			shard := table.PieceShard(nil, []byte("feed"), suffix)
			if suffix == 0 {
				shard = table.Owner(routing.VShard(w.feed))
			}
			out[shard] += feedLoad / float64(salt.Write)
		}
	}
	return out
}
