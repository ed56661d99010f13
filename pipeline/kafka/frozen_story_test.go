package kafka

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestStoryLeavesFrozenBrokers: brokers that take requests and answer none any more do not keep a member that is asked to end,
// whatever it waits for: one deadline holds for the delta under way, the last one, and leaving both groups. Who comes after it counts
// what it could not publish.
func TestStoryLeavesFrozenBrokers(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		var frozen atomic.Bool
		s.cluster.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
			s.cluster.KeepControl()
			return nil, nil, frozen.Load()
		})
		for _, after := range []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond, 2500 * time.Millisecond, 7 * time.Second} {
			a := s.join()
			s.run(40 * time.Second) // the one before has to be out of its groups
			if a.owns() == 0 {
				t.Fatal("it counts nothing: the story does not begin")
			}
			frozen.Store(true)
			time.Sleep(after)
			const most = partWait + 3*time.Second // a client waits a second for its sessions at brokers
			if took := a.leave(t); took > most {
				t.Errorf("%v after the brokers froze it took %v to end, want at most %v", after, took, most)
			}
			frozen.Store(false)
		}
		a := s.join()
		s.run(time.Minute)
		s.exact(a)
		a.leave(t)
	})
}
