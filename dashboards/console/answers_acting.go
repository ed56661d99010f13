package console

import "firebreak/internal/line"

// actionsAnswer is what is done of the fixes of a fleet, and what is to be.
type actionsAnswer struct {
	Fleet      line.Name         `json:"fleet"`
	At         line.Stamp        `json:"at"` // when this instance saw it; empty = nothing is known here, and all but plans is empty
	Epoch      uint64            `json:"epoch"`
	Version    uint64            `json:"version"`
	Decides    bool              `json:"decides"` // this instance, which alone knows waits
	Stop       *heldAnswer       `json:"stop"`    // acting is stopped; null = it is not
	Approvers  []line.Name       `json:"approvers"`
	Plans      []planAnswer      `json:"plans"`
	Operations []operationAnswer `json:"operations"`
	Held       []heldAnswer      `json:"held"` // hotspots for which nothing is begun
}

// planAnswer is a plan that stands.
type planAnswer struct {
	Plan    line.Name    `json:"plan"`
	Hotspot line.Name    `json:"hotspot"` // empty = of none
	Shard   line.Name    `json:"shard"`
	Fix     string       `json:"fix"`
	Undo    bool         `json:"undo"`
	Since   line.Stamp   `json:"since"`
	Expires line.Stamp   `json:"expires"`
	Steps   []line.Prose `json:"steps"`
	Waits   []line.Prose `json:"waits"` // what holds it; none = it may be begun
	Word    *wordAnswer  `json:"word"`  // of a person, that counts; null = nobody's
	Lines   []lineAnswer `json:"lines"` // what it would write now
	Cannot  line.Prose   `json:"cannot"`
}

type wordAnswer struct {
	By       line.Name  `json:"by"`
	At       line.Stamp `json:"at"`
	Reason   line.Prose `json:"reason"`
	Rejected bool       `json:"rejected"`
}

type heldAnswer struct {
	Hotspot line.Name  `json:"hotspot"` // empty = the fleet
	By      line.Name  `json:"by"`      // empty = nobody knows who
	At      line.Stamp `json:"at"`
	Reason  line.Prose `json:"reason"`
}

// operationAnswer is an operation with where it stands and the way back.
type operationAnswer struct {
	Operation uint64         `json:"operation"`
	Plan      line.Name      `json:"plan"`
	Hotspot   line.Name      `json:"hotspot"`
	Fix       string         `json:"fix"`
	Shard     line.Name      `json:"shard"`
	By        line.Name      `json:"by"` // who approved it; empty = nobody had to
	Phase     string         `json:"phase"`
	Since     line.Stamp     `json:"since"`
	Outcome   string         `json:"outcome"` // empty = it is not judged yet
	Back      bool           `json:"back"`    // it is on its way back, and why says why
	Why       line.Prose     `json:"why"`
	Held      line.Prose     `json:"held"` // by whom and why; empty = it is not
	Stages    []stageAnswer  `json:"stages"`
	Waits     []line.Prose   `json:"waits"`
	Behind    []line.Name    `json:"behind"` // live clients that hold an older document
	Changes   []changeAnswer `json:"changes"`
	Undo      []lineAnswer   `json:"undo"`    // what a roll-back would write now
	NoUndo    line.Prose     `json:"no_undo"` // why there is none; empty = there is one
}

type stageAnswer struct {
	Phase string   `json:"phase"`
	Does  string   `json:"does"`
	Done  bool     `json:"done"`
	Now   bool     `json:"now"`
	Until []string `json:"until"` // what must hold before it is left
}

type lineAnswer struct {
	Operation uint64         `json:"operation"` // of a plan its place in it, from 1
	Phase     string         `json:"phase"`
	Does      string         `json:"does"`
	Changes   []changeAnswer `json:"changes"` // at most 100
	More      int            `json:"more"`    // that are not listed
}

// changeAnswer is an entry of the document that differs; empty = it is not there.
type changeAnswer struct {
	Entry line.Prose `json:"entry"`
	Was   line.Prose `json:"was"`
	Is    line.Prose `json:"is"`
}

// routingOfAnswer is what clients of a fleet route by, and how that came about.
type routingOfAnswer struct {
	Fleet   line.Name      `json:"fleet"`
	At      line.Stamp     `json:"at"` // when this instance saw it; empty = nothing is known here, and all but history is empty
	Epoch   uint64         `json:"epoch"`
	Version uint64         `json:"version"`
	Base    line.Prose     `json:"base"`
	Stop    *heldAnswer    `json:"stop"` // acting is stopped; null = it is not
	Entries []entryAnswer  `json:"entries"`
	Fenced  []line.Prose   `json:"fenced"`  // entries that nobody serves just now
	Doubled []doubleAnswer `json:"doubled"` // places that are written twice just now
	Clients []clientAnswer `json:"clients"`
	History []changedRow   `json:"history"` // newest first
}

type entryAnswer struct {
	Entry line.Prose `json:"entry"`
	Value line.Prose `json:"value"`
}

// doubleAnswer is a place that is written twice while its data moves.
type doubleAnswer struct {
	Entry line.Prose `json:"entry"`
	Value line.Prose `json:"value"` // its other value, by which it is written too; empty = by the map
	Both  bool       `json:"both"`  // a write is done when both sides have it; otherwise the owner's word counts
}

type clientAnswer struct {
	Client  line.Name `json:"client"`
	Version uint64    `json:"version"`
	Guard   bool      `json:"guard"`
	Live    bool      `json:"live"`
	Behind  bool      `json:"behind"` // it is live and holds an older version
}

type changedRow struct {
	ID        string         `json:"id"`
	At        line.Stamp     `json:"at"`
	Version   uint64         `json:"version"`
	Do        string         `json:"do"`
	By        line.Name      `json:"by"`
	Reason    line.Prose     `json:"reason"`
	Refused   line.Prose     `json:"refused"`   // why nothing was changed; empty = it was
	Operation uint64         `json:"operation"` // 0 = of none
	Text      string         `json:"text"`      // of a step or a word; empty = a change says itself
	Changes   []changeAnswer `json:"changes"`
	More      int            `json:"more"`
}

// askedAnswer is that a person's word was carried out.
type askedAnswer struct {
	Request string `json:"request"`
	Do      string `json:"do"`
	Version uint64 `json:"version"` // of the state that has it
}
