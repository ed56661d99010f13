package health

import (
	"time"
)

// Stats is how a source did since the process started.
type Stats struct {
	Source   string
	Answered uint64    // readings in which every query was answered
	Failed   uint64    // others
	Whole    time.Time // of the last that was answered; zero = none was
	Known    int       // readings that count now
	Unread   int       // readings that it gave before and that count no more
}

func (s *source) count(answered bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !answered {
		s.stats.Failed++
		return
	}
	s.stats.Answered++
	s.stats.Whole = now
}

// Stats gives those of every source, in the order of the configuration, at a moment of this process's clock.
func (f *Fleet) Stats(now time.Time) []Stats {
	var all []Stats
	for _, s := range f.sources {
		s.mu.Lock()
		out := s.stats
		s.mu.Unlock()
		out.Source = s.name
		for _, r := range s.kept() {
			if r.counts(now) {
				out.Known++
			} else {
				out.Unread++
			}
		}
		all = append(all, out)
	}
	return all
}
