package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"firebreak/routing"
)

// project derives the load of every shard under the layout's own document from
// the measured loads, by the same function that derives the loads of now.
func (l *layout) project(fix Fix) (Projection, error) {
	l.finish()
	p, err := l.derived(fix)
	if err != nil {
		return Projection{}, err
	}
	p.Upper = l.home()
	p.Fix, p.Salt, p.Feasible, p.Own = fix, l.pieces, l.feasible(), l.own(p.Loads)
	p.KeyReadMultiplier, p.ReadMultiplier = l.keyReads, l.readMultiplier()
	p.Beyond = l.e.beyond(l.doc, &p)
	if all := l.e.w.all(); all > 0 {
		p.MovedShare = min(1, l.moved.load/all)
	}
	p.Shards = len(l.doc.Shards) - l.e.v.s.Table.Shards()
	for i := range l.steps {
		if s := &l.steps[i]; p.Rate == 0 && (s.Kind == StepLimitCaller || s.Kind == StepQuota && fix == FixQuota) {
			p.Rate = s.Rate
		}
	}
	return p, nil
}

// left is what lies beyond a fix, behind why it is taken.
func (p *Projection) left() string {
	if p.Beyond == "" {
		return ""
	}
	return "; " + p.Beyond
}

// measure reads hottest, utilisation and imbalance off the loads of a candidate.
func (e *evidence) measure(doc *routing.Document, loads []float64) Projection {
	p := Projection{Shard: loads[e.id], Loads: loads, Targets: make([]float64, len(loads)), ReadMultiplier: 1, KeyReadMultiplier: 1}
	var total float64
	serving := 0
	for i, shard := range doc.Shards {
		p.Targets[i] = e.targetOf(shard)
		if shard.Role != routing.Serving {
			continue
		}
		serving++
		total += loads[i]
		p.Hottest = max(p.Hottest, loads[i])
		if c := e.v.capacity(shard); c > 0 {
			p.Utilization = max(p.Utilization, loads[i]/c)
		}
	}
	if total > 0 {
		p.Imbalance = p.Hottest * float64(serving) / total
	}
	return p
}

// asItIs measures the table in force: what a fix leaves that cannot be applied.
func (e *evidence) asItIs() Projection {
	loads := make([]float64, len(e.w.shards))
	for i := range loads {
		loads[i] = e.w.shards[i].load / e.w.seconds
	}
	return e.measure(e.v.s.Table.Document(), loads)
}

// derived measures the candidate.
func (l *layout) derived(fix Fix) (Projection, error) {
	if l.doc.Placement.Map != routing.Explicit {
		return l.e.under(l.doc, l.steps, fix)
	}
	// The store places; what a plan would do is an estimate by sizing.
	loads := make([]float64, len(l.doc.Shards))
	for i := range l.e.v.s.Table.Shards() {
		loads[i] = l.e.w.shards[i].load / l.e.w.seconds
	}
	loads[l.e.id] = (l.kept.load + l.limited) / l.e.w.seconds
	for i := range l.receivers {
		loads[l.receivers[i].id] += l.receivers[i].gained.load / l.e.w.seconds
	}
	return l.e.measure(l.doc, loads), nil
}

// under derives the load/s of every shard over the evidence's window under
// another document, less what the steps of a fix keep from reaching it.
func (e *evidence) under(doc *routing.Document, steps []Step, fix Fix) (Projection, error) {
	v, w := e.v, e.w
	loads := make([]float64, len(doc.Shards))
	table, err := v.s.Table.With(doc)
	if err != nil {
		return Projection{}, fmt.Errorf("candidate table: %w", err)
	}
	s := *v.s
	s.Panes = s.Panes[len(s.Panes)-w.panes:]
	s.Keys, s.Pairs = cutPanes(s.Keys, keyPanes, w.panes, 0), cutPanes(s.Pairs, pairPanes, w.panes, 0)
	for _, row := range shardSums(&s, table) {
		for i := range row {
			loads[i] += row[i].in(v.dim).load / w.seconds
		}
	}
	for i := range steps {
		e.cut(loads, table, &steps[i], fix)
	}
	return e.measure(doc, loads), nil
}

