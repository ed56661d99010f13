package report

import (
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

// maxRevisions bounds how many changes of a verdict are kept.
const maxRevisions = 8

// hotspot is what a report says of one.
type hotspot struct {
	told     policy.Verdict // as last told while it fired
	found    time.Time      // when it was first told
	resolved time.Time
	closing  string // why it is resolved
	peak     float64
	peakAt   time.Time // start of the pane
	changes  []change
	changed  int

	full    bool // the rest is there
	picture policy.Picture
	inputs  policy.Inputs
	table   *routing.Table // in force when it was told
	plan    *line.Plan     // the first one after it was told, which the projections belong to
	redrawn int            // how often the plan was another one since
	newest  string         // id of the last plan
	holds   []line.Hold    // by reason, with their last words
	trace   series
	word    *actuator.Word // what a person said of it; nil = nobody did
}

// change is an answer that a hotspot had before the one it has now.
type change struct {
	At    time.Time
	Cause policy.Cause
	Fix   policy.Fix
}

// over is its peak as load / line.
func (h *hotspot) over() float64 {
	if h.told.Line <= 0 {
		return 0
	}
	return h.peak / h.told.Line
}

func (h *hotspot) hold(hold line.Hold) {
	if i := slices.IndexFunc(h.holds, func(o line.Hold) bool { return o.Reason == hold.Reason }); i >= 0 {
		h.holds[i] = hold
		return
	}
	h.holds = append(h.holds, hold)
}

// verdict takes in a verdict that was told at this tick.
func (r *Recorder) verdict(s *policy.Snapshot, cfg *policy.Config, v *policy.Verdict) {
	h := r.hot[v.Hotspot]
	if v.Phase == policy.PhaseResolved {
		if h != nil {
			h.resolved, h.closing = v.Time, v.Reason
		}
		return
	}
	if h == nil {
		if len(r.order) >= maxListed {
			r.dropped++
			return
		}
		h = &hotspot{found: v.Time}
		if r.hot == nil {
			r.hot = map[string]*hotspot{}
		}
		r.hot[v.Hotspot] = h
		r.order = append(r.order, h)
		h.precede(s, cfg, v)
	} else if was := h.told; was.Cause != v.Cause || was.Fix != v.Fix || was.Key != v.Key || was.Tenant != v.Tenant {
		h.changed++
		if len(h.changes) < maxRevisions {
			h.changes = append(h.changes, change{was.Time, was.Cause, was.Fix})
		}
	}
	h.told, h.full = *v, true
	h.picture, h.inputs, h.table = policy.Behind(s, cfg, v, listed), s.Inputs, s.Table
	h.holds, h.plan, h.redrawn = nil, nil, 0
	r.spare()
}

// precede fills the curve of a hotspot with the panes that its first verdict saw.
func (h *hotspot) precede(s *policy.Snapshot, cfg *policy.Config, v *policy.Verdict) {
	for i := range s.Panes {
		if g := policy.Gauges(s, cfg, i, i+1); int(v.ShardID) < len(g) {
			h.bear(s.Panes[i].Start, s.Pane, g[v.ShardID].Load)
		}
	}
	if s.Inputs.Timeless || h.peak < v.Load {
		h.peak, h.peakAt = v.Load, time.Time{}
	}
}

// bear adds a pane to the curve.
func (h *hotspot) bear(at time.Time, pane time.Duration, load float64) {
	h.trace.add(at, pane, load)
	if load > h.peak {
		h.peak, h.peakAt = load, at
	}
}

// open takes in a hotspot that is firing at this tick.
func (r *Recorder) open(s *policy.Snapshot, v *policy.Verdict, newest []policy.Gauge) {
	h := r.hot[v.Hotspot]
	if h == nil || int(v.ShardID) >= len(newest) {
		return
	}
	h.told.Severity = max(h.told.Severity, v.Severity)
	h.bear(r.newest, s.Pane, newest[v.ShardID].Load)
}

// plan takes in the plan of a hotspot.
func (r *Recorder) plan(p *policy.Plan) {
	h := r.hot[p.Hotspot]
	if h == nil || !h.full || p.Undo {
		return
	}
	if h.plan == nil {
		h.plan, h.newest = line.NewPlan(h.told.Fleet, line.Stamp(h.told.Time), p, h.table), p.ID
		r.Store.Tell(h.plan, profiles.Where{Table: h.table, Hot: h.told.Shard})
	}
	if p.ID != h.newest {
		h.redrawn, h.newest = h.redrawn+1, p.ID
	}
}

// spare takes the details off the least of the hotspots where too many have them.
func (r *Recorder) spare() {
	var least *hotspot
	n := 0
	for _, h := range r.order {
		if !h.full {
			continue
		}
		n++
		if least == nil || least.before(h) < 0 {
			least = h
		}
	}
	if n <= maxDetailed {
		return
	}
	least.full, least.picture, least.table, least.plan, least.holds = false, policy.Picture{}, nil, nil, nil
	least.trace, least.told.Projected, least.told.Contribute = series{}, nil, nil
}
