package report

import (
	"strconv"

	"firebreak/internal/words"
)

// maxHeadline is how many fleets a headline names.
const maxHeadline = 8

// Headline says in a few sentences what the report of a period says, as one line of printable text with names in quotes, and how
// many hotspots it has.
func Headline(run *Run) (text string, hotspots int) {
	for i := range run.Fleets {
		t := newTeller(&run.Fleets[i], "", fullLimits())
		hotspots += len(t.ranked) + t.r.dropped
		if i >= maxHeadline {
			continue
		}
		_, headline := t.headline()
		if text != "" {
			text += " "
		}
		text += words.Say("Fleet ", nameOf(t.f.Summary.Fleet), ": ", headline).Quoted()
		if w := t.f.Week; w != nil && w.now.seen() > 0 {
			text += words.Say(" Watched " + words.Percent(w.now.watched()) + " of the time.").Quoted()
		}
	}
	if more := len(run.Fleets) - maxHeadline; more > 0 {
		text += " And " + strconv.Itoa(more) + " more fleets."
	}
	return text, hotspots
}
