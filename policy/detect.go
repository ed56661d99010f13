package policy

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"firebreak/routing"
)

// coolFactor of its line is where a hotspot begins to resolve.
const coolFactor = 0.9

// watcher carries one tick over all shards.
type watcher struct {
	s     *Snapshot
	cfg   *Config
	st    *State
	views []*view
	fast  []span
	long  []span
	now   time.Time
	d     *Decision

	ordered bool // s is in canonical order
}

// dimensions to judge: reads and writes apart where capacity is given apart.
func (c *Config) dimensions(doc *routing.Document) []Dimension {
	apart := c.Capacity.Reads > 0
	for _, s := range doc.Shards {
		apart = apart || s.ReadCapacity > 0 || s.WriteCapacity > 0
	}
	if apart {
		return []Dimension{DimensionReads, DimensionWrites}
	}
	return []Dimension{DimensionTotal}
}

func newWatcher(s *Snapshot, cfg *Config, st *State, now time.Time, d *Decision) *watcher {
	w := &watcher{s: s, cfg: cfg, st: st, now: now, d: d}
	if doc := s.Table.Document(); len(doc.Salts)+len(doc.Tenants) > 0 {
		w.order()
		s = w.s
	}
	sums := shardSums(s, s.Table)
	for _, dim := range cfg.dimensions(s.Table.Document()) {
		v := newView(s, cfg, dim, sums)
		w.views = append(w.views, v)
		w.fast = append(w.fast, v.fast())
		w.long = append(w.long, v.long())
	}
	return w
}

// order puts the snapshot's lists in one order, once, before anything rests on
// them: most ticks look at shards only and can do without.
func (w *watcher) order() {
	if w.ordered {
		return
	}
	w.s, w.ordered = w.s.canonical(), true
	for _, v := range w.views {
		v.s = w.s
	}
}

// shard advances one shard by one pane close.
func (w *watcher) shard(id routing.ShardID) {
	name := w.s.Table.Document().Shards[id].Name
	track, known := w.st.Detection.Shards[name]
	test, at := w.test(id, track.Hotspot)
	if !known && !test.warm {
		return
	}
	end := w.s.end()
	switch {
	case !test.warm:
		track.Since = time.Time{}
	case track.Since.IsZero():
		track.Since = end
	}
	if !test.hot {
		track.Proved = time.Time{}
	} else if track.Proved.IsZero() {
		track.Proved = end
		track.Onset = w.views[at].onset(id, test.limit)
	}
	switch {
	case track.Hotspot != nil:
		w.follow(id, &track, test, at)
	case test.hot && (w.s.Whole || test.lasts && w.waited(&track, test)):
		w.fire(id, &track, test, at)
	}
	if track.Since.IsZero() && track.Hotspot == nil {
		delete(w.st.Detection.Shards, name)
		return
	}
	w.st.Detection.Shards[name] = track
}

// test judges the shard in the dimension it fired in, or the one it is hottest in.
func (w *watcher) test(id routing.ShardID, hot *Hotspot) (closeTest, int) {
	best, at := closeTest{}, 0
	for i, v := range w.views {
		t := v.judge(id, w.fast[i], w.long[i])
		if hot != nil {
			if v.dim == hot.Dimension {
				return t, i
			}
			continue
		}
		if t.warm && (!best.warm || t.hotter(&best)) {
			best, at = t, i
		}
	}
	return best, at
}

// onset is the start of the first pane of the run over the line that ends with
// the newest pane, and begins no earlier than the pane in which the routing changed, if
// that is over: what the table of now makes of panes before it was borne by nobody.
func (v *view) onset(id routing.ShardID, lim limit) time.Time {
	i := len(v.panes) - 1
	for ; i > max(0, len(v.panes)-1-v.borne()); i-- {
		w := v.between(i-1, i)
		if !v.pointOver(w, id, lim) {
			break
		}
	}
	return v.s.Panes[i].Start
}

