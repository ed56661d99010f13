package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"

	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/sketch"
)

// cachedPane is a pane that was converted before. Snapshots share it: nobody changes it.
type cachedPane struct {
	version uint64
	pane    policy.Pane
}

// leastListed is the fewest keys, tenants and pairs that a snapshot lists; it is four a shard in a large fleet.
const leastListed = 512

// Snapshot gives the window as policy judges it. It may be called after Advance returned true and is never changed
// afterwards. Without a table it lists keys and tenants only and must not be judged.
func (w *window) Snapshot() (*policy.Snapshot, error) {
	if err := w.places.refresh(); err != nil {
		return nil, fmt.Errorf("fleet %s: %w", routing.Escape(w.cfg.Fleet), err)
	}
	listed := leastListed
	if w.places.table != nil {
		listed = max(listed, 4*w.places.table.Shards())
	}
	counted := w.counter.Window(listed)
	w.distinct = Distinct{Keys: counted.Distinct.Keys, Tenants: counted.Distinct.Tenants, Callers: counted.Distinct.Callers, Load: w.windowLoad()}
	s := &policy.Snapshot{
		Fleet: w.cfg.Fleet, Table: w.places.table, LogPoint: w.cfg.LogPoint, Pane: w.Pane(), Whole: w.cfg.Whole || w.timeless,
		Panes: w.snapshotPanes(counted.Panes), Inputs: w.inputs(),
	}
	s.Keys = make([]policy.Contributor, len(counted.Keys))
	s.Tenants = make([]policy.Contributor, len(counted.Tenants))
	s.Pairs = make([]policy.Pair, len(counted.Pairs))
	var sums arena
	pieces := w.piecesOf()
	for i := range counted.Keys {
		s.Keys[i] = w.contributor(&counted.Keys[i], w.cells(&sums, counted.Keys[i].Cells))
		s.Keys[i].Pieces = pieces[counted.Keys[i].Name]
	}
	for i := range counted.Tenants {
		l := &counted.Tenants[i]
		s.Tenants[i] = policy.Contributor{
			Tenant: l.Name, VShard: routing.NoVShard, Panes: w.cells(&sums, l.Cells), Low: w.cost(l.Low), High: w.cost(l.High),
			Caller: l.Caller, CallerShare: l.CallerShare,
		}
	}
	for i := range counted.Pairs {
		l := &counted.Pairs[i]
		s.Pairs[i] = policy.Pair{
			Tenant: l.Name, Shard: routing.ShardID(l.Shard), Panes: w.cells(&sums, l.Cells), Caller: l.Caller, CallerShare: l.CallerShare,
		}
	}
	return s, nil
}

// contributor converts a listed key.
func (w *window) contributor(l *sketch.Listed, panes []policy.Sums) policy.Contributor {
	tenant, key := w.places.parts(l.Name)
	c := policy.Contributor{
		Key: key, Tenant: tenant, VShard: routing.VShard(l.VShard), Hashed: record.IsCut([]byte(key)), Panes: panes,
		Low: w.cost(l.Low), High: w.cost(l.High), Caller: l.Caller, CallerShare: l.CallerShare,
	}
	switch {
	case !w.places.tenantKeys:
		c.Tenant, c.TenantShare = l.Tenant, l.TenantShare
	case tenant != "":
		c.TenantShare = 1
	}
	return c
}

// snapshotPanes lists all panes of the window, those without traffic too.
func (w *window) snapshotPanes(counted []sketch.PaneSums) []policy.Pane {
	panes := make([]policy.Pane, w.Panes())
	for i := range panes {
		panes[i].Start = w.start(w.first + int64(i))
	}
	for _, p := range counted {
		i := p.Pane - w.first
		if i < 0 || i >= int64(len(panes)) {
			continue
		}
		c, ok := w.cache[p.Pane]
		if !ok || c.version != p.Version {
			c = cachedPane{version: p.Version, pane: policy.Pane{Start: panes[i].Start, VShards: make([]policy.VShardSums, len(p.VShards))}}
			for j := range p.VShards {
				c.pane.VShards[j] = policy.VShardSums{VShard: routing.VShard(p.VShards[j].VShard), Sums: w.sums(&p.VShards[j].Sums)}
			}
			w.cache[p.Pane] = c
		}
		panes[i] = c.pane
	}
	return panes
}

