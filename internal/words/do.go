package words

import (
	"fmt"
	"strings"

	"firebreak/internal/line"
	"firebreak/internal/numerals"
)

// Do is the fix, what it brings and when, with all its steps and whom it refuses; where it must not be made yet, why and what comes first;
// where there is none, why not.
func (t *Told) Do() Phrase {
	p := t.Chosen()
	if p == nil {
		return t.undecided()
	}
	out := t.Advised()
	if b := t.Barred(); b != nil {
		out = append(append(out, Say(" An approval does not lift this; first "+first(b)+". After that: ")...), t.Todo()...)
	}
	out = append(append(append(out, t.refuses()...), t.brings(p)...), t.merges()...)
	return append(append(append(out, Say(" ")...), t.Relief()...), t.doubt()...)
}

// Merges is what a salt rests on, and nothing that a log can tell.
func Merges() string {
	return "A salt works only where the key’s values merge (counter, append, set, max), and once all who write or read it find its pieces by the table."
}

// merges says it where a salt is advised, by itself or among the steps of the plan.
func (t *Told) merges() Phrase {
	salted := t.Fix == "salt"
	if t.Plan != nil && t.Plan.Projection.Fix == t.Fix {
		for i := range t.Plan.Steps {
			salted = salted || t.Plan.Steps[i].Kind == "salt"
		}
	}
	if !salted {
		return nil
	}
	return Say(" " + Merges())
}

// undecided says why there is no fix, and what would prove one.
func (t *Told) undecided() Phrase {
	out := Say("Nothing yet: no fix is proven.")
	if t.Cause == "unknown" {
		if who := t.Suspects(false); who != nil {
			out = append(append(append(out, Say(" Look at ")...), who...), Say(" of its load.")...)
		}
		denser := "a denser sample of the log"
		if t.OneIn > 1 {
			denser += " than 1 in " + Number(t.OneIn)
		}
		return append(out, Say(" A fix is told here as soon as the log proves who it is; "+denser+" proves it sooner.")...)
	}
	if len(t.Held) > 0 {
		out = append(out, Say(" ", Say(Capital(Ended(string(t.Held[0].Detail)))).Apart())...)
	}
	return out
}

// Refused is the load that the first steps of the plan refuse, and whose; 0 = nobody is refused, or it is not known.
func (t *Told) Refused() (load line.Number, whose Phrase) {
	if t.Plan == nil || t.Plan.Projection.Fix != t.Fix {
		return 0, nil
	}
	for i := range t.Plan.Steps {
		s := &t.Plan.Steps[i]
		switch {
		case s.Refused <= 0:
		case s.Kind == "quota":
			return s.Refused, Say(s.Tenant)
		case s.Kind == "limit_caller":
			return s.Refused, Say(s.Caller)
		}
	}
	return 0, nil
}

// Costs are what the fix takes beside what its projection tells: requests that are refused, and further steps.
func (t *Told) Costs() []string {
	var out []string
	if load, whose := t.Refused(); load > 0 {
		out = append(out, "refuses "+t.Rate(load)+" of "+whose.String()+t.until())
	}
	if more := t.Further(); len(more) > 0 {
		out = append(out, "together with "+Count(len(more), "more step")+" of the plan")
	}
	return out
}

// refuses says whose requests the fix refuses, and until when.
func (t *Told) refuses() Phrase {
	load, whose := t.Refused()
	if load <= 0 {
		return nil
	}
	return Say(" This refuses "+t.Rate(load)+" of ", whose, t.until(), ".")
}

// until is when refusing ends: an isolation refuses until its quota is lifted, which is left to a person.
func (t *Told) until() string {
	if t.Fix == "isolate" && Lift(t.Plan) != nil {
		return " until the quota is lifted by hand, once its own shard bears it"
	}
	return ""
}

// Lift is what a plan leaves to a person behind its last step: no step takes back the quota that comes before a tenant's own shard. nil =
// it leaves nothing.
func Lift(plan *line.Plan) Phrase {
	if plan == nil {
		return nil
	}
	for i := range plan.Steps {
		s := &plan.Steps[i]
		if s.Kind != "place_tenant" {
			continue
		}
		for j := range plan.Steps[:i] {
			if q := &plan.Steps[j]; q.Kind == "quota" && q.Tenant == s.Tenant {
				return Say("lift the quota of tenant ", s.Tenant, " by hand, once its shard bears it: it refuses until then")
			}
		}
	}
	return nil
}

