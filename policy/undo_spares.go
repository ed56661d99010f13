package policy

import (
	"math"
	"slices"
	"time"

	"firebreak/routing"
)

// undoSpares sends home what was moved onto a spare, and makes it a spare
// again. Only one that an operation of ours made serve, while that is known:
// shards that people added serve for good. One that is draining was left so by
// a drain that was given up on its way.
func (w *watcher) undoSpares(low map[string]time.Time) {
	doc := w.s.Table.Document()
	for i, shard := range doc.Shards {
		entry := routing.ShardEntry(shard.Name)
		_, waits := w.st.Action.LowSince[entry.String()]
		if shard.Role != routing.Serving && shard.Role != routing.Draining || !waits && !w.filled(entry) || w.placedOn(routing.ShardID(i), "") {
			continue
		}
		moves := w.homeward(routing.ShardID(i))
		if moves == nil {
			continue
		}
		step := Step{Kind: StepDrain, Moves: moves, Shards: []string{shard.Name}}
		entries := []routing.Entry{entry}
		for _, m := range moves {
			entries = append(entries, routing.VShardEntry(m.VShard))
		}
		fits, moved := w.fitsHomeward(moves)
		step.Operations = 1 + max(1, int(math.Ceil(moved/w.cfg.MovedAtMost-1e-9)))
		w.ripen(low, FixScaleOut, &step, fits, entries...)
	}
}

// filled says whether an operation of ours made a shard serve.
func (w *watcher) filled(entry routing.Entry) bool {
	return slices.ContainsFunc(w.s.World.Operations, func(op Operation) bool {
		return op.Fix == FixScaleOut && overlaps(op.Footprint, []routing.Entry{entry})
	})
}

// placedOn says whether a tenant other than one lies on a shard by a placement.
func (w *watcher) placedOn(id routing.ShardID, but string) bool {
	return slices.ContainsFunc(w.s.Table.Document().Tenants, func(p routing.TenantPlacement) bool {
		return p.Tenant != but && slices.Contains(p.Shards, id)
	})
}

// homeward are the moves that bring everything on a shard to where the base map
// has it; nil where the base map has something on the shard itself, or where
// home does not serve.
func (w *watcher) homeward(id routing.ShardID) []routing.Move {
	bare := w.s.Table.Document().Clone()
	bare.Moves = nil
	home, err := w.s.Table.With(bare)
	if err != nil {
		return nil
	}
	out := []routing.Move{}
	for v := range routing.VShard(w.s.Table.VShards()) {
		at := home.Owner(v)
		if at == id {
			return nil
		}
		if w.s.Table.Owner(v) != id {
			continue
		}
		if at < 0 || bare.Shards[at].Role != routing.Serving {
			return nil
		}
		out = append(out, routing.Move{VShard: v, To: at})
	}
	return out
}

// fitsHomeward says whether each shard can take what comes home to it, and how
// much of the fleet's load that is.
func (w *watcher) fitsHomeward(moves []routing.Move) (fits bool, moved float64) {
	to := make(map[routing.VShard]routing.ShardID, len(moves))
	for _, m := range moves {
		to[m.VShard] = m.To
	}
	come := map[routing.ShardID][]Sums{}
	var all float64
	for i := range w.s.Panes {
		for _, v := range w.s.Panes[i].VShards {
			all += v.Load
			home, moves := to[v.VShard]
			if !moves {
				continue
			}
			if come[home] == nil {
				come[home] = make([]Sums, len(w.s.Panes))
			}
			come[home][i] = come[home][i].plus(v.Sums)
			moved += v.Load
		}
	}
	for home, panes := range come {
		if !w.bears(home, panes, 0) {
			return false, 0
		}
	}
	return true, ratio(moved, all)
}

// freed are the shards that a placed tenant leaves with nothing on them: they
// are spares again when it is sent home.
func (w *watcher) freed(p *routing.TenantPlacement) []string {
	doc := w.s.Table.Document()
	var out []string
	for _, id := range p.Shards {
		if doc.Shards[id].Role == routing.Dedicated && !w.placedOn(id, p.Tenant) && !w.owns(id) {
			out = append(out, doc.Shards[id].Name)
		}
	}
	return out
}

// owns says whether a virtual shard lies on a shard.
func (w *watcher) owns(id routing.ShardID) bool {
	for v := range routing.VShard(w.s.Table.VShards()) {
		if w.s.Table.Owner(v) == id {
			return true
		}
	}
	return false
}

func shardEntries(names []string) []routing.Entry {
	var out []routing.Entry
	for _, name := range names {
		out = append(out, routing.ShardEntry(name))
	}
	return out
}
