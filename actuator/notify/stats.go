package notify

import "time"

// Stats is what became of a receiver's notices since the process started, and what waits.
type Stats struct {
	Delivered uint64        // notices that the receiver took
	Retried   uint64        // attempts that failed and are made again
	GaveUp    uint64        // dead letters
	Folded    uint64        // entries told as one of "N more"
	Queued    int           // notices that wait, a summary counted as one
	Oldest    time.Duration // age of the oldest that waits; 0 = none does
}

// Stats returns the counts of a receiver at a time; zero for one that does not exist.
func (q *Queue) Stats(name string, now time.Time) Stats {
	r := q.receivers[name]
	if r == nil {
		return Stats{}
	}
	s := r.stats
	s.Queued = len(r.items)
	for _, i := range r.items {
		s.Oldest = max(s.Oldest, now.Sub(i.at))
	}
	for _, f := range r.folds() {
		s.Queued++
		s.Oldest = max(s.Oldest, now.Sub(f.at))
	}
	return s
}
