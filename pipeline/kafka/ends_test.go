package kafka

import (
	"testing"
	"time"
)

// TestStoryEndsOfAll: one of two members crashes, and until the session is over nobody counts its partitions. The other one, which
// gets no delta about them, knows all the same where they end, and that its window is behind.
func TestStoryEndsOfAll(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		long := func(c *MemberConfig) { c.Session, c.Fleets[0].Idle = 2*time.Minute, 30*time.Second }
		a, b := s.join(long), s.join(long)
		s.run(time.Minute)
		if window, missing, ok := a.Behind("orders"); !ok || window > 20*time.Second || missing > 0 {
			t.Errorf("at rest: %v behind, %d missing, %v", window, missing, ok)
		}
		b.crash(t)
		s.run(25 * time.Second)
		if window, missing, ok := a.Behind("orders"); !ok || window < 15*time.Second || missing > 0 {
			t.Errorf("25 s after the crash: %v behind, %d missing, %v", window, missing, ok)
		}
		s.run(25 * time.Second)
		ends := a.Ends(t.Context())["main/"+requests]
		s.mu.Lock()
		for p, want := range s.ends {
			if ends[p] != want {
				t.Errorf("partition %d ends at %d, want %d", p, ends[p], want)
			}
		}
		s.mu.Unlock()
		behind, told := 0, 0
		for p, progress := range a.View().Counted {
			if ends[p.Number]-progress.To > 100 {
				behind++
				if progress.End-progress.To > 100 {
					told++
				}
			}
		}
		if behind != 2 || told != 0 {
			t.Errorf("of %d partitions many records are not counted, as deltas say of %d; want 2, and 0", behind, told)
		}
		if _, missing, _ := a.Behind("orders"); missing != 2 {
			t.Errorf("50 s after the crash %d are missing", missing)
		}
		a.leave(t)
		if ends := a.Ends(t.Context()); len(ends["main/"+requests]) > 0 {
			t.Errorf("ends that nobody can be asked for: %v", ends)
		}
	})
}
