package operation_test

import (
	"fmt"
	"slices"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// happens is one thing that happens.
func (w *walk) happens() {
	things := []func(){
		w.passes, w.passes, w.passes, w.passes, w.offer, w.offer, w.offer, w.people, w.people, w.people, w.cut, w.cut, w.numbersChange, w.numbersChange, w.numbersChange,
		w.takeover, w.cools,
		func() { w.folder = w.pick(4) > 0 },
		func() { w.full = !w.full },
		w.routeSet,
	}
	things[w.pick(len(things))]()
}

func (w *walk) passes() {
	steps := []time.Duration{time.Second, 5 * time.Second, 5 * time.Second, 20 * time.Second, time.Minute, 6 * time.Minute, 16 * time.Minute, 25 * time.Minute, 2 * time.Hour, 25 * time.Hour}
	step := steps[w.pick(len(steps))]
	for past := time.Duration(0); past < min(step, 2*time.Minute); past += 5 * time.Second { // who lives is seen to live
		w.now = w.now.Add(min(step, 5*time.Second))
		w.poll()
	}
	w.now = w.now.Add(max(0, step-2*time.Minute))
}

// cut cuts a client off from one thing or the other, or lets it come back. One client of three is always well.
func (w *walk) cut() {
	c := w.clients[1+w.pick(2)]
	switch w.pick(5) {
	case 0:
		c.deaf = true
	case 1:
		c.mute, c.slow = true, false
	case 2:
		c.deaf = !c.deaf
	case 3:
		if !c.slow { // it takes what there is, and later documents late; it confirms what it goes by
			c.slow, c.deaf, c.mute, c.holds = true, false, false, w.state.Document.Version
		}
	default:
		c.deaf, c.mute, c.slow = false, false, false
	}
}

func (w *walk) numbersChange() {
	switch w.pick(6) {
	case 0:
		w.old = !w.old
	case 1:
		w.numbers.Decision.Blind = !w.numbers.Decision.Blind
	case 2:
		at := fmt.Sprint("tight ", w.pick(4))
		w.loads[at] = !w.loads[at]
	case 3:
		w.loads["heavy"] = !w.loads["heavy"]
	default:
		clear(w.loads)
		w.old, w.numbers.Decision.Blind = false, false
	}
	w.lay()
}

// cools ends a hotspot.
func (w *walk) cools() {
	if len(w.hot) > 0 {
		i := w.pick(len(w.hot))
		w.hot = slices.Delete(w.hot, i, i+1)
	}
}

// people say what they may.
func (w *walk) people() {
	number := w.state.Operated - min(w.state.Operated, uint64([]int{0, 0, 1, 2}[w.pick(4)]))
	plan, hotspot := "", ""
	if n := len(w.numbers.Decision.Plans); n > 0 {
		p := w.numbers.Decision.Plans[w.pick(n)]
		plan, hotspot = p.ID, p.Hotspot
	}
	r := []control.Request{
		{Do: control.DoStop},
		{Do: control.DoResume},
		{Do: control.DoResume},
		{Do: control.DoApprove, Plan: plan, Hotspot: hotspot},
		{Do: control.DoApprove, Plan: plan, Hotspot: hotspot},
		{Do: control.DoApprove, Plan: plan, Hotspot: hotspot},
		{Do: control.DoReject, Plan: plan, Hotspot: hotspot},
		{Do: control.DoHold, Hotspot: hotspot},
		{Do: control.DoHold, Operation: number},
		{Do: control.DoApprove, Operation: number},
		{Do: control.DoRollback, Operation: number},
		{Do: control.DoRollback, Operation: number},
	}[w.pick(12)]
	if (r.Do == control.DoStop || r.Do == control.DoResume) || r.Plan != "" || r.Hotspot != "" || r.Operation > 0 {
		w.speak(&r)
	}
}

// routeSet is a person who changes an entry.
func (w *walk) routeSet() {
	edit := control.Edit{Entry: routing.VShardEntry(routing.VShard(4 * w.pick(3))), Value: fmt.Sprintf("shard-%d", w.pick(4))}
	switch w.pick(4) {
	case 0:
		edit = control.Edit{Entry: routing.QuotaEntry("mega"), Value: fmt.Sprint(1 + w.pick(9))}
	case 1:
		edit = control.Edit{Entry: routing.TenantEntry("mega")}
	}
	w.speak(&control.Request{Do: control.DoSet, IfVersion: w.state.Document.Version, Edits: []control.Edit{edit}})
}

// offer lets a plan be ready, whatever policy would say to it.
func (w *walk) offer() {
	w.plans++
	p := policy.Plan{ID: fmt.Sprint("plan-", w.plans), Hotspot: fmt.Sprint("h", w.plans), Ready: true, Expires: w.now.Add(30 * time.Minute)}
	p.Fix, p.Steps = w.idea()
	if p.Steps == nil {
		return
	}
	if p.Undo = w.pick(6) == 0; p.Undo {
		p.Hotspot = ""
	} else {
		w.hot = append(w.hot, p.Hotspot)
	}
	t := w.terms()
	if lines, err := operation.Steps(w.state, &p, t); err == nil {
		for _, l := range lines {
			for _, c := range l.Changes {
				p.Footprint = append(p.Footprint, c.Entry)
			}
		}
	}
	p.Digest = w.state.Document.Digest(p.Footprint)
	w.numbers.Decision = &policy.Decision{Plans: []policy.Plan{p}, Blind: w.numbers.Decision.Blind}
	if w.pick(2) == 0 {
		w.speak(&control.Request{Do: control.DoApprove, Plan: p.ID, Hotspot: p.Hotspot})
	}
}

// idea is a fix with its steps; nil = there is none now.
func (w *walk) idea() (policy.Fix, []policy.Step) {
	key := "feed"
	if w.pick(8) == 0 {
		key = "secret" // no key space declares it
	}
	salt, salted := w.state.Document.SaltOf(routing.SaltEntry("", key))
	switch w.pick(8) {
	case 0, 1:
		return policy.FixSplit, []policy.Step{{Kind: policy.StepMove, Moves: w.moves(2 + w.pick(5))}}
	case 2:
		return policy.FixSalt, []policy.Step{{Kind: policy.StepSalt, Key: key, Salt: raised(key, &salt)}}
	case 3, 4:
		steps := []policy.Step{{Kind: policy.StepQuota, Tenant: "mega", Rate: float64(10 + w.pick(99))}, {Kind: policy.StepSalt, Key: key, Salt: raised(key, &salt)}}
		if salted && len(salt.Suffixes) > 1 {
			steps[1] = policy.Step{Kind: policy.StepUnsalt, Key: key}
		}
		return policy.FixSalt, steps[w.pick(2):]
	case 5:
		return policy.FixQuota, []policy.Step{{Kind: policy.StepQuota, Tenant: "mega", Rate: float64(10 + w.pick(99))}}
	case 6:
		return policy.FixIsolate, []policy.Step{{Kind: policy.StepPlaceTenant, Tenant: "mega", Shards: []string{"spare-0"}}}
	}
	return policy.FixScaleOut, []policy.Step{{Kind: policy.StepAddShards, Shards: []string{"spare-0"}}, {Kind: policy.StepMove, Moves: []routing.Move{{VShard: 12, To: 4}, {VShard: 16, To: 4}}}}
}

// moves sends virtual shards of the first shard, that lie elsewhere in part, to others.
func (w *walk) moves(n int) []routing.Move {
	var out []routing.Move
	for i := range n {
		out = append(out, routing.Move{VShard: routing.VShard(4 * i), To: routing.ShardID(1 + (i+w.pick(3))%3)})
	}
	return out
}

// raised is a salt of three pieces more, by suffixes that were never used.
func raised(key string, old *routing.Salt) *routing.Salt {
	n := routing.Salt{Key: key, Suffixes: slices.Clone(old.Suffixes), Tombstones: slices.Clone(old.Tombstones)}
	if len(n.Suffixes) == 0 {
		n.Suffixes = []uint32{0}
	}
	top := max(slices.Max(n.Suffixes), slices.Max(append([]uint32{0}, n.Tombstones...)))
	n.Suffixes = append(n.Suffixes, top+3, top+1, top+2)
	n.Read, n.Write = len(n.Suffixes), len(n.Suffixes)
	return &n
}