// arena hands out the sums of all lists from pieces of memory. They are of one size, so that the piece of one snapshot has room
// in what another one left: memory does not grow by gaps.
type arena []policy.Sums

func (a *arena) take(n int) []policy.Sums {
	const piece = 1024 // sums: 48 KB
	if cap(*a)-len(*a) < n {
		*a = make(arena, 0, max(n, piece))
	}
	at := len(*a)
	*a = (*a)[:at+n]
	return (*a)[at : at+n : at+n]
}

// cells lays sparse cells out by pane, up to the newest one.
func (w *window) cells(a *arena, cells []sketch.Cell) []policy.Sums {
	for len(cells) > 0 && cells[0].Pane < w.first {
		cells = cells[1:]
	}
	if len(cells) == 0 {
		return nil
	}
	first := cells[0].Pane
	out := a.take(int(w.closed-first) + 1)
	for i := range cells {
		out[cells[i].Pane-first] = w.sums(&cells[i].Sums)
	}
	return out
}

func (w *window) cost(v uint64) float64 { return sketch.Float(v) * w.cfg.Cost.scale() }

// sums converts to the unit of the fleet's load. A variance that saturated says nothing: then all of it is one sample.
func (w *window) sums(s *sketch.Sums) policy.Sums {
	scale := w.cfg.Cost.scale()
	out := policy.Sums{
		Load: w.cost(s.Cost), Variance: sketch.Float(s.Variance) * scale * scale, Records: sketch.Float(s.Records),
		Reads: w.cost(s.Reads), Writes: w.cost(s.Writes), Throttled: w.cost(s.Throttled),
	}
	if s.Variance == math.MaxUint64 {
		out.Variance = out.Load * out.Load
	}
	return out
}

// windowLoad is the load of the complete panes.
func (w *window) windowLoad() float64 {
	var load uint64
	for pane, facts := range w.panes {
		if pane <= w.closed {
			load += facts.cost
		}
	}
	return w.cost(load)
}

// inputs says how far the window can be trusted.
func (w *window) inputs() policy.Inputs {
	var all paneFacts
	for pane, facts := range w.panes {
		if pane <= w.closed {
			all.plus(facts)
		}
	}
	in := policy.Inputs{
		Coverage: 1, Sampling: w.cfg.Sampling, Timeless: w.timeless,
		Tenants: w.says.Tenants, Ops: w.says.Ops, Keys: w.says.Keys, Callers: w.says.Callers,
	}
	if all.located > 0 {
		in.Shards, in.Disagree = true, all.disagreed/all.located
	}
	if w.says.Rates && all.records > 0 {
		in.Unrated = all.unrated / all.records
		in.DefaultRate = w.cfg.Rate
	}
	if all.stoodFor > 0 {
		in.LoggedRate = all.rated / all.stoodFor
	}
	return in
}

// piecesOf lists the pieces of each salted key, over the long window.
func (w *window) piecesOf() map[string][]policy.Piece {
	if w.pieces == nil {
		return nil
	}
	all := map[string][]policy.Piece{}
	salted := w.pieces.Window(math.MaxInt32)
	for i := range salted.Keys {
		l := &salted.Keys[i]
		at := len(l.Name) - 4
		var sum sketch.Sums
		for _, c := range l.Cells {
			sum = sum.Plus(c.Sums)
		}
		p := policy.Piece{Suffix: binary.BigEndian.Uint32([]byte(l.Name[at:])), VShard: routing.VShard(l.VShard), Sums: w.sums(&sum)}
		all[l.Name[:at]] = append(all[l.Name[:at]], p)
	}
	return all
}
