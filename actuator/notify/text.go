package notify

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"firebreak/actuator"
	"firebreak/internal/line"
)

// maxShown is how much of a name a sentence shows, in characters.
const maxShown = 80

// Sentence says a notice to a person, in one line of printable text. Names stand in quotes, escaped as Go strings.
func Sentence(n *Notice) string {
	if n.More != nil {
		return moreText(n.More)
	}
	e := n.Entry
	l, err := line.Decode(e.Line)
	if err != nil {
		return objectText(e)
	}
	switch v := l.(type) {
	case *line.Verdict:
		return verdictText(e, v)
	case *line.Plan:
		return fmt.Sprintf("Fleet %s%s: plan %s (%s) %s.", shown(v.Fleet), hotspotText(v.Hotspot), shown(v.ID), v.Projection.Fix, planPhase(e.Phase))
	case *line.Hold:
		return fmt.Sprintf("Fleet %s%s: held, %s: %s.", shown(v.Fleet), hotspotText(v.Hotspot), v.Reason, flat(v.Detail))
	case *line.Advice:
		where := ""
		if v.Shard != "" {
			where = ", shard " + shown(v.Shard)
		}
		return fmt.Sprintf("%s: fleet %s%s: %s: %s.", strings.ToUpper(v.Level), shown(v.Fleet), where, v.Topic, flat(v.Reason))
	}
	return objectText(e)
}

func planPhase(p actuator.Phase) string {
	if p == actuator.PhaseChanged {
		return "takes the place of the one before"
	}
	return "is proposed"
}

func verdictText(e *actuator.Entry, v *line.Verdict) string {
	where := fmt.Sprintf("fleet %s, shard %s", shown(v.Fleet), shown(v.Shard))
	if e.Phase == actuator.PhaseResolved {
		return fmt.Sprintf("RESOLVED: %s is no longer hot (%s/s): %s.", where, amount(v.Load), flat(v.Reason))
	}
	what := v.Cause
	switch {
	case v.Key != "":
		what += " " + shown(v.Key)
	case v.Tenant != "":
		what += " " + shown(v.Tenant)
	case v.Cause == "unknown":
		what = "the cause is not known yet"
	}
	of := "of the shard"
	if v.Cause == "volume" {
		of = "of the fleet are on it"
	}
	text := fmt.Sprintf("%s: %s is hot since %s: %s", strings.ToUpper(v.Severity), where, clock(v.Onset), what)
	if v.Share.Value > 0 && v.Cause != "unknown" {
		text += fmt.Sprintf(", %s (%s to %s) %s", percent(v.Share.Value), percent(v.Share.Low), percent(v.Share.High), of)
	}
	text += fmt.Sprintf("; %s/s, %.1f x the mean", amount(v.Load), float64(v.Imbalance))
	if v.Utilization > 0 {
		text += ", " + percent(v.Utilization) + " of its capacity"
	}
	return text + fmt.Sprintf("; fix: %s.", v.Fix)
}

// objectText says the objects that are no lines.
func objectText(e *actuator.Entry) string {
	switch e.Kind {
	case actuator.KindBlind:
		if b, err := actuator.Read[actuator.Blind](e); err == nil {
			var why []string
			for _, r := range b.Reasons {
				why = append(why, r.Reason+": "+flat(r.Detail))
			}
			return fmt.Sprintf("CRITICAL: fleet %s cannot be judged: %s. Nothing fires, resolves or is undone until it can.", shown(line.Name(e.Fleet)), strings.Join(why, "; "))
		}
	case actuator.KindSighted:
		return fmt.Sprintf("Fleet %s can be judged again.", shown(line.Name(e.Fleet)))
	case actuator.KindDecider:
		return "Another instance decides now: " + shown(line.Name(e.Instance)) + "."
	case actuator.KindUnknown, actuator.KindVerdict, actuator.KindPlan, actuator.KindHold, actuator.KindAdvice, actuator.KindDelivered:
	}
	what := fmt.Sprintf("%s %s", e.Kind, e.Phase)
	if l, err := actuator.Read[actuator.Ended](e); err == nil && e.Phase == actuator.PhaseEnded {
		what = endedText(&l)
	}
	return fmt.Sprintf("Fleet %s%s: %s.", shown(line.Name(e.Fleet)), hotspotText(line.Name(e.Hotspot)), what)
}

func endedText(l *actuator.Ended) string {
	switch {
	case l.ID != "":
		return "plan " + shown(l.ID) + " is proposed no more"
	case l.Reason != "":
		return "no longer held for " + flat(line.Prose(l.Reason))
	case l.Shard != "":
		return fmt.Sprintf("the advice on %s of shard %s is over", flat(line.Prose(l.Topic)), shown(l.Shard))
	}
	return fmt.Sprintf("the advice on %s is over", flat(line.Prose(l.Topic)))
}

func moreText(m *More) string {
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(m.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", m.Kinds[k], k))
	}
	return fmt.Sprintf("%d more between %s and %s that are not told one by one: %s. The journal has them all.",
		m.N, clock(m.From), clock(m.To), strings.Join(kinds, ", "))
}

func hotspotText(id line.Name) string {
	if id == "" {
		return ""
	}
	return ", hotspot " + shown(id)
}

func clock(s line.Stamp) string { return time.Time(s).UTC().Format(time.DateTime) + " UTC" }

// shown is a name in quotes, its end left out where it is very long.
func shown(n line.Name) string {
	s := string(n)
	if utf8.RuneCountInString(s) <= maxShown {
		return strconv.Quote(s)
	}
	at := 0
	for range maxShown {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return strconv.Quote(s[:at]) + "..."
}

// flat is a sentence without what does not print, and without the dot at its end.
func flat(p line.Prose) string {
	return strings.TrimSuffix(strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, string(p)), ".")
}

func percent(n line.Number) string { return strconv.FormatFloat(float64(n)*100, 'f', 1, 64) + " %" }

// amount has two significant digits below ten and none behind the point above.
func amount(n line.Number) string {
	if f := float64(n); f < 10 {
		return strconv.FormatFloat(f, 'g', 2, 64)
	}
	return strconv.FormatFloat(float64(n), 'f', 0, 64)
}
