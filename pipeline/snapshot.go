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
func (f *Fleet) Snapshot() (*policy.Snapshot, error) {
	if err := f.places.refresh(); err != nil {
		return nil, fmt.Errorf("fleet %s: %w", routing.Escape(f.cfg.Fleet), err)
	}
	listed := leastListed
	if f.places.table != nil {
		listed = max(listed, 4*f.places.table.Shards())
	}
	w := f.counter.Window(listed)
	f.distinct = Distinct{Keys: w.Distinct.Keys, Tenants: w.Distinct.Tenants, Callers: w.Distinct.Callers, Load: f.windowLoad()}
	s := &policy.Snapshot{
		Fleet: f.cfg.Fleet, Table: f.places.table, LogPoint: f.cfg.LogPoint, Pane: f.Pane(), Whole: f.cfg.Whole || f.timeless,
		Panes: f.snapshotPanes(w.Panes), Inputs: f.inputs(),
	}
	s.Keys = make([]policy.Contributor, len(w.Keys))
	s.Tenants = make([]policy.Contributor, len(w.Tenants))
	s.Pairs = make([]policy.Pair, len(w.Pairs))
	var sums arena
	sums.grow(w.Keys, w.Tenants, w.Pairs)
	pieces := f.piecesOf()
	for i := range w.Keys {
		s.Keys[i] = f.contributor(&w.Keys[i], f.cells(&sums, w.Keys[i].Cells))
		s.Keys[i].Pieces = pieces[w.Keys[i].Name]
	}
	for i := range w.Tenants {
		l := &w.Tenants[i]
		s.Tenants[i] = policy.Contributor{
			Tenant: l.Name, VShard: routing.NoVShard, Panes: f.cells(&sums, l.Cells), Low: f.cost(l.Low), High: f.cost(l.High),
			Caller: l.Caller, CallerShare: l.CallerShare,
		}
	}
	for i := range w.Pairs {
		l := &w.Pairs[i]
		s.Pairs[i] = policy.Pair{
			Tenant: l.Name, Shard: routing.ShardID(l.Shard), Panes: f.cells(&sums, l.Cells), Caller: l.Caller, CallerShare: l.CallerShare,
		}
	}
	return s, nil
}

// contributor converts a listed key.
func (f *Fleet) contributor(l *sketch.Listed, panes []policy.Sums) policy.Contributor {
	tenant, key := f.places.parts(l.Name)
	c := policy.Contributor{
		Key: key, Tenant: tenant, VShard: routing.VShard(l.VShard), Hashed: record.IsCut([]byte(key)), Panes: panes,
		Low: f.cost(l.Low), High: f.cost(l.High), Caller: l.Caller, CallerShare: l.CallerShare,
	}
	switch {
	case !f.places.tenantKeys:
		c.Tenant, c.TenantShare = l.Tenant, l.TenantShare
	case tenant != "":
		c.TenantShare = 1
	}
	return c
}

// snapshotPanes lists all panes of the window, those without traffic too.
func (f *Fleet) snapshotPanes(counted []sketch.PaneSums) []policy.Pane {
	panes := make([]policy.Pane, f.Panes())
	for i := range panes {
		panes[i].Start = f.start(f.first + int64(i))
	}
	for _, p := range counted {
		i := p.Pane - f.first
		if i < 0 || i >= int64(len(panes)) {
			continue
		}
		c, ok := f.cache[p.Pane]
		if !ok || c.version != p.Version {
			c = cachedPane{version: p.Version, pane: policy.Pane{Start: panes[i].Start, VShards: make([]policy.VShardSums, len(p.VShards))}}
			for j := range p.VShards {
				c.pane.VShards[j] = policy.VShardSums{VShard: routing.VShard(p.VShards[j].VShard), Sums: f.sums(&p.VShards[j].Sums)}
			}
			f.cache[p.Pane] = c
		}
		panes[i] = c.pane
	}
	return panes
}

// arena hands out the sums of all lists from one piece of memory.
type arena []policy.Sums

func (a *arena) grow(lists ...[]sketch.Listed) {
	n := 0
	for _, list := range lists {
		for i := range list {
			if cells := list[i].Cells; len(cells) > 0 {
				n += int(cells[len(cells)-1].Pane-cells[0].Pane) + 1
			}
		}
	}
	*a = make(arena, 0, n)
}