// cut takes off the loads what a cache answers, a quota refuses or a caller
// that is limited no longer sends, wherever the candidate has it. The quota of
// an isolated tenant bounds its growth and is not counted on.
func (e *evidence) cut(loads []float64, table *routing.Table, step *Step, fix Fix) {
	it := e.find(step)
	if it == nil {
		return
	}
	off := func(shard routing.ShardID, load float64) {
		if shard >= 0 && int(shard) < len(loads) {
			loads[shard] = max(0, loads[shard]-load/e.w.seconds)
		}
	}
	switch {
	case step.Kind == StepCache:
		for _, shard := range e.holders(table, it) {
			off(shard, it.all.load*it.readPart())
		}
	case step.Kind == StepLimitCaller && it.caller == step.Caller:
		off(e.id, it.on.load*it.callers*max(0, 1-ratio(step.Rate*e.w.seconds, it.all.load*it.callers)))
	case step.Kind == StepQuota && fix == FixQuota:
		off(e.id, it.on.load*max(0, 1-ratio(step.Rate*e.w.seconds, it.all.load)))
	}
}

// holders are the shards that a read of the key reaches under a table.
func (e *evidence) holders(table *routing.Table, it *item) []routing.ShardID {
	// Its tenant places it even where the tenant is no part of its identity.
	tenant, key := []byte(it.tenant), []byte(it.key.Key)
	if _, salted := table.Salt(tenant, key); !salted {
		return []routing.ShardID{keyHome(table, it.key)}
	}
	var out []routing.ShardID
	for _, p := range table.Pieces(tenant, key, nil) {
		out = append(out, p.Shard)
	}
	return out
}

// cutPanes is the list with the newest n panes of each, less the newest off.
func cutPanes[T any](list []T, panes func(*T) *[]Sums, n, off int) []T {
	out := slices.Clone(list)
	for i := range out {
		p := panes(&out[i])
		*p = (*p)[max(0, len(*p)-n):max(0, len(*p)-off)]
	}
	return out
}

func keyPanes(c *Contributor) *[]Sums { return &c.Panes }
func pairPanes(p *Pair) *[]Sums       { return &p.Panes }

// readMultiplier is what reads of the whole fleet cost after a salt:
// 1 - f_r + f_r s, f_r being the key's share of all reads.
func (l *layout) readMultiplier() float64 {
	var all Sums
	for i := range l.e.v.s.Panes[len(l.e.v.s.Panes)-l.e.w.panes:] {
		for _, v := range l.e.v.s.Panes[len(l.e.v.s.Panes)-l.e.w.panes+i].VShards {
			all = all.plus(v.Sums)
		}
	}
	m := 1.0
	for i := range l.steps {
		step := &l.steps[i]
		if step.Kind != StepSalt || l.keyReads == 1 {
			continue
		}
		if it := l.e.find(step); it != nil && all.Reads > 0 {
			m += newestSums(it.key.Panes, l.e.w.panes).Reads / all.Reads * float64(len(step.Salt.Suffixes)-1)
		}
	}
	return m
}

// projections shows every fix side by side: the one that is taken and why the
// others fail or are not needed.
func projections(e *evidence, f *finding, c *choice) []Projection {
	var out []Projection
	for _, fix := range []Fix{FixSplit, FixSalt, FixCache, FixIsolate, FixQuota, FixLimitCaller, FixScaleOut} {
		if fix == c.fix {
			if p, err := c.layout.project(fix); err == nil {
				p.Why = whyTaken(e, f, c, &p) + c.layout.along(fix) + p.left()
				out = append(out, p)
				continue
			}
		}
		if p, ok := alternative(e, f, c, fix); ok {
			out = append(out, p)
		}
	}
	return out
}

