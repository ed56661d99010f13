package report

import (
	"fmt"
	"strconv"

	"firebreak/dashboards/draw"
)

// headline is the one sentence that a reader takes away, and the state of the fleet.
func (t *teller) headline() (state string, text phrase) {
	switch {
	case t.f.Week != nil && t.f.Week.now.seen() == 0 && len(t.ranked) == 0:
		return "blind", say("Nothing was recorded, so nothing can be said.")
	case t.f.Week != nil && len(t.ranked) == 0 && t.f.Week.now.judged() == 0:
		return "blind", say("No shard can be judged: the input was stale or partial all the time.")
	case t.f.Week != nil:
	case t.f.Summary.Counted == 0 || t.r.last == nil:
		return "blind", say("Nothing was counted, so nothing can be said.")
	case !t.placed():
		return "blind", say("No shard can be judged: the log names none, and no placement was given.")
	case len(t.ranked) == 0 && t.r.blind == t.r.ticks:
		return "blind", say("No shard can be judged: the input was stale or partial all the time.")
	}
	if len(t.ranked) == 0 {
		if w := t.f.Week; w != nil && len(w.now.downtime()) > 0 {
			return "calm", say("No shard was hot in the " + draw.Percent(w.now.watched()) + " of the time that was judged.")
		}
		return "calm", say("No shard was hot.")
	}
	h, rest := t.lead()
	shards := map[string]bool{}
	for _, o := range t.ranked {
		shards[o.told.Shard] = true
	}
	verb := " was hot: "
	if h.resolved.IsZero() {
		verb = " is hot: "
	}
	n, worst := len(shards), t.ranked[0]
	switch {
	case n > 1 && h != worst:
		still := say("One was hot to the end, ")
		if len(rest) > 0 {
			still = say(strconv.Itoa(1+len(rest)), " hotspots were open at the end, the worst of them on ")
		}
		return "hot", append(append(say(strconv.Itoa(n), " shards were hot. "), still...), say(nameOf(h.told.Shard), ": ", because(&h.told, false), ". The worst of all, ", nameOf(worst.told.Shard), ", is over.")...)
	case n > 1:
		return "hot", say(strconv.Itoa(n), " shards were hot. The worst, ", nameOf(h.told.Shard), ": ", because(&h.told, true), ".")
	}
	return "hot", say("Shard ", nameOf(h.told.Shard), verb, because(&h.told, !h.resolved.IsZero()), ".")
}

// lead is the hotspot that the report begins with: the worst of those that are not over, for there something can be done; else the worst of
// all. rest are the others that are not over, the worst first.
func (t *teller) lead() (h *hotspot, rest []*hotspot) {
	for _, o := range t.ranked {
		switch {
		case !o.resolved.IsZero():
		case h == nil:
			h = o
		default:
			rest = append(rest, o)
		}
	}
	if h == nil {
		h = t.ranked[0]
	}
	return h, rest
}

// namedHot bounds the shards that are named as still hot.
const namedHot = 5

// stillHot names the shards of hotspots that are not over.
func stillHot(rest []*hotspot) phrase {
	var out phrase
	for i, h := range rest[:min(len(rest), namedHot)] {
		if i > 0 {
			out = append(out, say("; ")...)
		}
		out = append(out, say(nameOf(h.told.Shard), ": ", because(&h.told, false))...)
	}
	if more := len(rest) - namedHot; more > 0 {
		out = append(out, say("; and "+strconv.Itoa(more)+" more")...)
	}
	return append(out, say(".")...)
}

// facts answer what, where, when, why, what to do and how sure.
func (t *teller) facts() []fact {
	switch {
	case len(t.ranked) > 0:
		return t.hotFacts(t.lead())
	case !t.placed(), t.f.Week != nil && t.f.Week.now.judged() == 0:
		return t.blindFacts()
	}
	return t.calmFacts()
}

// hotFacts are the facts of the hotspot that leads, and which others are not over.
func (t *teller) hotFacts(h *hotspot, rest []*hotspot) []fact {
	told := t.words(h)
	out := []fact{
		{Label: "What", Text: t.whatText(h)},
		{Label: "Where", Text: told.Where()},
	}
	if !t.r.timeless {
		out = append(out, fact{Label: "When", Text: t.whenText(h)})
	}
	out = append(out,
		fact{Label: "Why", Text: told.Why()},
		fact{Label: "What to do", Text: t.doText(h), Name: "act"},
		fact{Label: "How sure", Text: t.sureText(h)},
	)
	if says := t.owner(h).Says(); says != nil {
		out = append(out, fact{Label: "Owner", Text: says})
	}
	if len(rest) > 0 && !t.whole() && !t.r.timeless {
		out = append(out, fact{Label: "Still hot, too", Text: stillHot(rest)})
	}
	if w := t.f.Week; w != nil && w.now.missed() != "" {
		out = append(out, fact{Label: "Not watched", Text: say(draw.Percent(1-w.now.watched()) + " of the time" + w.now.missed() + ".")})
	}
	return out
}

// calmFacts say what was looked at and what could have been seen.
func (t *teller) calmFacts() []fact {
	out := []fact{{Label: "What", Text: say("Nothing was over its line for long enough, by its lower bound.")}}
	best, at := -1, peak{}
	for i, p := range t.r.grid.peaks {
		if best < 0 || p.full > at.full {
			best, at = i, p
		}
	}
	if best >= 0 && at.full > 0 {
		text := say("The hottest was ", nameOf(t.shardName(best)), " with ", t.scale.Value(at.full))
		if !t.r.timeless {
			text = append(text, say(" at ", draw.Clock(at.at))...)
		}
		out = append(out, fact{Label: "Where", Text: append(text, say("; the line is "+t.scale.Value(1)+".")...)})
	}
	out = append(out, fact{Label: "What to do", Text: say("Nothing. Doing nothing is a result, too."), Name: "act"})
	if t.f.Week != nil {
		return append(out, fact{Label: "How sure", Text: say(t.watchedText())})
	}
	return append(out, fact{Label: "How sure", Text: say(t.detectable())})
}

// blindFacts say what is missing and what can be said all the same.
func (t *teller) blindFacts() []fact {
	if t.f.Week != nil {
		return []fact{
			{Label: "Watched", Text: say(t.watchedText())},
			{Label: "What to do", Text: say("See that an instance runs and can write its history: firebreak doctor, and the metrics of the instances."), Name: "act"},
		}
	}
	var out []fact
	for _, m := range t.f.Summary.Missing {
		out = append(out, fact{Label: "Missing", Text: say(capital(m) + ".")})
	}
	if t.f.Summary.Counted > 0 {
		out = append(out, fact{Label: "What to do", Text: say("Say how keys are placed (--shards and --place, or a configuration), or log the shard. Below are the heaviest keys and tenants."), Name: "act"})
	}
	return out
}

// detectable says what a log of this traffic can promise.
func (t *teller) detectable() string {
	d := t.f.Summary.Detectable
	if d == (Detectable{}) {
		return "What a log like this can detect is not known."
	}
	within := func(x float64) string {
		if x <= 0 {
			return "nothing"
		}
		return "a shard at " + draw.Times(x*d.Line) + " the mean (" + draw.Number(x) + "× the line)"
	}
	return fmt.Sprintf("A log of this rate finds, with 95 %%, %s within one minute of its onset and %s within five. What is less, or shorter, it cannot show.",
		within(d.OneMinute), within(d.FiveMinutes))
}
