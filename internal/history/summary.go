package history

import (
	"time"

	"firebreak/actuator"
	"firebreak/policy"
	"firebreak/routing"
)

// Tick is one evaluation of one fleet. It is only read; but the snapshot, the tables and the maps in it are kept and must not
// change afterwards, as those of policy never do.
type Tick struct {
	Snapshot *policy.Snapshot
	Config   *policy.Config
	Before   *policy.State    // as given to Evaluate
	Now      time.Time        // the same
	Decision *policy.Decision // what it returned ...
	After    *policy.State    // ... both of it
	Keys     int              // distinct ones in the window; 0 = not known
	Tenants  int              // the same
}

// Summary makes the minutes of a group of fleets. What it remembers is the next minute of each: it travels in checkpoints, see
// [Keeper.Save], and an instance that begins without it makes no minute that ended before its first tick.
//
// A minute is made once, of the first tick that has a complete pane past its end, and of nothing else. So two
// instances that judge the same ticks make the same minutes. NewSummary makes it; it belongs to one goroutine.
type Summary struct {
	redact actuator.Redact
	next   map[string]int64 // by escaped fleet: the first minute that was not made, in minutes since 1970
}

// NewSummary makes one that has seen nothing. redact hides the names in its minutes; nil = none are hidden.
func NewSummary(redact actuator.Redact) *Summary {
	return &Summary{redact: redact, next: map[string]int64{}}
}

// Judged takes the next tick and gives the minutes that it ends, oldest first: one as a rule, more after panes that came
// too late to be judged one by one. A minute without any pane in the window is not made.
func (s *Summary) Judged(t *Tick) []Minute {
	snap := t.Snapshot
	if snap.Table == nil || len(snap.Panes) == 0 || snap.Whole || snap.Inputs.Timeless {
		return nil
	}
	end := snap.Panes[len(snap.Panes)-1].Start.Add(snap.Pane)
	over := minuteOf(end) // minutes before it are over
	fleet := routing.Escape(snap.Fleet)
	next, known := s.next[fleet]
	if !known || over <= next {
		s.next[fleet] = max(next, over)
		return nil
	}
	s.next[fleet] = over
	var out []Minute
	for m := max(next, minuteOf(snap.Panes[0].Start)); m < over; m++ {
		made, ok := minuteAt(t, time.Unix(m*60, 0).UTC())
		if !ok {
			continue
		}
		if m == over-1 {
			made.peaks(t)
		}
		made.redact(s.redact)
		out = append(out, *made)
	}
	return out
}

// minuteOf is the minute that a time lies in, in minutes since 1970.
func minuteOf(t time.Time) int64 {
	sec := t.Unix()
	m := sec / 60
	if sec%60 < 0 {
		m--
	}
	return m
}