// hotspotID is the same for every instance and after every restart.
func hotspotID(fleet, shard string, onset time.Time) string {
	b := binary.AppendUvarint(nil, uint64(len(fleet)))
	b = append(b, fleet...)
	b = binary.AppendUvarint(b, uint64(len(shard)))
	b = append(b, shard...)
	b = binary.BigEndian.AppendUint64(b, uint64(onset.UnixMilli()))
	return fmt.Sprintf("%016x", xxhash.Sum64(b))
}

// fire opens a hotspot and freezes its line and target.
func (w *watcher) fire(id routing.ShardID, track *Track, test closeTest, at int) {
	w.order()
	v := w.views[at]
	j := v.attribution(id, track.Onset, 0)
	if w.early(track, test, &j) {
		return
	}
	doc := w.s.Table.Document()
	track.Hotspot = &Hotspot{
		ID: hotspotID(w.s.Fleet, doc.Shards[id].Name, track.Onset), Onset: track.Onset, Fired: w.s.end(),
		Dimension: v.dim, Line: test.limit.line, Target: j.e.target,
	}
	if test.limit.relative {
		track.Hotspot.Line = j.e.target // both are the same multiple of one mean
	}
	if test.critical {
		track.Hotspot.Severity = SeverityCritical
	}
	track.Hotspot.Told = answer(&j.b, &j.c)
	w.tell(track.Hotspot, &j)
	w.plan(track.Hotspot, &j, true)
}

// surgeSaves is what a surge shortens `for` by: all of the default, and no more
// where somebody asked for longer.
const surgeSaves = 30 * time.Second

// farOver its line a shard is proved by two closes.
const farOver = 3

// waited says whether a shard was over its line for long enough to fire: by its
// numbers for all of it, by its bounds too. A load that only a full fast window
// proves is a minute old at the first proof, so bounds may come a pane later where
// the evidence is plenty; where it is far over its line the newest two closes
// are enough: a burst that is less is often over by then.
func (w *watcher) waited(track *Track, test closeTest) bool {
	wait := w.cfg.For
	if test.surge {
		wait -= surgeSaves
	}
	proved := wait
	switch {
	case test.rate >= farOver*test.limit.line:
		proved = min(wait, w.s.Pane)
	case test.samples >= plentySamples:
		proved = max(0, wait-w.s.Pane)
	}
	end := w.s.end()
	return end.Sub(track.Since) >= wait && end.Sub(track.Proved) >= proved
}

// early: a mere warning on thin evidence that can name neither cause nor fix yet
// waits for another `for`. Many of them are bursts that are over by then; the others have an
// answer by then, or are told without one.
func (w *watcher) early(track *Track, test closeTest, j *judged) bool {
	silent := j.e.thin() && !j.b.agree() && j.c.layout == nil
	return silent && !test.critical && !w.s.Whole && w.s.end().Sub(track.Since) < 2*w.cfg.For
}

// follow judges an open hotspot: it resolves, changes its answer, or stays.
func (w *watcher) follow(id routing.ShardID, track *Track, test closeTest, at int) {
	hot, end := track.Hotspot, w.s.end()
	load := w.load(id, at)
	if test.hot || load >= coolFactor*hot.Line {
		hot.CoolSince = time.Time{}
	} else if hot.CoolSince.IsZero() {
		hot.CoolSince = end
	} else if end.Sub(hot.CoolSince) >= w.cfg.Resolve && !w.unproved(hot.ID) {
		w.resolve(id, hot, at)
		track.Hotspot, track.Since, track.Proved = nil, time.Time{}, time.Time{}
		return
	}
	w.d.Open = append(w.d.Open, w.open(id, hot, at))
	if !test.hot {
		return
	}
	w.order()
	// What was frozen guards against a mean that falls once something was
	// isolated or cached; a mean that grows raises what a shard may bear.
	target := max(hot.Target, test.limit.target)
	escalated := test.critical && hot.Severity < SeverityCritical
	grown := hot.grown(load, end, w.cfg.Revise)
	if !escalated && !grown && w.stands(id, hot, at, target) {
		return
	}
	j := w.views[at].attribution(id, hot.Onset, target)
	a := answer(&j.b, &j.c)
	told := hot.revise(a, &j.b.point, end, w.cfg.Revise)
	if escalated {
		hot.Severity, told = SeverityCritical, true
		if a.Cause != CauseUnknown { // it is told once: with the fix that suffices now
			hot.Told, hot.Change, hot.Changed = a, Answer{}, time.Time{}
		}
	}
	// A load that grew tells the same answer with its numbers of now; another answer has to last first.
	if told = told || grown && hot.says(a, &j.b.point); told {
		w.tell(hot, &j)
	}
	w.plan(hot, &j, told)
}

