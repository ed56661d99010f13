package console

import (
	"fmt"
	"slices"

	"firebreak/dashboards/draw"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// fixView is one fix beside the others.
type fixView struct {
	Name, State, Verdict string // state: now, taken, could, fails
	Bars                 *draw.BarsFigure
	Shard, Upper         string
	Hottest              string
	Costs                []string
	Why                  phrase
}

// fixes are the fleet as it is and under each fix, side by side on one scale: the one that is taken first, then those that would
// do, then those that fail. note says how to read them.
func (f *fleet) fixes(h *hotspot) (out []fixView, note string) {
	v := h.verdict
	if len(v.Projections) == 0 {
		return nil, ""
	}
	b := newBarer(h)
	now := line.Projection{Shard: v.Load, Hottest: line.Number(b.hottest)}
	out = []fixView{{
		Name: "without a fix", State: "now", Verdict: "at the verdict", Shard: words.Rate(float64(v.Load)), Hottest: words.Rate(b.hottest), Bars: b.figure("now", "Shard loads now", &now),
	}}
	order := make([]int, len(v.Projections))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return place(v, a) - place(v, b) })
	for n, i := range order {
		out = append(out, f.fix(fmt.Sprintf("fix%d", n), h, b, i))
	}
	return out, b.note(out[0].Bars.Joined)
}

// place orders projections: taken, would do, fails with loads, fails without.
func place(v *line.Verdict, i int) int {
	p := &v.Projections[i]
	switch {
	case p.Fix == v.Fix && v.Fix != "none":
		return 0
	case p.Feasible:
		return 1
	case p.Hottest > 0:
		return 2
	}
	return 3
}

// fix is one projection.
func (f *fleet) fix(id string, h *hotspot, b *barer, i int) fixView {
	v, t := h.verdict, f.told(h)
	p := &v.Projections[i]
	out := fixView{Name: words.Fix(p.Fix), Why: words.Say(words.Capital(string(p.Why))).Apart()}
	out.State, out.Verdict = "fails", t.Pill(p)
	switch place(v, i) {
	case 0:
		out.State = "taken"
		if t.Barred() != nil {
			out.State = "blocked"
		}
	case 1:
		out.State = "could"
	}
	if p.Hottest <= 0 {
		return out
	}
	out.Shard = words.Rate(float64(p.Shard))
	out.Bars = b.figure(id, "Shard loads after: "+out.Name, p)
	out.Hottest = t.Hottest(p)
	if p.Upper > p.Shard {
		out.Upper = words.Rate(float64(p.Upper))
	}
	out.Costs = costs(p)
	if place(v, i) == 0 {
		out.Costs = append(out.Costs, t.Costs()...)
	}
	return out
}

// costs are what a fix takes.
func costs(p *line.Projection) []string {
	var out []string
	if p.Salt > 1 {
		out = append(out, fmt.Sprintf("%d pieces", p.Salt))
	}
	if p.KeyReadMultiplier > 1 {
		out = append(out, fmt.Sprintf("a read of the key costs %s, all reads %s", words.Times(float64(p.KeyReadMultiplier)), words.Times(float64(p.ReadMultiplier))))
	}
	if p.MovedShare > 0 {
		out = append(out, words.Percent(float64(p.MovedShare))+" of the fleet’s load moves")
	}
	if p.Shards > 0 {
		out = append(out, words.Count(p.Shards, "shard")+" more")
	}
	return out
}

// barer draws the bars of one hotspot on one scale: every shard where their loads are known, else the hot one and the hottest.
type barer struct {
	h            *hotspot
	top, hottest float64
}

func newBarer(h *hotspot) *barer {
	v := h.verdict
	b := &barer{h: h, hottest: float64(v.Load)}
	b.top = max(float64(v.Line), float64(v.Target), float64(v.Load))
	for i := range v.Projections {
		b.top = max(b.top, float64(v.Projections[i].Hottest), float64(v.Projections[i].Shard))
	}
	if p := h.picture; p != nil {
		for _, load := range p.loads {
			b.hottest = max(b.hottest, load)
		}
		for _, loads := range p.projected {
			b.top = max(b.top, slices.Max(append([]float64{0}, loads...)))
		}
	}
	b.top = 1.04 * max(b.top, b.hottest)
	return b
}

