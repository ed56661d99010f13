package pipeline

import "time"

// Behind says how far a fleet's window is behind a moment of the log's time, beyond the allowed disorder, and how many of its
// partitions have been silent for too long by then. A fleet is judged when a pane of it closes; this is asked when none does.
// It is false before the window begins.
func (l *Live) Behind(fleet string, now time.Time) (window time.Duration, missing int, ok bool) {
	f := l.ledger.fleet(fleet)
	if f == nil || !f.begun {
		return 0, 0, false
	}
	return f.lag(now), len(l.ledger.missing(f, now)), true
}