// alternative projects a fix that is not taken, as far as it can go.
func alternative(e *evidence, f *finding, c *choice, fix Fix) (Projection, bool) {
	l, why := attempt(e, f, fix, e.fallback)
	if l == nil {
		l = effort(e, f, fix)
	}
	if l == nil {
		if fix == FixLimitCaller {
			return Projection{}, false
		}
		if unknownOps(f) && (fix == FixSalt || fix == FixCache) {
			why = opUnknown
		}
		p := e.asItIs()
		p.Fix, p.Why = fix, why
		return p, true
	}
	l.failed = ""
	p, err := l.project(fix)
	if err != nil {
		return Projection{Fix: fix, ReadMultiplier: 1, KeyReadMultiplier: 1, Why: cmp.Or(why, err.Error())}, true
	}
	if why != "" {
		p.Feasible = false
	}
	p.Why = whyNot(e, f, c, &p, why) + l.along(fix)
	if fix == FixIsolate && p.Feasible {
		p.Why += l.bears(&p)
	}
	if p.Feasible {
		p.Why += p.left()
	}
	return p, true
}

// effort is the furthest that a fix can go where it cannot meet the target.
func effort(e *evidence, f *finding, fix Fix) *layout {
	l := newLayout(e, e.fallback)
	key, tenant := f.heaviest(e)
	switch {
	case fix == FixSplit:
		return l.splitEffort()
	case fix == FixScaleOut:
		for range len(e.v.serving) {
			l.addShard(routing.Serving)
		}
		return l.splitEffort()
	case fix == FixSalt && key != nil:
		for s := min(maxPieces, 1+len(l.receivers)); s >= 2; s /= 2 {
			if c := l.clone(); c.salt(key, s, false) {
				return c
			}
		}
		return nil
	case fix == FixCache && key != nil:
		l.cache(key)
	case fix == FixIsolate && tenant != nil:
		l.isolateTenant(tenant)
	case fix == FixIsolate && key != nil:
		l.isolateKey(key)
	case fix == FixQuota && tenant != nil:
		l.kept = l.kept.minus(tenant.on)
		l.steps = append(l.steps, e.quotaStep(tenant, 0))
	default:
		return nil
	}
	if l.failed != "" {
		return nil
	}
	return l
}

// heaviest is the key and the tenant a fix would be tried on: those that the
// finding names, else the heaviest of the shard.
func (f *finding) heaviest(e *evidence) (key, tenant *item) {
	for i := range f.contributors {
		it := &f.contributors[i]
		if it.key != nil && key == nil {
			key = it
		}
		if it.key == nil && tenant == nil {
			tenant = it
		}
	}
	if key == nil && len(e.keys) > 0 {
		key = &e.keys[0]
	}
	if tenant == nil && len(e.tenants) > 0 {
		tenant = &e.tenants[0]
	}
	return key, tenant
}

// splitEffort moves as many light vshards as the receivers can take.
func (l *layout) splitEffort() *layout {
	s := newSplitter(l, 1)
	best := l
	for i := range s.big {
		if moved := best.clone(); moved.moveBig(&s.big[i]) && i > 0 {
			best = moved
		}
	}
	if len(s.dust) == 0 {
		return best
	}
	const steps = 20
	for i := steps; i >= 1; i-- {
		if c := s.moveDust(best, float64(i)/steps); c.overfull() == nil {
			return c
		}
	}
	return best
}

// closed is the closed form for what the finding names, to stand beside the
// projection.
func closed(e *evidence, it *item) Form {
	all := e.w.total.load
	if all <= 0 {
		return Form{}
	}
	return Form{
		Share: math.Min(1, it.all.load/all), Rate: all / e.w.seconds,
		Shards: len(e.v.serving), Reads: it.reads,
	}
}
