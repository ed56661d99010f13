package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/routing"
)

// Evaluate judges one tick of one fleet. s holds the complete panes up to the
// newest; it is to be called at every pane close: a pane that closed without a
// call is a gap, which ends every run over a line and under one, for nobody
// knows what was in it, and what was open stays open. Calling it again without
// a new pane changes nothing that was detected. The given state is not
// changed; the one returned is to be passed to the next call. now is the time
// of the tick: plans expire and approvals age by it, detection goes by panes.
func Evaluate(s *Snapshot, cfg *Config, st State, now time.Time) (Decision, State) {
	st = st.clone()
	d := Decision{Unread: s.World.Unread}
	if d.Holds, d.Blind = gate(s, cfg); d.Blind {
		d.Advice = advise(s, cfg, st.sight(true))
		return d, st
	}
	w := newWatcher(s, cfg, &st, now, &d)
	if w.empty() {
		// An empty window freezes the state: silence of a log is no proof of rest.
		w.standing()
		d.Advice = advise(s, cfg, st.sight(true))
		return d, st
	}
	end := s.end()
	if end.After(st.Detection.Newest) {
		w.breakRuns()
		for i, shard := range s.Table.Document().Shards {
			if shard.Role == routing.Serving || shard.Role == routing.Dedicated {
				w.shard(routing.ShardID(i))
			}
		}
		st.Detection.Newest = end
		w.undo()
	} else {
		w.standing()
	}
	d.Advice = append(advise(s, cfg, st.sight(false)), w.fleetAdvice()...)
	d.Findings = w.findings()
	return d, st
}

// standing lists what is open where no shard is judged anew: what is frozen is not over.
func (w *watcher) standing() {
	for i, shard := range w.s.Table.Document().Shards {
		hot := w.st.Detection.Shards[shard.Name].Hotspot
		if hot == nil {
			continue
		}
		at := slices.IndexFunc(w.views, func(v *view) bool { return v.dim == hot.Dimension })
		w.d.Open = append(w.d.Open, w.open(routing.ShardID(i), hot, max(0, at)))
	}
}

func (w *watcher) empty() bool {
	for i := range w.views {
		if w.fast[i].total.load > 0 {
			return false
		}
	}
	return true
}

// breakRuns forgets runs over the line, under it and of another answer that a
// gap in the panes or an empty window interrupted: nobody knows what happened
// in it.
func (w *watcher) breakRuns() {
	last := w.st.Detection.Newest
	if last.IsZero() || !w.s.end().After(last.Add(w.s.Pane)) {
		return
	}
	for name, t := range w.st.Detection.Shards {
		t.Since, t.Proved = time.Time{}, time.Time{}
		if t.Hotspot == nil {
			delete(w.st.Detection.Shards, name)
			continue
		}
		t.Hotspot.CoolSince, t.Hotspot.GrownFrom, t.Hotspot.Change, t.Hotspot.Changed = time.Time{}, time.Time{}, Answer{}, time.Time{}
		w.st.Detection.Shards[name] = t
	}
}

// tell adds one firing line.
func (w *watcher) tell(hot *Hotspot, j *judged) {
	v := w.verdict(hot, j.e, &j.b, &j.c)
	v.Phase = PhaseFiring
	w.d.Verdicts = append(w.d.Verdicts, v)
	hot.ToldLoad, hot.GrownFrom = v.Load, time.Time{}
}

// load is that of a shard in the fast window, load/s.
func (w *watcher) load(id routing.ShardID, at int) float64 {
	return w.fast[at].shards[id].load / w.fast[at].seconds
}

