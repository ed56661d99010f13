package notify

import (
	"fmt"
	"strconv"
	"strings"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/internal/words"
)

// calls says whether an entry is the call of a person to an operation, or that it is over. It has a life and a message of its own: it may
// last while its hotspot is over, and it pages where its hotspot has paged already.
func calls(e *actuator.Entry) bool {
	return e.Kind == actuator.KindActed && (e.Phase == actuator.PhaseFired || e.Phase == actuator.PhaseResolved)
}

// steps says whether an entry is a step of an operation, or what a person said of a plan, a hotspot or an operation.
func steps(e *actuator.Entry) bool { return e.Kind == actuator.KindActed && !calls(e) }

// Step is what news of an operation a message is. The zero value is none.
type Step uint8

// The steps.
const (
	NoStep    Step = iota
	StepBegun      // its first write
	StepEnded      // its effect was judged, or it was taken back
	StepOther      // another one, or a person's word
)

// stepOf is that of an entry.
func stepOf(e *actuator.Entry) Step {
	if !steps(e) {
		return NoStep
	}
	a, err := actuator.Read[actuator.Acted](e)
	switch {
	case err != nil:
	case a.Begins():
		return StepBegun
	case a.Ends() && a.Step != operation.Over:
		return StepEnded
	}
	return StepOther
}

// operationOf is the lane of an operation: one of its calls, and one of its steps where it has no hotspot.
func operationOf(e *actuator.Entry) string {
	of := e.Fleet + "\x00\x00" + e.Kind.String()
	if calls(e) {
		of += " call"
	}
	a, err := actuator.Read[struct{ Operation uint64 }](e)
	if err != nil || a.Operation == 0 {
		return of
	}
	return of + "\x00" + strconv.FormatUint(a.Operation, 10)
}

// subjectOf is what an entry of the kind acted is about, for people.
func subjectOf(a *actuator.Acted, hotspot string) string {
	switch {
	case a.Operation != 0:
		return fmt.Sprintf("operation %d", a.Operation)
	case a.Plan == "":
		return "hotspot " + hotspot
	}
	return "plan " + a.Plan
}

// actedText says what step an operation took, or what became of a person's word.
func actedText(e *actuator.Entry) (title, text words.Phrase) {
	a, err := actuator.Read[actuator.Acted](e)
	if err != nil {
		return words.Say("An operation of ", words.Name(e.Fleet)), words.Say("An entry of the journal that cannot be read.")
	}
	what, fleet := subjectOf(&a, e.Hotspot), words.Name(e.Fleet)
	if a.Word() {
		if a.Refused != "" {
			title = words.Say("Fleet ", fleet, ": ", what, " stays as it was")
			return title, words.Say(title, ": ", a.By, " asked to ", a.Do, " it and was refused: ", words.Ended(string(a.Refused)))
		}
		title = words.Say("Fleet ", fleet, ": ", a.Do, " of ", what)
		return title, words.Say(title, " by ", a.By, ": ", words.Ended(string(a.Reason)))
	}
	fix := fixOf(&a)
	switch a.Call {
	case actuator.CallNeeded:
		title = words.Say("CRITICAL: ", what, " of fleet ", fleet, " needs a person")
		return title, words.Say(title, " (", fix, "): ", words.Ended(string(a.Text)))
	case actuator.CallOver:
		title = words.Say("RESOLVED: ", what, " of fleet ", fleet, " needs nobody any more")
		return title, words.Say(title, " (", fix, "), it is ", stateOf(&a), "; ", words.Ended(string(a.Text)))
	}
	title = words.Say("Fleet ", fleet, ": ", what, " (", fix, ") is ", stateOf(&a))
	return title, words.Say(title, ": ", words.Ended(string(a.Text)))
}

// fixOf is what an operation does, and to which shard.
func fixOf(a *actuator.Acted) words.Phrase {
	fix := strings.ReplaceAll(a.Fix, "_", " ")
	if a.Shard == "" {
		return words.Say(fix)
	}
	return words.Say(fix, " of shard ", a.Shard)
}

// stateOf is where an operation stands.
func stateOf(a *actuator.Acted) string {
	state := "in phase " + a.Step
	if a.Outcome != "" {
		state = strings.ReplaceAll(a.Outcome, "_", " ")
	}
	if a.Back {
		state += ", on its way back"
	}
	return state
}

// call fills in the message of a call: what is wrong, of what, and what a person can do.
func (m *Message) call(g *Guide, n *Notice) {
	a, err := actuator.Read[actuator.Acted](n.Entry)
	if err != nil {
		m.Facts = []Fact{{"What", m.Text}}
		return
	}
	m.Facts = []Fact{{"What", m.Text}, {"Where", words.Say(fmt.Sprintf("Operation %d, ", a.Operation), fixOf(&a), ", ", stateOf(&a), ".")}}
	if m.State == Firing {
		say := fmt.Sprintf("firebreak actions show %d --config FILE says what it did and what taking it back would do now. To take it back: %s.", a.Operation, undo(a.Operation))
		if a.By != "" {
			say += " "
		}
		do := words.Say(say)
		if a.By != "" {
			do = words.Say(do, "It was approved by ", a.By, ".")
		}
		m.Facts = append(m.Facts, Fact{"What to do", do})
	}
	if g.External != "" && n.Entry.Hotspot != "" {
		m.Facts = append(m.Facts, Fact{"Hotspot", words.Say(n.Entry.Hotspot, ".")})
	}
}

// undo is the command that takes an operation back.
func undo(number uint64) string {
	return fmt.Sprintf("firebreak actions rollback %d --reason WHY --config FILE", number)
}
