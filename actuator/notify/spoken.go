package notify

import (
	"fmt"
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
	if a, err := actuator.Read[actuator.Accepted](e); err == nil && e.Kind == actuator.KindAccepted {
		return words.Say("Accepted: ", of), words.Say("Accepted by ", a.By, ": ", of, ", until ", words.Clock(time.Time(a.Until)), ": ", words.Ended(string(a.Reason)))
	}
	if d, err := actuator.Read[actuator.Dismissed](e); err == nil && e.Kind == actuator.KindDismissed {
		return words.Say("Dismissed: ", of), words.Say("Dismissed by ", d.By, " as a false alarm: ", of, ": ", words.Ended(string(d.Reason)))
	}
	if r, err := actuator.Read[actuator.Reopened](e); err == nil && e.Kind == actuator.KindReopened {
		return words.Say(strings.ToUpper(severity(e).String()), ": told again: ", of), words.Say("Fleet ", whose, ": ", againText(&r))
	}
	return words.Say(e.Kind.String(), ": ", of), words.Say(words.Capital(e.Kind.String()), ": ", of, ".")
}

// againText says why a hotspot that was accepted is told again.
func againText(r *actuator.Reopened) words.Phrase {
	if r.Why == "until" {
		return words.Say("told again, because the time that it was accepted for is over.")
	}
	return words.Say(fmt.Sprintf("told again, because its load is %s and was %s when it was accepted.", words.Number(float64(r.Load)), words.Number(float64(r.Was))))
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
