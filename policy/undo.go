package policy

import (
	"fmt"
	"slices"
	"time"

	"firebreak/routing"
)

// undoFactor of its target is what a shard may have once something was undone:
// a tenth to spare, so that an undo is not followed by the same fix.
const undoFactor = 0.9

// undo proposes to take back what is no longer needed: a salt, a tenant's own
// shards, a quota, a cached key, or a spare that was filled. Only after the
// whole undo delay of low demand, what clients kept from the log counted in,
// and never before the grace of the operation that made it is over. A dip is
// no reason.
func (w *watcher) undo() {
	low := map[string]time.Time{}
	doc := w.s.Table.Document()
	for i := range doc.Salts {
		if s := &doc.Salts[i]; s.Write > 1 || s.Read > 1 {
			step := Step{Kind: StepUnsalt, Key: s.Key, Tenant: s.Tenant}
			w.ripen(low, FixSalt, &step, w.fitsBare(s), routing.SaltEntry(s.Tenant, s.Key))
		}
	}
	for _, p := range doc.Tenants {
		step := Step{Kind: StepReturnTenant, Tenant: p.Tenant, Shards: w.freed(&p)}
		w.ripen(low, FixIsolate, &step, w.fitsHome(p.Tenant), append([]routing.Entry{routing.TenantEntry(p.Tenant)}, shardEntries(step.Shards)...)...)
	}
	w.undoLimits(low)
	w.undoSpares(low)
	w.st.Action.LowSince = low
}

// ripen carries the time since when an exception is not needed, by the first of
// the entries that its undo changes, and proposes the undo once that is long enough.
func (w *watcher) ripen(low map[string]time.Time, fix Fix, step *Step, fits bool, entries ...routing.Entry) {
	if !fits {
		return
	}
	entry := entries[0]
	since, ok := w.st.Action.LowSince[entry.String()]
	if !ok {
		since = w.s.end()
	}
	low[entry.String()] = since
	if w.s.end().Sub(since) < w.cfg.UndoDelay {
		return
	}
	for _, op := range w.s.World.Operations {
		if overlaps(op.Footprint, entries) && (op.Settled.IsZero() || w.now.Sub(op.Settled) < w.cfg.Grace) {
			return
		}
	}
	step.Operations, step.Text = max(1, step.Operations), fmt.Sprintf("%s: demand was low since %s", step.Kind, since.UTC().Format(time.RFC3339))
	p := Plan{Fix: fix, Undo: true, Steps: []Step{*step}, Expires: w.now.Add(w.cfg.Expiry), Footprint: slices.Clone(entries)}
	slices.SortFunc(p.Footprint, routing.CompareEntries)
	p.ID = planID(w.s.Fleet, &p)
	p.Digest = w.s.Table.Document().Digest(p.Footprint)
	holds := holdPlan(w.s, w.cfg, w.st, &p, &Verdict{ShardID: routing.NoShard}, w.now)
	p.Ready = len(holds) == 0
	w.d.Plans = append(w.d.Plans, p)
	w.d.Holds = append(w.d.Holds, holds...)
}

// fitsBare says whether the whole of a salted key would fit its bare piece's
// shard, with a tenth to spare.
func (w *watcher) fitsBare(s *routing.Salt) bool {
	t := w.s.Table
	home := t.Locate([]byte(s.Tenant), []byte(s.Key)).Shard
	for i := range w.s.Keys {
		if c := &w.s.Keys[i]; c.Key == s.Key && (s.Tenant == "" || c.Tenant == s.Tenant) {
			return w.bears(home, c.Panes, w.demand(c.Tenant))
		}
	}
	return w.bears(home, nil, 0)
}

// fitsHome says whether a placed tenant would fit where the map puts it: all
// of it on the busiest of those shards at once is the safe reading.
func (w *watcher) fitsHome(tenant string) bool {
	for i := range w.s.Pairs {
		if p := &w.s.Pairs[i]; p.Tenant == tenant && !w.bears(p.Shard, p.Panes, w.demand(tenant)) {
			return false
		}
	}
	return true
}

// demand is what clients refused or queued of a tenant, in load/s.
func (w *watcher) demand(tenant string) float64 {
	var sum float64
	for _, d := range w.s.World.Demand {
		if d.Tenant == tenant && d.Key == "" {
			sum += d.Rate
		}
	}
	return sum
}

// bears says whether a shard can take a load over the long window and stay a
// tenth under its target, on upper bounds.
func (w *watcher) bears(id routing.ShardID, panes []Sums, refused float64) bool {
	if id < 0 || int(id) >= w.s.Table.Shards() {
		return false
	}
	for i, v := range w.views {
		long := w.long[i]
		lim, ok := v.limitOf(id, long)
		if !ok {
			return false
		}
		whole := long.shards[id].plus(v.of(panes, long.panes))
		if whole.upperNormal(receiverZ)/long.seconds+refused > undoFactor*lim.target {
			return false
		}
	}
	return true
}
