package realogs

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// disorder is how far a tick is behind the end of its newest pane.
const disorder = 5 * time.Second

// burstEcho is how long after its end a burst is still in the fast window, and the log in disorder.
const burstEcho = 65 * time.Second

// badPlan applies a plan that was shown to the exact loads. It is right if it does what it says on the slice or on what
// was known by then; the last word on the hottest shard must be right on the slice.
func (j *judge) badPlan(t *testing.T, p *plan) string {
	t.Helper()
	v := j.said.verdictOf(p)
	if v == nil || v.Fix != p.Projection.Fix {
		return "" // see strays
	}
	if slices.ContainsFunc(p.Steps, func(s step) bool { return s.Kind == j.r.never && s.Key == j.r.object }) {
		return "a plan with a " + j.r.never + " of " + j.r.object + ": " + describe(p.Steps)
	}
	then := *v
	then.Window.To = p.Time.Add(-disorder)
	s := v.shard(t)
	bases := j.bases(t, &then, s)
	if s == j.e.hottest() && j.last(p) && j.e.loads[s] > j.e.line() {
		bases = []*exact{j.e}
	}
	var o outcome
	for _, e := range bases {
		if o = e.applied(s, p.Steps, j.r.ops); o.meets() {
			return ""
		}
	}
	head := fmt.Sprintf("%s %s %s: ", p.Time.Format("15:04:05"), v.Shard, v.told())
	switch {
	case len(bases) == 0:
		return "" // its verdict has been judged
	case o.err != nil:
		return head + "the plan cannot be carried out: " + o.err.Error() + ": " + describe(p.Steps)
	}
	return head + fmt.Sprintf("wrong fix, it leaves %s at %.2f x target (hot shard %.2f): %s; right: %s", o.at, o.worst, o.hot,
		describe(p.Steps), bases[len(bases)-1].say(s))
}

// last says whether no plan of that hotspot follows p.
func (j *judge) last(p *plan) bool {
	for i := range j.said.plans {
		if q := &j.said.plans[i]; q.Hotspot == p.Hotspot && q.Time.After(p.Time) {
			return false
		}
	}
	return true
}

// strays are plans for another fix than the one that the verdict in force names.
func (s *said) strays() []string {
	var out []string
	for i := range s.plans {
		p := &s.plans[i]
		if v := s.verdictOf(p); v == nil || v.Fix != p.Projection.Fix {
			text := "no verdict"
			if v != nil {
				text = v.Shard + " with the fix " + v.Fix
			}
			out = append(out, fmt.Sprintf("%s a plan %s for %s", p.Time.Format("15:04:05"), p.Projection.Fix, text))
		}
	}
	return out
}