// base is what every line about a hotspot says.
func (w *watcher) base(id routing.ShardID, hot *Hotspot, v *view, over span) Verdict {
	doc := w.s.Table.Document()
	load := over.shards[id].load / over.seconds
	mean := v.mean(over)
	return Verdict{
		Fleet: w.s.Fleet, Time: w.now, Hotspot: hot.ID, Severity: hot.Severity, Onset: hot.Onset,
		Shard: doc.Shards[id].Name, ShardID: id, Placement: placementText(doc.Placement), Epoch: doc.Epoch, Version: doc.Version, LogPoint: w.s.LogPoint,
		Dimension: hot.Dimension, Cause: hot.Told.Cause, Key: hot.Told.Key, Tenant: hot.Told.Tenant, Fix: hot.Told.Fix,
		Load: load, Mean: mean, Imbalance: ratio(load, mean), Capacity: v.capacity(doc.Shards[id]),
		Line: hot.Line, Target: hot.Target, Coverage: w.s.Inputs.Coverage, Samples: over.shards[id].samples(),
		From: w.s.end().Add(-time.Duration(over.panes) * w.s.Pane), To: w.s.end(),
	}
}

func (w *watcher) open(id routing.ShardID, hot *Hotspot, at int) Verdict {
	v := w.base(id, hot, w.views[at], w.fast[at])
	v.Phase = PhaseFiring
	return v
}

func (w *watcher) resolve(id routing.ShardID, hot *Hotspot, at int) {
	v := w.base(id, hot, w.views[at], w.fast[at])
	v.Phase = PhaseResolved
	v.Reason = fmt.Sprintf("under %s/s (0.9× its line) for %s", rate(coolFactor*hot.Line), strings.Replace(w.cfg.Resolve.String(), "m0s", "m", 1))
	w.d.Verdicts = append(w.d.Verdicts, v)
}

// verdict is the whole statement with its evidence and its fixes.
func (w *watcher) verdict(hot *Hotspot, e *evidence, b *branches, c *choice) Verdict {
	v := w.base(e.id, hot, e.v, e.w)
	f := &b.point
	if v.Line == v.Target {
		v.Line = e.target // both are the same multiple of a mean, which has grown since
	}
	v.Target = e.target
	v.Reason = reason(e, f, b, hot.Severity)
	for _, q := range b.open {
		v.Missing = append(v.Missing, q.String())
	}
	if w.s.Inputs.Disagree > w.cfg.Disagree {
		v.Reason += fmt.Sprintf("; %s of the load is logged on another shard than the table names: projections are refused", percent(w.s.Inputs.Disagree))
	} else {
		v.Projected = projections(e, f, c)
	}
	named := f.contributors
	if !b.agree() {
		named = e.suspects()
	}
	for i := range named {
		v.Contribute = append(v.Contribute, contribution(e, &named[i]))
	}
	if first := f.first(); first != nil {
		v.Share, v.ReadShare, v.OpUnknown = shareBounds(first.on, e.load), first.readPart(), first.unknown
		if v.Cause == CauseHotKey {
			v.Tenant = first.owner()
		}
		if first.callers >= callerShare {
			v.Caller = first.caller
		}
	} else {
		v.Share = shareBounds(e.load, e.w.total)
		v.ReadShare, v.OpUnknown = e.readShare()
	}
	return v
}

// owner is the tenant itself, or the one that sends most of a key.
func (it *item) owner() string {
	if it.key != nil && !it.owned && !it.ownedBy(it.tenant) {
		return ""
	}
	return it.tenant
}

func contribution(e *evidence, it *item) Contribution {
	cause := CauseWhaleTenant
	if it.key != nil {
		cause = CauseHotKey
	}
	key, _ := it.name()
	return Contribution{
		Cause: cause, Key: key, Tenant: it.owner(), Caller: it.caller, CallerShare: it.callers,
		Load: it.on.load / e.w.seconds, Share: shareBounds(it.on, e.load), ReadShare: it.readPart(), OpUnknown: it.unknown,
		AboveTarget: it.on.lower() > e.target*e.w.seconds,
	}
}

// readShare is the share of reads in the shard's load, among what is known, and
// the share of what is not.
func (e *evidence) readShare() (reads, unknown float64) {
	var sum Sums
	t := e.v.s.Table
	for _, p := range e.v.s.Panes[len(e.v.s.Panes)-e.w.panes:] {
		for _, v := range p.VShards {
			if t.Owner(v.VShard) == e.id {
				sum = sum.plus(v.Sums)
			}
		}
	}
	return ratio(sum.Reads, sum.Reads+sum.Writes), max(0, 1-ratio(sum.Reads+sum.Writes, sum.Load))
}
