package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"firebreak/dashboards/draw"
	"firebreak/internal/words"
	"firebreak/policy"
)

// fixes are the fleet as it is and under each fix, side by side on one scale: the one that is taken first, then those
// that would do, then those that fail.
func (t *teller) fixes(id string, h *hotspot) ([]fixView, string) {
	v := &h.told
	if len(v.Projected) == 0 {
		return nil, ""
	}
	if len(h.picture.Loads) == 0 {
		return t.fixesTold(id, h), "What each fix was said to do when the verdict was told."
	}
	top := max(v.Line, v.Target)
	for _, load := range h.picture.Loads {
		top = max(top, load)
	}
	for i := range v.Projected {
		for _, load := range v.Projected[i].Loads {
			top = max(top, load)
		}
	}
	top *= 1.04
	now := policy.Projection{Shard: v.Load, Loads: h.picture.Loads, Hottest: slices.Max(h.picture.Loads)}
	out := []fixView{{
		Name: "without a fix", State: "now", Verdict: "at the verdict", Shard: t.rate(v.Load), Hottest: t.rate(now.Hottest),
		Bars: t.bars(id+"-now", "Shard loads now", h, &now, top),
	}}
	order := make([]int, len(v.Projected))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return place(v, a) - place(v, b) })
	for n, i := range order {
		out = append(out, t.fix(fmt.Sprintf("%s-fix%d", id, n), h, i, top))
	}
	return out, t.fixNote(h, out[0].Bars.Joined)
}

// fixesTold are the fixes where the loads of the shards are not known: without bars.
func (t *teller) fixesTold(id string, h *hotspot) []fixView {
	v := &h.told
	var out []fixView
	for i := range v.Projected {
		f := t.fix(fmt.Sprintf("%s-fix%d", id, i), h, i, 0)
		p := &v.Projected[i]
		if p.Shard > 0 {
			f.Shard = t.rate(p.Shard)
		}
		if p.Shard > 0 && p.Upper > p.Shard {
			f.Upper = t.rate(p.Upper)
		}
		if p.Shard > 0 {
			f.Costs = costs(p)
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b fixView) int { return rankOf(a.State) - rankOf(b.State) })
	return out
}

// rankOf orders fixes that are shown without their loads.
func rankOf(state string) int {
	return slices.Index([]string{"taken", "blocked", "could", "fails"}, state)
}

// place orders projections: taken, would do, fails.
func place(v *policy.Verdict, i int) int {
	p := &v.Projected[i]
	switch {
	case p.Fix == v.Fix && v.Fix != policy.FixNone:
		return 0
	case p.Feasible:
		return 1
	case p.Loads != nil:
		return 2
	}
	return 3
}

// fix is one projection.
func (t *teller) fix(id string, h *hotspot, i int, top float64) fixView {
	v := &h.told
	p := &v.Projected[i]
	out := fixView{Name: fixName(p.Fix), Shard: t.rate(p.Shard), Why: say(capital(p.Why))}
	told := t.words(h)
	out.State, out.Verdict = "fails", told.Pill(&told.Projections[i])
	switch place(v, i) {
	case 0:
		out.State = "taken"
		if told.Barred() != nil {
			out.State = "blocked"
		}
	case 1:
		out.State = "could"
	}
	if p.Loads == nil {
		out.Shard = ""
		return out
	}
	out.Bars = t.bars(id, "Shard loads after: "+fixName(p.Fix), h, p, top)
	out.Hottest = told.Hottest(&told.Projections[i])
	if p.Upper > p.Shard {
		out.Upper = t.rate(p.Upper)
	}
	out.Costs = costs(p)
	if place(v, i) == 0 {
		out.Costs = append(out.Costs, told.Costs()...)
	}
	return out
}

// costs are what a fix takes.
func costs(p *policy.Projection) []string {
	var out []string
	if p.Salt > 1 {
		out = append(out, fmt.Sprintf("%d pieces", p.Salt))
	}
	if p.KeyReadMultiplier > 1 {
		out = append(out, fmt.Sprintf("a read of the key costs %s, all reads %s", draw.Times(p.KeyReadMultiplier), draw.Times(p.ReadMultiplier)))
	}
	if p.MovedShare > 0 {
		out = append(out, draw.Percent(p.MovedShare)+" of the fleet’s load moves")
	}
	if p.Shards > 0 {
		out = append(out, draw.Count(p.Shards, "shard")+" more")
	}
	switch p.Fix {
	case policy.FixCache:
		out = append(out, "answers may be stale")
	case policy.FixQuota, policy.FixLimitCaller:
		out = append(out, "requests are refused")
	case policy.FixNone, policy.FixSplit, policy.FixSalt, policy.FixIsolate, policy.FixScaleOut:
	}
	return out
}

