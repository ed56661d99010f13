// Package line is the form of what firebreak says, schema 1: docs/replay-json.md is its contract. `replay --output json`
// prints these lines, the journal keeps them, and receivers, page and report read them.
//
// It holds no judgement: constructors copy what policy says, Encode writes it, Decode reads it back. It does no I/O.
//
// Invariants:
//
//  1. Within a schema members are never renamed and never change their meaning; new ones may be added, and Decode skips
//     those it does not know.
//  2. Names are bytes and come back as they were (routing.Escape); no two of them have the same text.
//  3. Encode(Decode(b)) = b for every line that Encode wrote.
package line

// Schema is the version of the contract.
const Schema = 1

// Head begins every line. Time is zero in a log without time.
type Head struct {
	Type   string `json:"type"` // verdict, plan, hold, advice or summary
	Schema int    `json:"schema"`
	Fleet  Name   `json:"fleet"`
	Time   Stamp  `json:"time,omitzero"`
}

// Line is any of the lines: *Verdict, *Plan, *Hold, *Advice or *Summary.
type Line interface {
	// Top is the head of the line.
	Top() *Head
}

// Top returns h: what embeds a Head is a Line.
func (h *Head) Top() *Head { return h }

// NewHead begins a line of a type.
func NewHead(kind, fleet string, at Stamp) Head {
	return Head{Type: kind, Schema: Schema, Fleet: Name(fleet), Time: at}
}
