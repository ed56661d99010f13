package notify

import (
	"fmt"

	"firebreak/actuator"
	"firebreak/internal/words"
)

// routedText says what became of a change of a fleet's routing that somebody asked for.
func routedText(e *actuator.Entry) (title, text words.Phrase) {
	r, err := actuator.Read[actuator.Routed](e)
	if err != nil {
		return words.Say("Routing of ", words.Name(e.Fleet)), words.Say("An entry of the journal that cannot be read.")
	}
	fleet, by := words.Name(e.Fleet), r.By
	if r.Refused != "" {
		title = words.Say("Routing of fleet ", fleet, " was not changed")
		return title, words.Say(title, ": ", by, " asked to ", r.Do, " and was refused: ", string(r.Refused), ".")
	}
	title = words.Say("Routing of fleet ", fleet, fmt.Sprintf(" was changed to version %d", r.Version))
	return title, words.Say(title, " by ", by, " (", r.Do, "): ", string(r.Reason), ".")
}
