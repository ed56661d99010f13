package operation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/actuator/operation"
	"firebreak/policy"
	"firebreak/routing"
	"firebreak/routing/control"
)

// TestWordsThatCount: a plan in mode approve wants the word of a listed person on this plan, not too old, that nothing spoke against since;
// whatever the judgement says that was made before.
func TestWordsThatCount(t *testing.T) {
	for name, c := range map[string]struct {
		mode  policy.Mode
		words func(r *rig, p *policy.Plan)
		want  string // a part of why it is not begun; empty = it is
	}{
		"nobody":           {policy.ModeApprove, func(*rig, *policy.Plan) {}, "nobody who may"},
		"a listed person":  {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.word("ann", control.DoApprove, p) }, ""},
		"somebody else":    {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.word("eve", control.DoApprove, p) }, "nobody who may"},
		"half an hour ago": {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.word("ann", control.DoApprove, p); r.later(30*time.Minute, p) }, ""},
		"longer ago":       {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.word("ann", control.DoApprove, p); r.later(31*time.Minute, p) }, "nobody who may"},
		"on another plan": {policy.ModeApprove, func(r *rig, p *policy.Plan) {
			other := *p
			other.ID = "another"
			r.word("ann", control.DoApprove, &other)
		}, "nobody who may"},
		"rejected since":      {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.word("ann", control.DoApprove, p); r.word("ann", control.DoReject, p) }, "held by ann: rejected a plan"},
		"held since":          {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.word("ann", control.DoApprove, p); r.holdHotspot("h") }, "held by ann"},
		"held, then approved": {policy.ModeApprove, func(r *rig, p *policy.Plan) { r.holdHotspot("h"); r.word("ann", control.DoApprove, p) }, ""},
		"auto":                {policy.ModeAuto, func(*rig, *policy.Plan) {}, ""},
		"auto, another rejected": {policy.ModeAuto, func(r *rig, p *policy.Plan) {
			other := *p
			other.ID = "plan-before"
			r.word("ann", control.DoReject, &other)
		}, "held by ann: rejected a plan"},
		"auto, rejected": {policy.ModeAuto, func(r *rig, p *policy.Plan) { r.word("ann", control.DoReject, p) }, "held by ann: rejected a plan"},
		"auto, expired":  {policy.ModeAuto, func(r *rig, _ *policy.Plan) { r.now = r.now.Add(31 * time.Minute) }, "expired"},
		"observe":        {policy.ModeObserve, func(r *rig, p *policy.Plan) { r.word("ann", control.DoApprove, p) }, "only observes"},
		"an entry was set": {policy.ModeAuto, func(r *rig, _ *policy.Plan) {
			r.state.Document.Moves = append(r.state.Document.Moves, routing.Move{VShard: 4, To: 1})
		}, "another document"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.numbers.Config.Mode = c.mode
			p := &r.plan(policy.FixSplit, split()).ID
			plan := &r.numbers.Decision.Plans[0]
			plan.Footprint = []routing.Entry{routing.VShardEntry(0), routing.VShardEntry(4), routing.VShardEntry(8)}
			plan.Digest = r.state.Document.Digest(plan.Footprint)
			c.words(r, plan)
			plan.Ready = true
			out := r.round()
			switch why := out.Holds[*p]; {
			case c.want == "" && (why != nil || len(r.state.Operations) != 1):
				t.Errorf("not begun: %v", why)
			case c.want != "" && (why == nil || !strings.Contains(why.Error(), c.want) || len(r.state.Operations) != 0):
				t.Errorf("held for %v, want %q", why, c.want)
			}
			if c.want == "" && len(r.state.Approvals) != 0 {
				t.Errorf("the word can be used again: %+v", r.state.Approvals)
			}
		})
	}
}

// TestApprovalIsUsedOnce: the judgement of before says ready for ever, and the plan is carried out once. It is for no hotspot, so that no hold
// keeps it from being begun again when it was taken back.
func TestApprovalIsUsedOnce(t *testing.T) {
	r := newRig(t)
	r.numbers.Config.Mode = policy.ModeApprove
	r.plan(policy.FixQuota, policy.Step{Kind: policy.StepQuota, Tenant: "mega", Rate: 9})
	p := &r.numbers.Decision.Plans[0]
	p.Undo, p.Hotspot = true, ""
	r.word("ann", control.DoApprove, p)
	var held error
	for range 50 {
		p.Ready = true
		r.pass()
		held = r.round().Holds[p.ID]
		if o := r.state.Operation(1); o != nil && o.Phase == operation.Planned {
			r.ask(control.DoRollback, 1)
		}
	}
	if r.state.Operated != 1 || held == nil || !strings.Contains(held.Error(), "nobody who may has approved it") {
		t.Errorf("%d operations by one approval, then %v", r.state.Operated, held)
	}
}

