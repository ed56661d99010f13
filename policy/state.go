package policy

import (
	"maps"
	"time"
)

// State is what Evaluate remembers between ticks. Detection belongs to the
// checkpoint of the log, Action to the fleet's document; neither is ever
// changed in place.
type State struct {
	Detection Detection `json:"detection"`
	Action    Action    `json:"action"`
}

// Detection is the memory of watching. The zero value is a cold start.
type Detection struct {
	Newest time.Time        `json:"newest"` // end of the newest pane judged
	Shards map[string]Track `json:"shards"` // by shard name; those that are or were lately over their line
}

// Track follows one shard.
type Track struct {
	Since   time.Time `json:"since"` // pane close at which it first was over the line without a break; zero = it is not
	Onset   time.Time `json:"onset"` // start of the first pane of that run
	Hotspot *Hotspot  `json:"hotspot,omitempty"`
}

// Hotspot is an open hotspot. Line and Target were frozen when it fired.
type Hotspot struct {
	ID        string    `json:"id"`
	Onset     time.Time `json:"onset"`
	Fired     time.Time `json:"fired"`
	Dimension Dimension `json:"dimension"`
	Severity  Severity  `json:"severity"`
	Line      float64   `json:"line"`           // load/s
	Target    float64   `json:"target"`         // load/s
	Told      Answer    `json:"told"`           // what the last firing line said
	Plan      *Plan     `json:"plan,omitempty"` // as last shown
	Change    Answer    `json:"change"`         // what it would say now, if different ...
	Changed   time.Time `json:"changed"`
	CoolSince time.Time `json:"cool_since"` // since when it is under 0.9 x line; zero = it is not
}

// Answer is the part of a verdict that must not flap.
type Answer struct {
	Cause  Cause  `json:"cause"`
	Key    string `json:"key"`
	Tenant string `json:"tenant"`
	Fix    Fix    `json:"fix"`
}

// Action is the memory of acting that belongs into the document.
type Action struct {
	CoolDown map[string]time.Time `json:"cool_down"` // by shard name: until when nothing is started on it
	LowSince map[string]time.Time `json:"low_since"` // by document entry: since when it is not needed
}

// clone copies what Evaluate changes.
func (s State) clone() State {
	s.Detection.Shards = maps.Clone(s.Detection.Shards)
	if s.Detection.Shards == nil {
		s.Detection.Shards = map[string]Track{}
	}
	for name, t := range s.Detection.Shards {
		if t.Hotspot != nil {
			h := *t.Hotspot
			t.Hotspot = &h
			s.Detection.Shards[name] = t
		}
	}
	s.Action.CoolDown = maps.Clone(s.Action.CoolDown)
	s.Action.LowSince = maps.Clone(s.Action.LowSince)
	return s
}
