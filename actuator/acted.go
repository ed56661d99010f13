package actuator

import (
	"firebreak/actuator/operation"
	"firebreak/internal/line"
	"firebreak/routing/control"
)

// Acted is the line of the kind acted: a step of an operation, or what became of a person's word on a plan, a hotspot or an operation.
type Acted struct {
	line.Head

	Request string     `json:"request"` // the note's id; of a person's word that of the request
	Do      string     `json:"do"`      // control.Do: act, approve, reject, hold or rollback
	By      line.Name  `json:"by"`      // who said it; of a step who approved the plan, empty = nobody had to
	Reason  line.Prose `json:"reason"`
	Refused line.Prose `json:"refused"` // why nothing was changed; empty = it was
	Plan    string     `json:"plan"`
	// Operation is its number; 0 = the word is about no operation.
	Operation uint64     `json:"operation"`
	Fix       string     `json:"fix"`
	Shard     line.Name  `json:"shard"`
	Machine   string     `json:"machine"` // the table of docs/acting.md that it goes by, and the phase that it entered
	Step      string     `json:"step"`
	Back      bool       `json:"back"`
	Outcome   string     `json:"outcome"` // how it ended; empty = it goes on
	Text      line.Prose `json:"text"`
	Epoch     uint64     `json:"epoch"` // of the document, as version
	Version   uint64     `json:"version"`
	Changes   []Change   `json:"changes"`
	// Call is CallNeeded where a person must act on the operation from now on, for what Text says; CallOver where nobody must
	// any more; empty = this is a step, or a person's word.
	Call string `json:"call"`
	// Before and After are the load of Shard in shares of its target, both on the loads of when the effect was judged: by the table without
	// the operation, and with it; 0 = not known, or it was not judged here.
	Before line.Number `json:"before"`
	After  line.Number `json:"after"`
	More   int         `json:"more"` // changes that are not listed
	// ReadBack says that the store's reply was lost, and the change was found in it.
	ReadBack bool `json:"read_back"`
}

// What Acted.Call says.
const (
	CallNeeded = control.CallNeeded
	CallOver   = control.CallOver
)

// Word says whether it is what a person said, and not a step of an operation.
func (a *Acted) Word() bool { return a.Do != control.DoAct.String() }

// Ends says whether it is the last step of an operation that people hear of.
func (a *Acted) Ends() bool { return !a.Word() && a.Outcome != "" && a.Call == "" }

// Begins says whether it is the first write of an operation.
func (a *Acted) Begins() bool {
	return !a.Word() && a.Call == "" && a.Outcome == "" && a.Refused == "" && operation.Begins(a.Machine, a.Step)
}

// phase is what a step is of the life of its operation: planned it begins, over or undone it has ended. A call of a person fires, and
// is resolved. Words of people have none.
func (a *Acted) phase() Phase {
	switch {
	case a.Call == control.CallNeeded:
		return PhaseFired
	case a.Call == control.CallOver:
		return PhaseResolved
	case a.Word():
		return PhaseNone
	case a.Step == operation.Planned && a.Outcome == "":
		return PhaseBegun
	case a.Step == operation.Over || a.Step == operation.Undone:
		return PhaseEnded
	}
	return PhaseChanged
}

func newActed(fleet string, n *control.Note, readBack bool, redact Redact) (Entry, error) {
	a := Acted{
		Head: line.NewHead(KindActed.String(), fleet, line.Stamp(moment(n.At))), Request: n.ID, Do: n.Do.String(), By: line.Name(n.By), Reason: line.Prose(n.Reason),
		Refused: line.Prose(n.Refused), Plan: n.Plan, Operation: n.Operation, Fix: n.Act.Fix, Shard: line.Name(n.Act.Shard), Machine: n.Act.Machine, Step: n.Act.Phase,
		Back: n.Act.Back, Outcome: n.Act.Outcome, Call: n.Act.Call, Before: line.Number(n.Act.Before), After: line.Number(n.Act.After), Text: line.Prose(n.Act.Text), Epoch: n.Epoch, Version: n.Version, Changes: changesOf(n, redact), More: n.More, ReadBack: readBack,
	}
	if redact != nil {
		redact.prose(&a.Refused)
		redact.prose(&a.Text)
	}
	return object(Entry{ID: NewID("acted", fleet, n.ID), Fleet: fleet, At: moment(n.At), Kind: KindActed, Phase: a.phase(), Hotspot: n.Hotspot}, &a)
}

func changesOf(n *control.Note, redact Redact) []Change {
	out := make([]Change, 0, len(n.Changes))
	for _, c := range n.Changes {
		out = append(out, Change{Entry: redact.Entry(c.Entry).String(), Was: c.Was, Is: c.Is})
	}
	return out
}
