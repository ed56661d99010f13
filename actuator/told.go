package actuator

import (
	"maps"
	"slices"
	"time"

	"firebreak/internal/line"
)

// Told is what a Scribe remembers of one fleet between ticks, so that what repeats is told once. The zero value has told
// nothing. It travels as JSON in the checkpoint beside policy.State, and is never changed in place.
type Told struct {
	Judged   time.Time      `json:"judged"` // end of the newest pane that was judged
	Hotspots []line.Name    `json:"hotspots"`
	Holds    []ToldHold     `json:"holds"`
	Plans    []ToldPlan     `json:"plans"`
	Advice   []ToldAdvice   `json:"advice"`
	Sight    Sight          `json:"sight"`
	Pane     time.Time      `json:"pane"`  // end of the newest complete pane
	Again    map[string]int `json:"again"` // how often each id was given at this pane
}

// ToldHold is a hold that was told and is not over.
type ToldHold struct {
	Hotspot line.Name `json:"hotspot"`
	Reason  string    `json:"reason"`
	Absent  time.Time `json:"absent"` // since when it is not given; zero = it is
}

// ToldPlan is a plan that was told and is not over.
type ToldPlan struct {
	Hotspot line.Name `json:"hotspot"` // empty: it undoes something
	ID      line.Name `json:"id"`
	Absent  time.Time `json:"absent"`
}

// ToldAdvice is an advice that was told and is not over.
type ToldAdvice struct {
	Shard  line.Name `json:"shard"`
	Topic  string    `json:"topic"`
	Level  string    `json:"level"`
	Absent time.Time `json:"absent"`
}

// Sight is whether it was told that the input cannot be judged.
//
//	sighted --blind for blindAfter--> blind --sighted for sightedAfter--> sighted
type Sight struct {
	Blind bool      `json:"blind"` // as it was told
	Since time.Time `json:"since"` // since when it is the other way round, without a break; zero = it is not
	Pane  time.Time `json:"pane"`  // the newest complete one then
}

func (t *Told) clone() Told {
	out := *t
	out.Hotspots, out.Holds, out.Plans, out.Advice = slices.Clone(t.Hotspots), slices.Clone(t.Holds), slices.Clone(t.Plans), slices.Clone(t.Advice)
	out.Again = maps.Clone(t.Again)
	return out
}

// forget drops a hotspot and all that was told about it.
func (t *Told) forget(hotspot line.Name) {
	t.Hotspots = slices.DeleteFunc(t.Hotspots, func(h line.Name) bool { return h == hotspot })
	t.Holds = slices.DeleteFunc(t.Holds, func(h ToldHold) bool { return h.Hotspot == hotspot })
	t.Plans = slices.DeleteFunc(t.Plans, func(p ToldPlan) bool { return p.Hotspot == hotspot })
}
