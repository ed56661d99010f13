package profiles

import (
	"fmt"

	"firebreak/policy"
)

// Possible says how far a fix goes in a store.
type Possible uint8

// How far a fix goes, the safe one first.
const (
	PossibleAdvice Possible = iota // a person does it: no test of ours shows that the commands do it
	PossibleYes                    // the commands do it, and an integration test shows it
	PossibleNever                  // the store does not let anybody do it
)

// String returns the one spelling of p.
func (p Possible) String() string {
	switch p {
	case PossibleYes:
		return "yes"
	case PossibleNever:
		return "never"
	case PossibleAdvice:
	}
	return "advice"
}

// MarshalText writes the one spelling of p.
func (p Possible) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Possible) UnmarshalText(text []byte) error {
	for _, one := range []Possible{PossibleAdvice, PossibleYes, PossibleNever} {
		if one.String() == string(text) {
			*p = one
			return nil
		}
	}
	return fmt.Errorf("%q: want yes, advice or never", text)
}

// Each says how often a command of a step is made.
type Each uint8

// How often a command is made.
const (
	EachStep     Each = iota // once
	EachReceiver             // once for each pair of a shard that gives and one that receives, or for each shard that is added
	EachSlot                 // once for each slot that moves; all slots of one pair stand together
)

// String returns the one spelling of e.
func (e Each) String() string {
	switch e {
	case EachReceiver:
		return "receiver"
	case EachSlot:
		return "slot"
	case EachStep:
	}
	return "step"
}

// MarshalText writes the one spelling of e.
func (e Each) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (e *Each) UnmarshalText(text []byte) error {
	for _, one := range []Each{EachStep, EachReceiver, EachSlot} {
		if one.String() == string(text) {
			*e = one
			return nil
		}
	}
	return fmt.Errorf("%q: want step, receiver or slot", text)
}

// Profile is one kind of store. Nothing in it changes after it was parsed.
type Profile struct {
	Name     string   `yaml:"name"`
	Store    string   `yaml:"store"` // as people call it
	Slots    string   `yaml:"slots"` // placement function whose virtual shards are the store's slots; empty = it has none
	Settings Settings `yaml:"settings"`
	Limits   []Limit  `yaml:"limits"` // the narrowest first
	Notes    []string `yaml:"notes"`  // what else is true of fleets on it
	Fixes    Fixes    `yaml:"fixes"`
}

// Settings are what the commands have to be told, each with what it is.
type Settings struct {
	Fleet map[string]string `yaml:"fleet"` // {set.NAME}
	Shard map[string]string `yaml:"shard"` // {shard.NAME} and {receiver.NAME}
}

// Limit is what the store gives one of its parts at most, a fact of its vendor.
type Limit struct {
	Of     string  `yaml:"of"`
	Reads  float64 `yaml:"reads"`  // load/s in the unit of Cost
	Writes float64 `yaml:"writes"` // the same
	Cost   string  `yaml:"cost"`   // pipeline.Cost in which the limit is told
	Source string  `yaml:"source"` // page of the vendor
}

// Fixes are the fixes, and the undoing of those that policy undoes.
type Fixes struct {
	Split       Way `yaml:"split"`
	Salt        Way `yaml:"salt"`
	Cache       Way `yaml:"cache"`
	Isolate     Way `yaml:"isolate"`
	Quota       Way `yaml:"quota"`
	LimitCaller Way `yaml:"limit_caller"`
	ScaleOut    Way `yaml:"scale_out"`
	UndoSalt    Way `yaml:"undo_salt"`
	UndoIsolate Way `yaml:"undo_isolate"`
}

// Way is one fix in the store.
type Way struct {
	Called   string    `yaml:"called"`
	Possible Possible  `yaml:"possible"`
	Reason   string    `yaml:"reason"` // why it is no more than advice, or what to know before it is run
	Source   string    `yaml:"source"` // page of the vendor
	Commands []Command `yaml:"commands"`
}

// Command is the template of one command.
type Command struct {
	Each  Each     `yaml:"each"`
	Argv  []string `yaml:"argv"`  // program and arguments; {name} is a field
	Stdin string   `yaml:"stdin"` // what it reads; holds no fields

	args []argument
}

// named pairs a way with the word by which files and messages call it.
type named struct {
	name string
	way  *Way
}

// all lists the ways in the order of the file.
func (f *Fixes) all() []named {
	return []named{
		{"split", &f.Split},
		{"salt", &f.Salt},
		{"cache", &f.Cache},
		{"isolate", &f.Isolate},
		{"quota", &f.Quota},
		{"limit_caller", &f.LimitCaller},
		{"scale_out", &f.ScaleOut},
		{"undo_salt", &f.UndoSalt},
		{"undo_isolate", &f.UndoIsolate},
	}
}

// of is the way of a fix; nil for none.
func (f *Fixes) of(fix policy.Fix) *Way {
	for _, n := range f.all() {
		if n.name == fix.String() {
			return n.way
		}
	}
	return nil
}

// step is the way of a step by its kind (policy.StepKind); nil where the store has no word for it.
func (f *Fixes) step(kind string) *Way {
	switch kind {
	case policy.StepMove.String(), policy.StepNative.String():
		return &f.Split
	case policy.StepSalt.String():
		return &f.Salt
	case policy.StepCache.String():
		return &f.Cache
	case policy.StepPlaceTenant.String(), policy.StepPlaceKey.String():
		return &f.Isolate
	case policy.StepQuota.String():
		return &f.Quota
	case policy.StepLimitCaller.String():
		return &f.LimitCaller
	case policy.StepAddShards.String():
		return &f.ScaleOut
	case policy.StepUnsalt.String():
		return &f.UndoSalt
	case policy.StepReturnTenant.String():
		return &f.UndoIsolate
	}
	return nil
}
