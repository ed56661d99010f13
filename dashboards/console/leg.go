package console

import (
	"slices"
	"strconv"

	"firebreak/actuator"
	"firebreak/internal/words"
)

// maxSteps bounds the steps that one event tells, so that an operation that goes to and fro makes no endless sentence.
const maxSteps = 16

// leg is a part of the way of an operation that a hotspot's timeline tells as one event: up to its effect, what comes after that, or its way
// back. It belongs to its event, which grows with it.
type leg struct {
	ids     []string // of its entries
	back    bool
	outcome string // of its last step; empty = it goes on
	steps   string // where it has been, each but the first with the time of day
}

// did takes in a step of an operation that works for the hotspot, or a person's word on it, its plan or its operation.
func (h *hotspot) did(e *actuator.Entry) {
	a, err := actuator.Read[actuator.Acted](e)
	if err != nil {
		h.add(&event{id: e.ID, at: e.At, kind: e.Kind, phase: e.Phase, text: words.Say("An entry of the journal that cannot be read.")})
		return
	}
	if a.Word() || a.Call != "" || a.Refused != "" {
		h.add(&event{id: e.ID, at: e.At, kind: e.Kind, phase: e.Phase, operation: a.Operation, text: deedText(&a)})
		return
	}
	ev, judged := h.newest(a.Operation)
	step := spaced(a.Step)
	if a.Outcome != "" && a.Outcome != judged {
		step = spaced(a.Outcome)
	}
	grows := ev != nil && ev.leg != nil && ev.leg.back == a.Back && ev.leg.outcome == "" && len(ev.leg.ids) < maxSteps
	if grows {
		ev.phase = e.Phase
		ev.leg.steps += ", " + step + " at " + words.Hour(e.At)
	} else {
		ev = &event{id: e.ID, at: e.At, kind: e.Kind, phase: e.Phase, operation: a.Operation, leg: &leg{back: a.Back, steps: step}}
	}
	ev.leg.ids, ev.leg.outcome = append(ev.leg.ids, e.ID), a.Outcome
	ev.text = ev.leg.says(&a)
	if !grows {
		h.add(ev)
	}
}

// newest is the last event about an operation, nil where there is none, and what its last leg says that it was judged.
func (h *hotspot) newest(operation uint64) (ev *event, judged string) {
	for i := range slices.Backward(h.events) {
		o := &h.events[i]
		if o.operation != operation {
			continue
		}
		if ev == nil {
			ev = o
		}
		if o.leg != nil {
			return ev, o.leg.outcome
		}
	}
	return ev, ""
}

// says tells who let the operation go, where it has been, and what its newest step does or came to.
func (l *leg) says(a *actuator.Acted) phrase {
	way := ": "
	if l.back {
		way = ", on its way back: "
	}
	return words.Say(workOf(a).Capital(), way, l.steps, "; ", words.Say(words.Ended(string(a.Text))).Apart())
}

// deedText says what a person said and what became of it, that a person is called, or that a step was not taken.
func deedText(a *actuator.Acted) phrase {
	var what phrase
	switch {
	case a.Operation != 0:
		what = workOf(a)
	case a.Plan != "":
		what = words.Say("plan ", words.Name(a.Plan))
	default:
		what = words.Say("this hotspot")
	}
	switch {
	case a.Word() && a.Refused != "":
		return words.Say(a.By, " asked to ", a.Do, " ", what, " and was refused: ", words.Say(words.Ended(string(a.Refused))).Apart())
	case a.Word():
		return words.Say(words.Capital(a.Do), " of ", what, " by ", a.By, ": ", words.Ended(string(a.Reason)))
	case a.Call == actuator.CallNeeded:
		return words.Say(what.Capital(), " needs a person: ", words.Say(words.Ended(string(a.Text))).Apart())
	case a.Call == actuator.CallOver:
		return words.Say(what.Capital(), " needs nobody any more; ", words.Say(words.Ended(string(a.Text))).Apart())
	}
	return words.Say(what.Capital(), " stays in ", spaced(a.Step), "; ", words.Say(words.Ended(string(a.Text))).Apart())
}

// workOf names an operation with its fix, and who approved it.
func workOf(a *actuator.Acted) phrase {
	out := words.Say("operation ", strconv.FormatUint(a.Operation, 10))
	switch {
	case a.Word():
		return out
	case a.By == "":
		return append(out, words.Say(" (", words.Fix(a.Fix), ", which nobody had to approve)")...)
	}
	return append(out, words.Say(" (", words.Fix(a.Fix), ", approved by ", a.By, ")")...)
}
