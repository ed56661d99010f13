package notify

import (
	"strings"
	"time"

	"firebreak/actuator"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// spokenText says what a person said of a hotspot, or that it is told again.
func spokenText(e *actuator.Entry) (title, text words.Phrase) {
	whose := words.Say(words.Name(e.Fleet), ofHotspot(line.Name(e.Hotspot)))
	of := words.Say("fleet ", whose)
	title, text = words.Say(words.Capital(e.Kind.String())+": ", of), words.Say(e.Kind.String(), ".")
	if a, err := actuator.Read[actuator.Accepted](e); err == nil && e.Kind == actuator.KindAccepted {
		text = words.Accepted(words.Name(a.By), time.Time(a.Until), string(a.Reason))
	}
	if d, err := actuator.Read[actuator.Dismissed](e); err == nil && e.Kind == actuator.KindDismissed {
		text = words.Dismissed(words.Name(d.By), string(d.Reason))
	}
	if r, err := actuator.Read[actuator.Reopened](e); err == nil && e.Kind == actuator.KindReopened {
		title, text = words.Say(strings.ToUpper(severity(e).String()), ": told again: ", of), words.Again(r.Why, r.Load, r.Was)
	}
	return title, words.Say("Fleet ", whose, ": ", text)
}

// reportText says what a report says, and where it is.
func reportText(e *actuator.Entry) (title, text words.Phrase) {
	r, err := actuator.Read[actuator.Reported](e)
	if err != nil {
		return words.Say("Report"), words.Say("A report was written.")
	}
	of := words.Clock(time.Time(r.From)) + " to " + words.Clock(time.Time(r.To))
	if r.Why != "" {
		return words.Say("Report: not written"), words.Say("The report of "+of+" could not be written: ", words.Ended(string(r.Why)))
	}
	text = words.Say("Report of "+of+": ", words.Ended(string(r.Text)))
	if r.Where != "" {
		text = words.Say(text, " It is in ", words.Name(r.Where), ".")
	}
	return words.Say("Report of " + of), text
}
