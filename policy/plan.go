package policy

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"firebreak/routing"
)

// plan shows the plan of an open hotspot: the one that was shown before as
// long as it holds, else a new one for the fix that was told, else why there
// is none. told says that the verdict was told anew at this tick.
func (w *watcher) plan(hot *Hotspot, j *judged, told bool) {
	if hot.Plan != nil && !told {
		p := *hot.Plan
		if w.renew(&p, j.e) {
			w.show(hot, w.less(hot, j, &p), j)
			return
		}
	}
	hot.Plan = nil
	if a := answer(&j.b, &j.c); j.c.layout == nil || a.Fix != hot.Told.Fix || a.Cause != hot.Told.Cause {
		w.d.Holds = append(w.d.Holds, w.noPlan(hot, j))
		return
	}
	p, err := w.draft(hot, j)
	if err != nil {
		w.d.Holds = append(w.d.Holds, Hold{Hotspot: hot.ID, Reason: HoldNothingFeasible, Detail: err.Error()})
		return
	}
	w.show(hot, p, j)
}

// less gives a plan that asks for less than the one that was shown, if there is one by now; else that one. What was drafted on the first
// panes of a hotspot may ask for one shard more than it takes, and would wait for it while spares stand by; or a virtual shard in it has
// grown so heavy that a person must allow its move, while lighter ones would do. It only ever asks for less, so plans do not come and go.
func (w *watcher) less(hot *Hotspot, j *judged, shown *Plan) *Plan {
	person := w.overCap(shown)
	if len(shown.Added) == 0 && !person || j.c.layout == nil || j.c.fix != shown.Fix {
		return shown
	}
	p, err := w.draft(hot, j)
	if err != nil || len(p.Added) > len(shown.Added) || len(p.Added) == len(shown.Added) && (!person || w.overCap(p)) {
		return shown
	}
	return p
}

// overCap says that one operation of a plan, which would be carried out without a person, moves more than it may.
func (w *watcher) overCap(p *Plan) bool {
	return w.cfg.ModeOf(p.Fix) == ModeAuto && p.largest(w.s) > w.cfg.MovedAtMost
}

// draft makes a plan of the chosen layout.
func (w *watcher) draft(hot *Hotspot, j *judged) (*Plan, error) {
	projection, err := j.c.layout.project(j.c.fix)
	if err != nil {
		return nil, err
	}
	projection.Why = whyTaken(j.e, &j.b.point, &j.c, &projection) + j.c.layout.along(j.c.fix) + projection.left()
	p := &Plan{
		Hotspot: hot.ID, Fix: j.c.fix, Steps: w.steps(j.c.layout, &projection), Load: j.e.load.load / j.e.w.seconds,
		Projection: projection, Expires: w.now.Add(w.cfg.Expiry),
	}
	p.ID = planID(w.s.Fleet, p)
	for _, shard := range j.c.layout.doc.Shards[w.s.Table.Shards():] {
		p.Added = append(p.Added, shard.Name)
	}
	p.Footprint = footprint(w.s.Table.Document(), p.Steps)
	p.Digest = w.s.Table.Document().Digest(p.Footprint)
	return p, nil
}

// show adds the plan with what holds it back, and remembers it.
func (w *watcher) show(hot *Hotspot, p *Plan, j *judged) {
	v := w.base(j.e.id, hot, j.e.v, j.e.w)
	holds := holdPlan(w.s, w.cfg, w.st, p, &v, w.now)
	if p.Fix == FixScaleOut && w.warm(j.e) && len(p.Added) > 0 {
		holds = append(holds, Hold{Hotspot: hot.ID, Reason: HoldEvenlyHot, Detail: "no shard has room, and no spare is left: the fleet wants capacity before anything is moved"})
	}
	p.Ready = len(holds) == 0
	hot.Plan = p
	w.d.Plans = append(w.d.Plans, *p)
	w.d.Holds = append(w.d.Holds, holds...)
}

