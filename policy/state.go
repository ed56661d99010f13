package policy

import (
	"maps"
	"time"
)

// State is what Evaluate remembers between ticks. Detection belongs to the
// checkpoint of the log, Action to the fleet's document; neither is ever
// changed in place.
type State struct {
	Detection Detection
	Action    Action
}

// Detection is the memory of watching. The zero value is a cold start.
type Detection struct {
	Newest time.Time        // end of the newest pane judged
	Shards map[string]Track // by shard name; those that are or were lately over their line
}

// Track follows one shard.
type Track struct {
	Since   time.Time // pane close since which it is over the line by its numbers, without a break; zero = it is not
	Proved  time.Time // the same by its bounds; zero = the newest close proved nothing
	Onset   time.Time // start of the first pane of the run that Proved ends
	Hotspot *Hotspot
}

// Hotspot is an open hotspot. Line and Target were frozen when it fired.
type Hotspot struct {
	ID        string
	Onset     time.Time
	Fired     time.Time
	Dimension Dimension
	Severity  Severity
	Line      float64 // load/s
	Target    float64 // load/s
	Told      Answer  // what the last firing line said
	Plan      *Plan   // as last shown
	Change    Answer  // what it would say now, if different ...
	Changed   time.Time
	CoolSince time.Time // since when it is under 0.9 x line; zero = it is not
	ToldLoad  float64   // that was told last of the shard, load/s; zero = told by a firebreak that did not say
	GrownFrom time.Time // since when it bears Growth x ToldLoad; zero = it does not
}

// Answer is the part of a verdict that must not flap.
type Answer struct {
	Cause  Cause
	Key    string
	Tenant string
	Fix    Fix
}

// Action is the memory of acting that belongs into the document.
type Action struct {
	CoolDown map[string]time.Time // by shard name: until when nothing is started on it
	LowSince map[string]time.Time // by document entry: since when it is not needed
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
