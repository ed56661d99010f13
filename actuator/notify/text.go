package notify

import (
	"fmt"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// Sentence says a notice to a person, in one line of printable text. Names stand in quotes.
func (g *Guide) Sentence(n *Notice) string { return g.Message(n).Text.Quoted() }

// saying is the title of an entry and the sentence that says it.
func saying(g *Guide, n *Notice) (title, text words.Phrase) {
	e := n.Entry
	l, err := line.Decode(e.Line)
	if err != nil {
		return objectText(e)
	}
	fleet := words.Say("fleet ", words.Name(e.Fleet))
	switch v := l.(type) {
	case *line.Verdict:
		m := Message{Severity: severity(e)}
		return hotTitle(v, m.grade(e.Phase == actuator.PhaseResolved)), verdictText(g.told(n, v), e)
	case *line.Plan:
		title = words.Say("Plan: ", words.Fix(v.Projection.Fix), ", ", fleet)
		return title, words.Say("Fleet ", v.Fleet, ofHotspot(v.Hotspot), ": plan ", v.ID, " (", words.Fix(v.Projection.Fix), ") ", planPhase(e.Phase), ".")
	case *line.Hold:
		reason := strings.ReplaceAll(v.Reason, "_", " ")
		return words.Say("Held: ", reason, ", ", fleet), words.Say("Fleet ", v.Fleet, ofHotspot(v.Hotspot), ": held, ", reason, ": ", words.Ended(string(v.Detail)))
	case *line.Advice:
		if v.Shard != "" {
			fleet = words.Say(fleet, ", shard ", v.Shard)
		}
		topic := strings.ReplaceAll(v.Topic, "_", " ")
		return words.Say(strings.ToUpper(v.Level), ": ", topic, ", ", fleet), words.Say(strings.ToUpper(v.Level), ": ", fleet, ": ", topic, ": ", words.Ended(string(v.Reason)))
	}
	return objectText(e)
}

func planPhase(p actuator.Phase) string {
	if p == actuator.PhaseChanged {
		return "takes the place of the one before"
	}
	return "is proposed"
}

// hotTitle says in some words what is hot, and why, after a word on how grave that is.
func hotTitle(v *line.Verdict, state string) words.Phrase {
	t := &words.Told{Verdict: v}
	out := words.Say(state, ": shard ", v.Shard, " of ", v.Fleet, ": ", words.Cause(v.Cause))
	if o := t.Object(); len(o) > 0 {
		out = words.Say(out, " ", o)
	}
	return out
}

func verdictText(t *words.Told, e *actuator.Entry) words.Phrase {
	if e.Phase == actuator.PhaseResolved {
		return words.Say("RESOLVED: fleet ", t.Fleet, ": shard ", t.Shard, " is no longer hot, ", t.Rate(t.Verdict.Load), ": ", words.Ended(string(t.Reason)))
	}
	state := strings.ToUpper(t.Severity)
	if e.Phase == actuator.PhaseRevised {
		state += ", revised"
	}
	out := words.Say(state, ": fleet ", t.Fleet, " since ", words.Clock(time.Time(t.Onset)), ". ", t.Sentence(false, true))
	if relief := t.Relief(); relief != nil && t.Barred() == nil {
		out = words.Say(out, " ", relief)
	}
	return out
}

// objectText says the objects that are no lines.
func objectText(e *actuator.Entry) (title, text words.Phrase) {
	fleet := words.Name(e.Fleet)
	switch e.Kind {
	case actuator.KindBlind:
		title = words.Say("CRITICAL: fleet ", fleet, " cannot be judged")
		var why []string
		if b, err := actuator.Read[actuator.Blind](e); err == nil {
			for _, r := range b.Reasons {
				why = append(why, strings.ReplaceAll(r.Reason, "_", " ")+": "+strings.TrimSuffix(string(r.Detail), "."))
			}
		}
		return title, words.Say(title, ": ", words.Ended(strings.Join(why, "; ")), " Nothing fires, resolves or is undone until it can.")
	case actuator.KindSighted:
		text = words.Say("Fleet ", fleet, " can be judged again.")
		return words.Say("RESOLVED: fleet ", fleet, " can be judged again"), text
	case actuator.KindDecider:
		return words.Say("Another instance decides now"), words.Say("Another instance decides now: ", words.Name(e.Instance), ".")
	case actuator.KindAccepted, actuator.KindDismissed, actuator.KindReopened:
		return spokenText(e)
	case actuator.KindReport:
		return reportText(e)
	case actuator.KindRouted:
		return routedText(e)
	case actuator.KindActed:
		return actedText(e)
	case actuator.KindUnknown, actuator.KindVerdict, actuator.KindPlan, actuator.KindHold, actuator.KindAdvice, actuator.KindDelivered:
	}
	what := words.Say(fmt.Sprintf("%s %s", e.Kind, e.Phase))
	if l, err := actuator.Read[actuator.Ended](e); err == nil && e.Phase == actuator.PhaseEnded {
		what = endedText(&l)
	}
	return words.Say(what, ", fleet ", fleet), words.Say("Fleet ", fleet, ofHotspot(line.Name(e.Hotspot)), ": ", what, ".")
}

func endedText(l *actuator.Ended) words.Phrase {
	switch {
	case l.ID != "":
		return words.Say("plan ", l.ID, " is proposed no more")
	case l.Reason != "":
		return words.Say("no longer held for " + strings.ReplaceAll(l.Reason, "_", " "))
	case l.Shard != "":
		return words.Say("the advice on ", strings.ReplaceAll(l.Topic, "_", " "), " of shard ", l.Shard, " is over")
	}
	return words.Say("the advice on ", strings.ReplaceAll(l.Topic, "_", " "), " is over")
}

func ofHotspot(id line.Name) words.Phrase {
	if id == "" {
		return nil
	}
	return words.Say(", hotspot ", id)
}