// warm says whether the mean itself is at the target.
func (w *watcher) warm(e *evidence) bool { return e.v.mean(e.w) >= 0.9*e.target }

// noPlan says why a hotspot has no fix.
func (w *watcher) noPlan(hot *Hotspot, j *judged) Hold {
	e, b, c, f := j.e, &j.b, &j.c, &j.b.point
	switch {
	case w.s.Inputs.Disagree > w.cfg.Disagree:
		return Hold{hot.ID, HoldMisrouted, fmt.Sprintf("%s of the load is logged on another shard than the table names, at most %s", percent(w.s.Inputs.Disagree), percent(w.cfg.Disagree))}
	case !b.agree():
		return Hold{hot.ID, HoldLittleEvidence, "open: " + openText(b.open)}
	case unknownOps(f):
		return Hold{hot.ID, HoldOpUnknown, "salt or cache: op unknown"}
	case f.cause == CauseVolume && e.floor():
		return Hold{hot.ID, HoldVShardFloor, "one virtual shard of small tenants is over the target by itself, and none of its tenants is"}
	}
	if c.layout != nil {
		return Hold{hot.ID, HoldLittleEvidence, fmt.Sprintf("%s would do now, and %s was told: a change must last", c.fix, hot.Told.Fix)}
	}
	for _, fix := range order(e, f) {
		if l, _ := attempt(e, f, fix, pointLevel); l != nil {
			return Hold{hot.ID, HoldLittleEvidence, fmt.Sprintf("%s would do by the numbers, which are too thin to prove it", fix)}
		}
	}
	detail := []string{"no fix brings the shard and every receiver under the target"}
	for _, fix := range order(e, f) {
		if why := c.why[fix]; why != "" {
			detail = append(detail, fix.String()+": "+why)
		}
	}
	return Hold{hot.ID, HoldNothingFeasible, strings.Join(detail, "; ")}
}

// floor says whether one virtual shard alone is over the target.
func (e *evidence) floor() bool {
	for _, g := range e.grains(e.w.panes) {
		if g.all.load > e.target*e.w.seconds {
			return true
		}
	}
	return false
}

// steps completes a layout's steps: how many operations the cap cuts them
// into, and words for people.
func (w *watcher) steps(l *layout, p *Projection) []Step {
	out := slices.Clone(l.steps)
	for i := range out {
		step := &out[i]
		step.Operations = 1
		if step.Kind == StepMove {
			step.Operations = max(1, int(math.Ceil(p.MovedShare/w.cfg.MovedAtMost-1e-9)))
		}
		if l.doc.Placement.Map == routing.Explicit && step.Kind == StepMove {
			step.Kind = StepNative
		}
		step.Text = step.text(l)
	}
	return out
}

func (s *Step) text(l *layout) string {
	key, tenant := s.Key, s.Tenant // %q escapes every byte reversibly
	switch s.Kind {
	case StepMove:
		return fmt.Sprintf("move %s to %s in %s", plural(len(s.Moves), "virtual shard"), plural(receivers(s.Moves), "shard"), plural(s.Operations, "operation"))
	case StepNative:
		return fmt.Sprintf("split by the store's own means: about %d of %d key buckets of the shard go elsewhere", len(s.Moves), routing.ExplicitBuckets)
	case StepSalt:
		where := "on distinct shards"
		if len(s.Shards) > 0 {
			where += " and on those added"
		}
		return fmt.Sprintf("salt key %q over %d pieces %s", key, len(s.Salt.Suffixes), where)
	case StepCache:
		return fmt.Sprintf("cache reads of key %q, or read it from replicas", key)
	case StepPlaceTenant:
		return fmt.Sprintf("place tenant %q on %s", tenant, l.calledAll(s.Shards, " of its own"))
	case StepPlaceKey:
		return fmt.Sprintf("place key %q on %s", key, l.calledAll(s.Shards, " of its own"))
	case StepQuota:
		return s.limitText(fmt.Sprintf("tenant %q", tenant), "")
	case StepLimitCaller:
		if s.Key != "" {
			return s.limitText(fmt.Sprintf("caller %q", s.Caller), fmt.Sprintf(" of key %q", key))
		}
		return s.limitText(fmt.Sprintf("caller %q", s.Caller), fmt.Sprintf(" of tenant %q", tenant))
	case StepAddShards:
		return "add " + l.calledAll(s.Shards, "")
	case StepNone, StepUnsalt, StepReturnTenant, StepLiftQuota, StepUncache, StepDrain: // written where they are proposed
	}
	return ""
}

