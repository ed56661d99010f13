package notify

import (
	"fmt"
	"slices"

	"firebreak/actuator"
	"firebreak/actuator/operation"
	"firebreak/internal/line"
	"firebreak/internal/words"
)

// maxDoings is how many operations of a hotspot a story has; the oldest is forgotten first.
const maxDoings = 8

// Doing is an operation that was begun for a hotspot, as it was told last.
type Doing struct {
	Step  actuator.Acted // the last one; without changes
	Needs string         // why a person must act; empty = nobody must
}

// Said is what a person said of a plan, and whether it counted.
type Said struct {
	Do, By, Plan, Refused string // By and Refused are bytes
}

// act takes in a step of an operation, or a person's word.
func (s *Story) act(e *actuator.Entry) {
	a, err := actuator.Read[actuator.Acted](e)
	if err != nil {
		return
	}
	a.Changes = nil
	if a.Word() {
		if a.Plan != "" {
			s.Said = &Said{a.Do, string(a.By), a.Plan, string(a.Refused)}
		}
		return
	}
	s.Operations = slices.Clone(s.Operations)
	i := slices.IndexFunc(s.Operations, func(d Doing) bool { return d.Step.Operation == a.Operation })
	if i < 0 {
		i = len(s.Operations)
		s.Operations = append(s.Operations, Doing{})
	}
	is := &s.Operations[i]
	switch a.Call {
	case "":
		is.Step = a
	case actuator.CallNeeded:
		is.Needs = string(a.Text)
	default:
		is.Needs = ""
	}
	if is.Step.Operation == 0 {
		is.Step = a
	}
	if len(s.Operations) > maxDoings {
		s.Operations = s.Operations[1:]
	}
}

// doings are the facts of what firebreak does of the fix: the plan that waits for a word, and each operation with its way back.
func (s *Story) doings() []Fact {
	var out []Fact
	if s.waits() {
		id := s.Plan.ID
		out = append(out, Fact{"Plan", words.Say(
			id, " waits for approval. To see what it would write: firebreak actions show ", id, " --config FILE. To have it carried out: firebreak actions approve ", id,
			" --reason WHY --config FILE; to decline it: firebreak actions reject ", id, " --reason WHY --config FILE.")})
	}
	if said := s.Said; said != nil && s.Plan != nil && said.Plan == string(s.Plan.ID) && said.Refused == "" {
		out = append(out, Fact{"Said", words.Say(words.Capital(said.Do), " by ", words.Name(said.By), ".")})
	}
	for i := range s.Operations {
		out = append(out, s.Operations[i].facts()...)
	}
	return out
}

// waits says whether the plan that stands waits for a person's word, as far as it was told.
func (s *Story) waits() bool {
	said := s.Said != nil && s.Plan != nil && s.Said.Plan == string(s.Plan.ID) && s.Said.Refused == ""
	return s.Plan != nil && slices.ContainsFunc(s.Held, func(h line.Hold) bool {
		return h.Reason == "approval_missing" && !said || h.Reason == "approval_expired" // policy.HoldReason
	})
}

// facts say where an operation stands, who must act, and how it is undone.
func (d *Doing) facts() []Fact {
	a := &d.Step
	what := words.Say(fmt.Sprintf("Operation %d (", a.Operation), fixOf(a), ") is ", stateOf(a), ": ", words.Ended(string(a.Text)))
	if a.Outcome != "" && a.Outcome != operation.Reverted {
		what = words.Say(fmt.Sprintf("Operation %d (", a.Operation), fixOf(a), ") is done: ", stateOf(a), ". ", words.Capital(words.Ended(string(a.Text))))
	}
	if d.Needs != "" {
		what = words.Say(what, " A person is needed: ", words.Ended(d.Needs))
	}
	out := []Fact{{"Operation", what}}
	if a.Back || a.Step == operation.Over || a.Step == operation.Undone {
		return out
	}
	return append(out, Fact{"Undo", words.Say(undo(a.Operation))})
}
