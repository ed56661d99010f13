package notify

import (
	"fmt"
	"slices"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// hinted are the facts of a message about a hotspot with what else one needs who was woken by it: what it means for users, how it is
// called, and how to hear no more of it.
func hinted(m *Message, v *line.Verdict) []Fact {
	out := m.Facts
	if at := slices.IndexFunc(out, func(f Fact) bool { return f.Label == "Why" }); at >= 0 && m.State == Firing {
		out = slices.Insert(out, at, Fact{"Effect", words.Say(effect(v))})
	}
	if v.Hotspot == "" {
		return out
	}
	say := words.Say(v.Hotspot, ". To hear no more of it: firebreak accept ", v.Hotspot, " --until 8h --reason WHY --config FILE")
	if m.State == Over {
		say = words.Say(v.Hotspot, ". If it was a false alarm: firebreak dismiss ", v.Hotspot, " --reason WHY --config FILE")
	}
	return append(out, Fact{"Hotspot", say})
}

// effect says what the numbers mean for who uses the shard. How requests fare no verdict knows.
func effect(v *line.Verdict) string {
	rate := func(n line.Number) string { return words.Rate(float64(n)) }
	switch {
	case v.Capacity <= 0:
		return "All that is on the shard may be slow. How near it is to its limit is not known without a capacity."
	case v.Load > v.Capacity:
		return fmt.Sprintf("All that is on the shard suffers: %s is more than it can serve, so as much waits or is refused.", rate(v.Load-v.Capacity))
	}
	return fmt.Sprintf("All that is on the shard may be slow. It is full at %s, which is %s more; what is over that waits or is refused.", rate(v.Capacity), rate(v.Capacity-v.Load))
}

// before is how much of the time before shows what was usual.
const before = 5 * time.Minute

// command is how to see more of a notice where there is no page to open: the report of its time out of the journal and the history; of a
// fleet that cannot be judged, what is wrong with what is read. Empty = there is nothing to see.
func command(n *Notice) string {
	v := verdictOf(n)
	switch {
	case n.Test != nil || n.Entry != nil && n.Entry.Kind == actuator.KindReport:
		return ""
	case n.More != nil:
		return reportOf(time.Time(n.More.From), time.Time(n.More.To))
	case n.Entry.Kind == actuator.KindBlind:
		return "firebreak doctor --config FILE"
	case v != nil && !time.Time(v.Onset).IsZero():
		return reportOf(time.Time(v.Onset), n.Entry.At)
	}
	return reportOf(n.Entry.At, n.Entry.At)
}

// reportOf is the command for the report of a time, in whole minutes and to the end of the last, so that the entry is in it.
func reportOf(from, to time.Time) string {
	from, to = from.Add(-before).UTC().Truncate(time.Minute), to.UTC().Truncate(time.Minute).Add(time.Minute)
	return "firebreak report --config FILE --from " + from.Format(time.RFC3339) + " --to " + to.Format(time.RFC3339) + " --file report.html"
}
