package console

import "firebreak/internal/line"

// acceptedAnswer is that a person knows of a hotspot: receivers hear no more of it until then, or until it is told again.
type acceptedAnswer struct {
	By     line.Name   `json:"by"`
	Reason line.Prose  `json:"reason"`
	At     line.Stamp  `json:"at"`
	Until  line.Stamp  `json:"until"`
	Load   line.Number `json:"load"`       // of its shard then
	Again  line.Stamp  `json:"told_again"` // when; empty = it is not
	Why    string      `json:"why"`        // it is: load or until
}

// dismissedAnswer is that a person calls a hotspot a false alarm.
type dismissedAnswer struct {
	By     line.Name  `json:"by"`
	Reason line.Prose `json:"reason"`
	At     line.Stamp `json:"at"`
}

type reportsAnswer struct {
	Makes   bool           `json:"makes"` // this instance can make a report; false = nothing is kept
	Reports []reportAnswer `json:"reports"`
}

// reportAnswer is a report as the journal has it.
type reportAnswer struct {
	From     line.Stamp `json:"from"`
	To       line.Stamp `json:"to"`
	At       line.Stamp `json:"at"` // when it was written, or given up
	Hotspots int        `json:"hotspots"`
	Text     line.Prose `json:"text"`  // what it says, in a few sentences
	Where    line.Prose `json:"where"` // file that it was written to; empty = none
	Why      line.Prose `json:"why"`   // it was given up; empty = it was written
}
