package kafka

import (
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// TestStoryAbsentTopic: of two topics one is not there. That is logged now and then, with its name, in a group and alone; the other
// one is counted.
func TestStoryAbsentTopic(t *testing.T) {
	for _, alone := range []bool{false, true} {
		story(t, 2, func(t *testing.T, s *scene) {
			core, seen := observer.New(zapcore.WarnLevel)
			a := s.join(func(c *MemberConfig) {
				c.Alone, c.Log = alone, zap.New(core)
				c.Clusters[0].Topics = append(c.Clusters[0].Topics, "absent")
				c.Fleets[0].Topics = append(c.Fleets[0].Topics, "main/absent")
			})
			s.run(2 * time.Minute)
			said := 0
			for _, e := range seen.All() {
				if topics, ok := e.ContextMap()["topics"].([]any); ok && len(topics) == 1 && topics[0] == "absent" {
					said++
				}
			}
			const most = 3 // at once, and after each minute
			if said == 0 || said > most {
				t.Errorf("alone %v: told %d times in two minutes, want at least once, and at most %d times", alone, said, most)
			}
			s.exact(a)
			a.leave(t)
		})
	}
}
