package kafka

import (
	"testing"
	"time"
)

// TestStoryOfManyMembers: members join, leave and crash every 300 ms to a few seconds while records keep coming.
func TestStoryOfManyMembers(t *testing.T) {
	story(t, 6, func(t *testing.T, s *scene) {
		all := []*actor{s.join()}
		s.run(20 * time.Second)
		for i := range 30 {
			switch {
			case len(all) < 2 || i%3 == 0:
				all = append(all, s.join())
			case i%3 == 1:
				all[0].leave(t)
				all = all[1:]
			default:
				n := s.rng.IntN(len(all))
				all[n].crash(t)
				all = append(all[:n], all[n+1:]...)
			}
			if s.rng.IntN(2) == 0 {
				s.run(300 * time.Millisecond)
			} else {
				s.run(time.Duration(s.rng.IntN(8)) * time.Second)
			}
		}
		s.run(time.Minute)
		s.exact(all...)
		for _, a := range all {
			if d := a.leave(t); d > 10*time.Second {
				t.Errorf("leaving took %v", d)
			}
		}
	})
}