// TestUndeclaredKeys: whatever the mode, and whoever approves, a key that no key space declares is neither salted nor cached.
func TestUndeclaredKeys(t *testing.T) {
	for _, mode := range []policy.Mode{policy.ModeObserve, policy.ModeApprove, policy.ModeAuto} {
		for _, space := range []policy.KeySpace{{Prefix: "other", Merge: "counter", Staleness: time.Second}, {Prefix: "feed", Tenant: "acme", Merge: "counter", Staleness: time.Second}, {Prefix: "feed"}} {
			for fix, step := range map[policy.Fix]policy.Step{policy.FixSalt: saltOf8(), policy.FixCache: {Kind: policy.StepCache, Key: "feed"}} {
				r := newRig(t)
				r.numbers.Config.Mode, r.numbers.Config.KeySpaces = mode, []policy.KeySpace{space}
				r.word("ann", control.DoApprove, r.plan(fix, step))
				r.numbers.Decision.Plans[0].Ready = true
				if out := r.round(); out.Write != nil || len(out.Holds) != 1 {
					t.Errorf("%s in mode %s with %+v: begun", fix, mode, space)
				}
			}
		}
	}
}

// TestPlansThatCannotBeBegun says why.
func TestPlansThatCannotBeBegun(t *testing.T) {
	for want, change := range map[string]func(r *rig, p *policy.Plan){
		"there is no shard 9": func(_ *rig, p *policy.Plan) {
			p.Steps = []policy.Step{{Kind: policy.StepMove, Moves: []routing.Move{{VShard: 0, To: 9}}}}
		},
		"wants 1 shards": func(_ *rig, p *policy.Plan) { p.Added = []string{"new"} },
		"no step":        func(_ *rig, p *policy.Plan) { p.Steps = []policy.Step{{Kind: policy.StepNative}} },
		"only a spare one": func(_ *rig, p *policy.Plan) {
			p.Steps = []policy.Step{{Kind: policy.StepPlaceTenant, Tenant: "a", Shards: []string{"shard-1"}}}
		},
		"there is no such salt": func(_ *rig, p *policy.Plan) { p.Steps = []policy.Step{{Kind: policy.StepUnsalt, Key: "feed"}} },
		"acting is stopped":     func(r *rig, _ *policy.Plan) { r.state.Document.Stop = true },
		"above its target":      func(r *rig, _ *policy.Plan) { r.load(4, 1, 5, 9, 13, 17, 21, 25, 29, 33, 37) },
		"at most 4":             func(r *rig, _ *policy.Plan) { r.spent(4, operation.Grace) },
		"at most 2":             func(r *rig, _ *policy.Plan) { r.spent(2, operation.Flip) },
		"works on it":           func(r *rig, _ *policy.Plan) { r.spent(1, operation.Planned, routing.VShardEntry(4)) },
	} {
		t.Run(want, func(t *testing.T) {
			r := newRig(t)
			r.plan(policy.FixSplit, split())
			p := &r.numbers.Decision.Plans[0]
			change(r, p)
			before := r.state.Operated
			next, err := operation.Begin(r.state, p, r.terms(), r.now)
			if err == nil && next.Operated > before { // what is not known from the state alone
				err = r.round().Holds[p.ID]
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// spent lets n operations be there already, in a phase.
func (r *rig) spent(n int, phase string, entries ...routing.Entry) {
	for range n {
		r.state.Operated++
		o := control.Operation{Number: r.state.Operated, Machine: operation.MachineMove, Phase: phase, Plan: fmt.Sprint("of before ", r.state.Operated), Began: r.now, Since: r.now, Version: 1, Held: "ann: wait"}
		if phase == operation.Grace {
			o.Outcome, o.Settled = operation.Effective, r.now
		}
		for _, e := range append(entries, routing.QuotaEntry(fmt.Sprint("of before ", o.Number))) {
			o.Do, o.Was = append(o.Do, control.Edit{Entry: e}), append(o.Was, control.Edit{Entry: e})
		}
		r.state.Operations = append(r.state.Operations, o)
	}
}

// word is a person's word on a plan.
func (r *rig) word(by string, do control.Do, p *policy.Plan) {
	r.say(&control.Request{By: by, Do: do, Plan: p.ID, Hotspot: p.Hotspot})
}

func (r *rig) holdHotspot(h string) {
	r.say(&control.Request{By: "ann", Do: control.DoHold, Hotspot: h})
}

// later is a later time, at which the plan still stands.
func (r *rig) later(d time.Duration, p *policy.Plan) {
	r.now = r.now.Add(d)
	p.Expires = r.now.Add(time.Minute)
}

// TestCacheBeforeSalt: a plan of both begins with the cache.
func TestCacheBeforeSalt(t *testing.T) {
	r := newRig(t)
	r.plan(policy.FixSalt, saltOf8(), policy.Step{Kind: policy.StepCache, Key: "feed"})
	r.until(2, operation.Grace)
	if first, then := r.state.Operation(1), r.state.Operation(2); first.Machine != operation.MachineSet || then.Machine != operation.MachineSalt {
		t.Errorf("%s, then %s", first.Machine, then.Machine)
	}
}
