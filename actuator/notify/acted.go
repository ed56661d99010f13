package notify

import (
	"fmt"
	"strings"

	"firebreak/actuator"
	"firebreak/internal/words"
)

// actedText says what step an operation took, or what became of a person's word.
func actedText(e *actuator.Entry) (title, text words.Phrase) {
	a, err := actuator.Read[actuator.Acted](e)
	if err != nil {
		return words.Say("An operation of ", words.Name(e.Fleet)), words.Say("An entry of the journal that cannot be read.")
	}
	what := fmt.Sprintf("plan %s", a.Plan)
	switch {
	case a.Operation != 0:
		what = fmt.Sprintf("operation %d", a.Operation)
	case a.Plan == "":
		what = "hotspot " + e.Hotspot
	}
	fleet := words.Name(e.Fleet)
	if !a.IsStep() {
		if a.Refused != "" {
			title = words.Say("Fleet ", fleet, ": ", what, " stays as it was")
			return title, words.Say(title, ": ", a.By, " asked to ", a.Do, " it and was refused: ", words.Ended(string(a.Refused)))
		}
		title = words.Say("Fleet ", fleet, ": ", a.Do, " of ", what)
		return title, words.Say(title, " by ", a.By, ": ", words.Ended(string(a.Reason)))
	}
	fix := strings.ReplaceAll(a.Fix, "_", " ")
	where := words.Say()
	if a.Shard != "" {
		where = words.Say(" of shard ", a.Shard)
	}
	state := a.Step
	if a.Outcome != "" {
		state = strings.ReplaceAll(a.Outcome, "_", " ")
	}
	if a.Back {
		state += ", on its way back"
	}
	title = words.Say("Fleet ", fleet, ": ", what, " (", fix, where, ") is ", state)
	return title, words.Say(title, ": ", words.Ended(string(a.Text)))
}
