package notify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/numerals"
	"firebreak/internal/words"
)

// moreText says how a summary stands, without its fleets.
func moreText(m *More) (title, text words.Phrase) {
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(m.Kinds)) {
		kinds = append(kinds, counted(m.Kinds[k], k))
	}
	title = words.Say(fmt.Sprintf("%d more that are not told one by one", m.N))
	switch {
	case m.Open > 0:
	case m.Accepted > 0:
		title = words.Say(fmt.Sprintf("ACCEPTED: %d more that were not told one by one", m.N))
	case m.Over > 0:
		title = words.Say(fmt.Sprintf("RESOLVED: %d more that were not told one by one", m.N))
	case m.Dismissed > 0:
		title = words.Say(fmt.Sprintf("DISMISSED: %d more that were not told one by one", m.N))
	case m.Apart > 0:
		title = words.Say(fmt.Sprintf("%d more, which are told by themselves now", m.N))
	}
	text = words.Say(fmt.Sprintf("%d more %s that are not told one by one: %s", m.N, during(time.Time(m.From), time.Time(m.To)), strings.Join(kinds, ", ")))
	for _, part := range []struct {
		n    int
		said string
	}{{m.Open, "open"}, {m.Critical, "of these critical"}, {m.Accepted, "accepted"}, {m.Dismissed, "dismissed"}, {m.Over, "resolved"}, {m.Apart, "told by themselves since"}} {
		if part.n > 0 {
			text = words.Say(text, fmt.Sprintf(", %d %s", part.n, part.said))
		}
	}
	return title, words.Say(text, ".")
}

// counted says how many subjects of a kind (actuator.Kind) there are.
func counted(n int, kind string) string {
	switch kind {
	case actuator.KindVerdict.String(), actuator.KindPlan.String(), actuator.KindHold.String(), actuator.KindReport.String():
		return words.Count(n, kind)
	case actuator.KindAdvice.String():
		return numerals.Counted(n, "piece of advice", "pieces of advice")
	case actuator.KindBlind.String():
		return numerals.Counted(n, "fleet that cannot be judged", "fleets that cannot be judged")
	case actuator.KindSighted.String():
		return numerals.Counted(n, "fleet that can be judged again", "fleets that can be judged again")
	case actuator.KindDecider.String():
		return numerals.Counted(n, "change of the decider", "changes of the decider")
	case actuator.KindRouted.String():
		return numerals.Counted(n, "change of the routing", "changes of the routing")
	case actuator.KindActed.String():
		return numerals.Counted(n, "step of an operation", "steps of operations")
	case actuator.KindReopened.String():
		return numerals.Counted(n, "hotspot told again", "hotspots told again")
	}
	return fmt.Sprintf("%d %s", n, kind) // accepted, dismissed, delivered: what was done to them has no plural
}

// during is the time of a summary.
func during(from, to time.Time) string {
	if from.Equal(to) {
		return "at " + words.Clock(to)
	}
	return "between " + words.Clock(from) + " and " + words.Clock(to)
}

// fleetsText says what a summary has of each fleet that it names: how many, and the worst shards.
func fleetsText(m *More) []words.Phrase {
	var out []words.Phrase
	for i := range m.Fleets {
		out = append(out, m.Fleets[i].text())
	}
	if m.Others > 0 {
		out = append(out, words.Say("Others are of "+words.Count(m.Others, "more fleet")+"."))
	}
	return out
}

func (m *MoreOf) text() words.Phrase {
	out := words.Say("Fleet ", m.Fleet, ": ")
	if m.Fleet == "" {
		out = words.Say("Of no fleet: ")
	}
	out = words.Say(out, fmt.Sprint(m.N))
	switch {
	case m.Open == 0:
		return words.Say(out, ", none that waits for somebody.")
	case m.Critical > 0:
		out = words.Say(out, fmt.Sprintf(", %d open, %d of these critical", m.Open, m.Critical))
	default:
		out = words.Say(out, fmt.Sprintf(", %d open", m.Open))
	}
	for i := range m.Worst {
		w, lead := &m.Worst[i], ", "
		if i == 0 {
			lead = "; worst: "
		}
		out = words.Say(out, lead, w.Shard, " ("+w.Severity)
		if w.Times > 0 {
			out = words.Say(out, ", "+words.Times(float64(w.Times))+" its line")
		}
		if w.Team != "" {
			out = words.Say(out, ", team ", words.Name(w.Team))
		}
		out = words.Say(out, ")")
	}
	return words.Say(out, ".")
}