func (b *barer) figure(id, title string, p *line.Projection) *draw.BarsFigure {
	v := b.h.verdict
	bars := draw.ShardBars{
		ID: id, Title: title, Hot: 0, Upper: float64(p.Upper), Line: float64(v.Line), Target: float64(v.Target), Top: b.top,
		Loads: []float64{float64(p.Shard), float64(p.Hottest)},
	}
	others := float64(p.Hottest)
	if known := b.loads(p.Fix); known != nil {
		bars.Loads, bars.Targets, bars.Hot, others = known, b.h.picture.targets[p.Fix], b.h.picture.shard, 0
		for i, load := range known {
			if i != bars.Hot {
				others = max(others, load)
			}
		}
		if p.Fix != "" {
			bars.Was = b.h.picture.loads
		}
	}
	bars.Desc = fmt.Sprintf("The hot shard %s, the hottest of the others %s; line %s, target %s.",
		words.Rate(float64(p.Shard)), words.Rate(others), words.Rate(float64(v.Line)), words.Rate(float64(v.Target)))
	figure := bars.Figure()
	return &figure
}

// loads are those of all shards under a fix, or as they are; nil = not known here.
func (b *barer) loads(fix string) []float64 {
	switch {
	case b.h.picture == nil:
		return nil
	case fix == "":
		return b.h.picture.loads
	}
	return b.h.picture.projected[fix]
}

// note says how to read the bars.
func (b *barer) note(joined int) string {
	v := b.h.verdict
	text := "The wide bar is the hot shard; its whisker is the upper bound that the target is held against. "
	switch {
	case b.h.picture == nil:
		text += "Beside it stands the hottest of those that serve; this instance did not see the others when it fired. "
	case joined > 1:
		text += fmt.Sprintf("The others stand beside it in their order, each bar the heaviest of %d; those that gain load are darker, added ones outlined, others above the target of their own capacity dark red. ", joined)
	default:
		text += "The others stand beside it in their order; those that gain load are darker, added ones outlined, others above the target of their own capacity dark red. "
	}
	if v.Line == v.Target {
		return text + fmt.Sprintf("Dashed: the line, which is the target too, %s.", words.Rate(float64(v.Line)))
	}
	return text + fmt.Sprintf("Dashed: the line, %s. Solid: the target, %s.", words.Rate(float64(v.Line)), words.Rate(float64(v.Target)))
}

// stepView is one step of a plan, and how the store says it where the fleet names its profile.
type stepView struct {
	Text     phrase
	InStore  phrase
	Commands []string
}

// steps are the plan, and what stands between it and being carried out; of a hotspot that is over the plan alone.
func (f *fleet) steps(h *hotspot) (steps []stepView, next []fact) {
	if h.plan != nil {
		for i := range h.plan.Steps {
			s := &h.plan.Steps[i]
			text := words.Capital(string(s.Text))
			if s.Operations > 1 && s.Kind != "move" {
				text += fmt.Sprintf(" (%d operations)", s.Operations)
			}
			view := stepView{Text: words.Say(text).Apart()}
			if s.InStore != nil {
				view.InStore, view.Commands = words.InStore(s.InStore), words.Commands(s.InStore)
			}
			steps = append(steps, view)
		}
		if lift := words.Lift(h.plan); lift != nil {
			steps = append(steps, stepView{Text: lift.Capital()})
		}
		if expires := timeOf(h.plan.Expires); h.open() && !expires.IsZero() {
			next = append(next, fact{Label: "Plan", Text: words.Say(string(h.plan.ID), ", good until ", words.Clock(expires))})
		}
	}
	if !h.open() {
		return steps, nil
	}
	for _, hold := range h.holds {
		next = append(next, fact{Label: "Held", Text: words.Say(spaced(hold.Reason), ": ", string(hold.Detail)).Apart()})
	}
	if text := f.told(h).Next(); text != nil {
		next = append(next, fact{Label: "Next", Text: text})
	}
	return steps, next
}