func (a *arena) take(n int) []policy.Sums {
	if cap(*a)-len(*a) < n {
		*a = make(arena, 0, max(n, 1024))
	}
	at := len(*a)
	*a = (*a)[:at+n]
	return (*a)[at : at+n : at+n]
}

// cells lays sparse cells out by pane, up to the newest one.
func (f *Fleet) cells(a *arena, cells []sketch.Cell) []policy.Sums {
	for len(cells) > 0 && cells[0].Pane < f.first {
		cells = cells[1:]
	}
	if len(cells) == 0 {
		return nil
	}
	first := cells[0].Pane
	out := a.take(int(f.closed-first) + 1)
	for i := range cells {
		out[cells[i].Pane-first] = f.sums(&cells[i].Sums)
	}
	return out
}

func (f *Fleet) cost(v uint64) float64 { return sketch.Float(v) * f.cfg.Cost.scale() }

// sums converts to the unit of the fleet's load. A variance that saturated says nothing: then all of it is one sample.
func (f *Fleet) sums(s *sketch.Sums) policy.Sums {
	scale := f.cfg.Cost.scale()
	out := policy.Sums{
		Load: f.cost(s.Cost), Variance: sketch.Float(s.Variance) * scale * scale, Records: sketch.Float(s.Records),
		Reads: f.cost(s.Reads), Writes: f.cost(s.Writes), Throttled: f.cost(s.Throttled),
	}
	if s.Variance == math.MaxUint64 {
		out.Variance = out.Load * out.Load
	}
	return out
}

// windowLoad is the load of the complete panes.
func (f *Fleet) windowLoad() float64 {
	var load uint64
	for pane, facts := range f.panes {
		if pane <= f.closed {
			load += facts.cost
		}
	}
	return f.cost(load)
}

// inputs says how far the window can be trusted.
func (f *Fleet) inputs() policy.Inputs {
	var all paneFacts
	for pane, facts := range f.panes {
		if pane <= f.closed {
			all.plus(facts)
		}
	}
	in := policy.Inputs{
		Coverage: 1, Sampling: f.cfg.Sampling, Timeless: f.timeless,
		Tenants: f.stats.Tenants, Ops: f.stats.Ops, Keys: f.stats.Keys, Callers: f.stats.Callers,
	}
	if all.located > 0 {
		in.Disagree = all.disagreed / all.located
	}
	if f.stats.Rated > 0 && all.records > 0 {
		in.Unrated = all.unrated / all.records
		in.DefaultRate = f.cfg.Rate
	}
	if all.stoodFor > 0 {
		in.LoggedRate = all.rated / all.stoodFor
	}
	return in
}

// fold counts a piece of a salted key under its logical key: readers ask every piece, so a read is 1/pieces of one.
func (f *Fleet) fold(rec *record.Record, at place) {
	e := &f.event
	f.keySums = e.Sums
	if rec.Op == record.OpRead && at.pieces > 1 {
		n := uint64(at.pieces)
		k := &f.keySums
		k.Requests, k.Cost, k.Reads, k.Throttled = k.Requests/n, k.Cost/n, k.Reads/n, k.Throttled/n
		k.Variance /= n * n
	}
	e.KeySums = &f.keySums
	if f.pieces == nil {
		return
	}
	piece := sketch.Event{Pane: e.Pane, VShard: e.VShard, Shard: sketch.None, Sums: e.Sums}
	piece.Key = binary.BigEndian.AppendUint32(append([]byte(nil), e.Key...), at.suffix)
	f.pieces.Add(&piece)
}

// piecesOf lists the pieces of each salted key, over the long window.
func (f *Fleet) piecesOf() map[string][]policy.Piece {
	if f.pieces == nil {
		return nil
	}
	all := map[string][]policy.Piece{}
	w := f.pieces.Window(math.MaxInt32)
	for i := range w.Keys {
		l := &w.Keys[i]
		at := len(l.Name) - 4
		var sum sketch.Sums
		for _, c := range l.Cells {
			sum = sum.Plus(c.Sums)
		}
		p := policy.Piece{Suffix: binary.BigEndian.Uint32([]byte(l.Name[at:])), VShard: routing.VShard(l.VShard), Sums: f.sums(&sum)}
		all[l.Name[:at]] = append(all[l.Name[:at]], p)
	}
	return all
}
