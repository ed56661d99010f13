package sketch

import "math"

// span says which panes are complete and inside the window.
type span struct {
	newest int64 // the newest complete pane
	long   int64 // panes of the long window
}

// recentPanes is the number of newest complete panes over which a new name is heavy at once (the attribution window of
// the verdicts starts with three panes).
const recentPanes = 3

// nothingComplete is the newest complete pane before any is; far from both ends of int64.
const nothingComplete = math.MinInt64 / 2

func (s span) holds(pane int64) bool  { return pane <= s.newest && pane > s.newest-s.long }
func (s span) recent(pane int64) bool { return s.holds(pane) && pane > s.newest-recentPanes }

// past tells a pane that has left the window.
func (s span) past(pane int64) bool { return pane <= s.newest-s.long }