// limitText says what a quota or a limit lets through; of is what a caller is limited on.
func (s *Step) limitText(who, of string) string {
	text := fmt.Sprintf("limit %s to %s/s%s", who, rate(s.Rate), of)
	if s.Refused > 0 {
		text += fmt.Sprintf(": %s/s would be refused now", rate(s.Refused))
	}
	return text
}

func receivers(moves []routing.Move) int {
	seen := map[routing.ShardID]bool{}
	for _, m := range moves {
		seen[m.To] = true
	}
	return len(seen)
}

// ShardName names a shard of the table, or one that the plan adds; empty for
// any other id.
func (p *Plan) ShardName(t *routing.Table, id routing.ShardID) string {
	switch i := int(id) - t.Shards(); {
	case id < 0 || i >= len(p.Added):
		return ""
	case i >= 0:
		return p.Added[i]
	}
	return t.Document().Shards[id].Name
}

// planID is a hash of fleet, hotspot, fix and steps: an approval is for these
// steps and no others. A plan that is renewed keeps its steps.
func planID(fleet string, p *Plan) string {
	b := binary.AppendUvarint(nil, uint64(len(fleet)))
	b = append(append(append(b, fleet...), p.Hotspot...), byte(p.Fix))
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for i := range p.Steps {
		step := &p.Steps[i]
		b = append(b, byte(step.Kind))
		text(step.Tenant)
		text(step.Key)
		text(step.Caller)
		for _, m := range step.Moves {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(m.VShard)), uint64(m.To))
		}
		if step.Salt != nil {
			for _, suffix := range step.Salt.Suffixes {
				b = binary.AppendUvarint(b, uint64(suffix))
			}
		}
		for _, name := range step.Shards {
			text(name)
		}
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(step.Rate))
	}
	return fmt.Sprintf("%016x", xxhash.Sum64(b))
}

// footprint lists the document entries that the steps read or write.
func footprint(doc *routing.Document, steps []Step) []routing.Entry {
	var out []routing.Entry
	for i := range steps {
		step := &steps[i]
		tenant := step.Tenant
		if !doc.Placement.IdentifiesTenant() {
			tenant = ""
		}
		for _, m := range step.Moves {
			out = append(out, routing.VShardEntry(m.VShard))
		}
		for _, name := range step.Shards {
			out = append(out, routing.ShardEntry(name))
		}
		switch step.Kind {
		case StepSalt:
			out = append(out, routing.SaltEntry(tenant, step.Key))
		case StepCache:
			out = append(out, routing.CacheEntry(tenant, step.Key))
		case StepPlaceTenant:
			out = append(out, routing.TenantEntry(step.Tenant))
		case StepQuota:
			out = append(out, routing.QuotaEntry(step.Tenant))
		case StepNone, StepMove, StepPlaceKey, StepLimitCaller, StepAddShards, StepNative, StepUnsalt, StepReturnTenant, StepLiftQuota, StepUncache, StepDrain:
		}
	}
	slices.SortFunc(out, routing.CompareEntries)
	return slices.CompactFunc(out, func(a, b routing.Entry) bool { return routing.CompareEntries(a, b) == 0 })
}