// unproved says that a fix was made of which nothing independent of the table could say whether the traffic followed: that the shard is
// cool is then the table's word alone.
func (w *watcher) unproved(hotspot string) bool {
	return slices.ContainsFunc(w.s.World.Operations, func(o Operation) bool { return o.Unproved && o.Hotspot == hotspot })
}

// Growth times the load that was told, for as long as an answer has to last, a hotspot is told again: its numbers, and how large its fix
// must be, are others. An accepted hotspot is told again for as much.
const Growth = 1.25

// grown says whether a load has been so much above the one that was told for long enough.
func (h *Hotspot) grown(load float64, end time.Time, after time.Duration) bool {
	if h.ToldLoad == 0 || load < Growth*h.ToldLoad {
		h.GrownFrom = time.Time{}
		return false
	}
	if h.GrownFrom.IsZero() {
		h.GrownFrom = end
	}
	return end.Sub(h.GrownFrom) >= after
}

// stands is the short way through an ordinary tick: the newest window says what
// was told, and the plan that was shown still holds.
func (w *watcher) stands(id routing.ShardID, hot *Hotspot, at int, target float64) bool {
	if hot.Plan == nil || len(hot.Plan.Added) > 0 || w.overCap(hot.Plan) { // see less
		return false
	}
	v := w.views[at]
	e := v.gather(id, v.attributionSizes(hot.Onset)[0], target)
	b := e.branch()
	if !b.agree() || b.point.cause != hot.Told.Cause || !b.point.names(hot.Told.Key, hot.Told.Tenant) {
		return false
	}
	p := *hot.Plan
	if !w.renew(&p, e) {
		return false
	}
	hot.Change, hot.Changed = Answer{}, time.Time{}
	w.show(hot, &p, &judged{e: e, b: b})
	return true
}

// revise takes over a new answer where it has lasted, and reports whether it
// did. An unknown cause never replaces one; none and unknown are upgraded at once.
func (h *Hotspot) revise(a Answer, f *finding, end time.Time, after time.Duration) bool {
	told := h.Told
	if h.says(a, f) {
		h.Change, h.Changed = Answer{}, time.Time{}
		return false
	}
	if a.Cause == CauseUnknown && told.Cause != CauseUnknown {
		return false
	}
	upgrade := told.Cause == CauseUnknown || told.Fix == FixNone && a.Cause == told.Cause
	if a.Cause == CauseUnknown {
		upgrade = told.Fix == FixNone && a.Fix != FixNone
	}
	if !upgrade {
		if h.Changed.IsZero() || a != h.Change {
			h.Change, h.Changed = a, end
			return false
		}
		if end.Sub(h.Changed) < after {
			return false
		}
	}
	h.Told, h.Change, h.Changed = a, Answer{}, time.Time{}
	return true
}

// says whether an answer is the one that was told.
func (h *Hotspot) says(a Answer, f *finding) bool {
	return a.Cause == h.Told.Cause && a.Fix == h.Told.Fix && (a == h.Told || f.names(h.Told.Key, h.Told.Tenant))
}

// names says whether the object is among the contributors: any true one may
// stand first.
func (f *finding) names(key, tenant string) bool {
	for i := range f.contributors {
		if k, t := f.contributors[i].name(); k == key && t == tenant {
			return true
		}
	}
	return len(f.contributors) == 0 && key == "" && tenant == ""
}

// answer is what must not flap of a finding and its fix.
func answer(b *branches, c *choice) Answer {
	a := Answer{Fix: c.fix}
	if b.agree() {
		a.Cause = b.point.cause
		a.Key, a.Tenant = b.point.object()
	}
	return a
}