// brings says what the steps of the fix together make of the shard.
func (t *Told) brings(p *line.Projection) Phrase {
	var out Phrase
	more := t.Further()
	text := " It takes"
	switch {
	case len(more) > 0:
		out = then(more)
		text = fmt.Sprintf(" All %d steps together take", 1+len(more))
	case t.Fix == "isolate" && t.Plan != nil && len(t.Plan.Steps) > 1:
		text = " Both steps together take"
	}
	text += fmt.Sprintf(" the shard from %s to %s", t.Rate(t.Verdict.Load), t.Rate(p.Shard))
	if p.Upper > p.Shard {
		text += fmt.Sprintf(" (at most %s)", t.Rate(p.Upper))
	}
	text += fmt.Sprintf(", under the target of %s.", t.Rate(t.Target))
	if p.MovedShare > 0 {
		text += fmt.Sprintf(" %s of the fleet’s load moves.", Percent(float64(p.MovedShare)))
	}
	if p.Beyond != "" {
		text += " " + Ended(Capital(string(p.Beyond)))
	}
	return append(out, Say(text)...)
}

// Sentence says in plain words what happens, or happened, and what helps. bounded gives shares their bounds.
func (t *Told) Sentence(past, bounded bool) Phrase {
	bears := " bears "
	if past {
		bears = " bore "
	}
	out := Say("Shard ", t.Shard, bears, numerals.Load(float64(t.Verdict.Load)), " ", t.Unit(), ", ", Times(float64(t.Imbalance)), " the mean shard: ", t.Because(past, bounded), ". ")
	p := t.Chosen()
	switch {
	case p == nil:
		return append(out, Say("No fix is proven yet.")...)
	case t.Barred() != nil:
		return append(out, t.Advised()...)
	}
	leaves := " That leaves "
	if more := t.Further(); len(more) > 0 {
		leaves = " With " + Count(len(more), "more step") + " that leaves "
	}
	return append(out, append(t.Todo(), Say(leaves, t.Rate(p.Shard), " of it.")...)...)
}

// Pill is a projection's verdict in two or three words.
func (t *Told) Pill(p *line.Projection) string {
	switch {
	case p.Fix == t.Fix && t.Fix != "none":
		if t.Barred() != nil {
			return "fits, blocked"
		}
		return "the fix"
	case p.Feasible && t.Cause == "unknown":
		return "not proven"
	case p.Feasible && withCache(p):
		return "with a cache"
	case p.Feasible:
		return "would do"
	case p.Hottest > 0 && p.Upper > 0 && p.Upper <= t.Target:
		return "ruled out" // by more than this shard's load
	}
	return "fails"
}

// withCache says of a salt that it does only together with a cache: then a read of the key costs no more.
func withCache(p *line.Projection) bool {
	return p.Fix == "salt" && p.Salt > 1 && p.KeyReadMultiplier <= 1
}

// WouldLabel heads the fixes that would do by their numbers and were not taken.
func (t *Told) WouldLabel() string {
	if t.Cause == "unknown" {
		return "Not proven"
	}
	return "Also works"
}

// Others say of each fix that was not taken why not, those that would do apart from those that fail.
func (t *Told) Others() (would, fail []Phrase) {
	for i := range t.Projections {
		p := &t.Projections[i]
		if p.Fix == t.Fix || p.Why == "" {
			continue
		}
		if !p.Feasible {
			fail = append(fail, Say(Capital(Fix(p.Fix)), " fails: ", Ended(string(p.Why))))
			continue
		}
		says := Say(Capital(Fix(p.Fix)), " would do: ", Ended(string(p.Why)))
		if rest, same := strings.CutPrefix(string(p.Why), "it would do "); same { // as well, but ...
			says = Say(Capital(Fix(p.Fix)), " would do ", Ended(rest))
		}
		would = append(would, says)
	}
	return would, fail
}