// bars are the shard loads of one projection.
func (t *teller) bars(id, title string, h *hotspot, p *policy.Projection, top float64) *draw.BarsFigure {
	v := &h.told
	others := 0.0
	for i, load := range p.Loads {
		if i != int(v.ShardID) {
			others = max(others, load)
		}
	}
	b := draw.ShardBars{
		ID: id, Title: title, Loads: p.Loads, Hot: int(v.ShardID), Upper: p.Upper, Line: v.Line, Target: v.Target, Targets: p.Targets, Top: top,
		Desc: fmt.Sprintf("The hot shard %s, the hottest of the others %s; line %s, target %s.", t.rate(p.Shard), t.rate(others), t.rate(v.Line), t.rate(v.Target)),
	}
	if p.Fix != policy.FixNone {
		b.Was = h.picture.Loads
	}
	figure := b.Figure()
	return &figure
}

// fixNote says how to read the bars.
func (t *teller) fixNote(h *hotspot, joined int) string {
	v := &h.told
	lines := fmt.Sprintf("Dashed: the line, %s. Solid: the target, %s.", t.rate(v.Line), t.rate(v.Target))
	if v.Line == v.Target {
		lines = fmt.Sprintf("Dashed: the line, which is the target too, %s.", t.rate(v.Line))
	}
	others := "The others stand beside it in their order"
	if joined > 1 {
		others = fmt.Sprintf("The others stand beside it in their order, each bar the heaviest of %d", joined)
	}
	return "The wide bar is the hot shard; its whisker is the upper bound that the target is held against. " + others +
		"; those that gain load are darker, added ones outlined, others above the target of their own capacity dark red. A fix is held against the hot shard and those that receive; another hot shard stays so. All on one scale. " + lines
}

// steps are the plan with the way back of each step and what it leaves to a person, and what stands between it and being carried out; of a hotspot that is over the
// plan alone.
func (t *teller) steps(h *hotspot) ([]stepView, []fact) {
	var steps []stepView
	if h.plan != nil {
		for i := range h.plan.Steps {
			s := &h.plan.Steps[i]
			text := string(s.Text)
			if s.Operations > 1 && s.Kind != policy.StepMove.String() {
				text += fmt.Sprintf(" (%d operations)", s.Operations)
			}
			view := stepView{Text: draw.Prose(capital(text), draw.MaxPhrase), Back: back(s.Kind)}
			if s.InStore != nil {
				view.InStore, view.Commands = draw.Prose(words.InStore(s.InStore).Quoted(), draw.MaxPhrase), words.Commands(s.InStore)
			}
			steps = append(steps, view)
		}
		if lift := words.Lift(h.plan); lift != nil {
			steps = append(steps, stepView{Text: draw.Prose(lift.Capital().Quoted(), draw.MaxPhrase), Back: "set the quota again"})
		}
	}
	if !h.resolved.IsZero() {
		return steps, nil
	}
	var next []fact
	if h.plan != nil && !h.plan.Expires.IsZero() {
		next = append(next, fact{Label: "Plan", Text: say(string(h.plan.ID), ", good until ", draw.Clock(time.Time(h.plan.Expires)))})
	}
	for _, hold := range h.holds {
		next = append(next, fact{Label: "Held", Text: say(strings.ReplaceAll(hold.Reason, "_", " "), ": ", string(hold.Detail))})
	}
	if h.redrawn > 0 {
		next = append(next, fact{Label: "Since then", Text: say("The plan was drawn anew ", draw.Count(h.redrawn, "time"), " as the load changed; this is the one that was told with the verdict.")})
	}
	if text := t.words(h).Next(); text != nil {
		next = append(next, fact{Label: "Next", Text: text})
	}
	return steps, next
}

// back is the way back of a step, by its kind (policy.StepKind).
func back(kind string) string {
	return map[string]string{
		policy.StepMove.String():         "move the same virtual shards home",
		policy.StepNative.String():       "by the store’s own means",
		policy.StepSalt.String():         "fold the pieces into the bare key, which needs values that merge",
		policy.StepCache.String():        "switch the cache off",
		policy.StepPlaceTenant.String():  "send the tenant home",
		policy.StepPlaceKey.String():     "send the key home",
		policy.StepQuota.String():        "lift the quota",
		policy.StepLimitCaller.String():  "lift the limit",
		policy.StepAddShards.String():    "drain the shards and take them away",
		policy.StepUnsalt.String():       "salt the key again",
		policy.StepReturnTenant.String(): "place the tenant again",
		policy.StepLiftQuota.String():    "set the quota again",
		policy.StepUncache.String():      "cache the key again",
		policy.StepDrain.String():        "move the same virtual shards onto it again",
	}[kind]
}
