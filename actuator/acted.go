package actuator

import (
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
	More      int        `json:"more"` // changes that are not listed
	// ReadBack says that the store's reply was lost, and the change was found in it.
	ReadBack bool `json:"read_back"`
}

// Ends says whether it is the last step of an operation that people hear of.
func (a *Acted) Ends() bool { return a.Do == control.DoAct.String() && a.Outcome != "" }

func newActed(fleet string, n *control.Note, readBack bool, redact Redact) (Entry, error) {
	a := Acted{
		Head: line.NewHead(KindActed.String(), fleet, line.Stamp(moment(n.At))), Request: n.ID, Do: n.Do.String(), By: line.Name(n.By), Reason: line.Prose(n.Reason),
		Refused: line.Prose(n.Refused), Plan: n.Plan, Operation: n.Operation, Fix: n.Act.Fix, Shard: line.Name(n.Act.Shard), Machine: n.Act.Machine, Step: n.Act.Phase,
		Back: n.Act.Back, Outcome: n.Act.Outcome, Text: line.Prose(n.Act.Text), Epoch: n.Epoch, Version: n.Version, Changes: changesOf(n, redact), More: n.More, ReadBack: readBack,
	}
	if redact != nil {
		redact.prose(&a.Refused)
		redact.prose(&a.Text)
	}
	return object(Entry{ID: NewID("acted", fleet, n.ID), Fleet: fleet, At: moment(n.At), Kind: KindActed, Hotspot: n.Hotspot}, &a)
}

func changesOf(n *control.Note, redact Redact) []Change {
	out := make([]Change, 0, len(n.Changes))
	for _, c := range n.Changes {
		out = append(out, Change{Entry: redact.Entry(c.Entry).String(), Was: c.Was, Is: c.Is})
	}
	return out
}
