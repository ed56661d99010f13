package kafka

import (
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/pipeline"
)

// hearsay is an Observer that knows when each member's deltas came.
type hearsay struct {
	noObserver

	mu   sync.Mutex
	came map[pipeline.Instance][]time.Time
}

func (h *hearsay) Entry(out *pipeline.Outcome, _ int) {
	if !out.Delta {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.came[out.By] = append(h.came[out.By], time.Now())
}

// of is how many deltas of a member came between two moments.
func (h *hearsay) of(id pipeline.Instance, from, to time.Time) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range h.came[id] {
		if !at.Before(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// TestStoryZombie: the heartbeats of one member of a KIP-848 group are not answered any more, while all else that it sends is. Its
// session runs out, and from then on it appends no delta, although it still fetches and may append; the other one counts what was
// its own. When it is answered again it counts again, and nothing is lost or doubled.
func TestStoryZombie(t *testing.T) {
	const session = 10 * time.Second
	story(t, 4, func(t *testing.T, s *scene) {
		heard := &hearsay{came: map[pipeline.Instance][]time.Time{}}
		next := func(c *MemberConfig) { c.NextGen, c.Session = true, session }
		a, b := s.join(next, func(c *MemberConfig) { c.Observe = heard }), s.join(next)
		begun := time.Now()
		s.run(30 * time.Second)
		zombie, id := b.consumers[0], b.consumers[0].id
		if b.owns() == 0 || heard.of(id, begun, time.Now()) < 5 {
			t.Fatalf("it has %d partitions: the story does not begin", b.owns())
		}
		member, _ := zombie.client.GroupMetadata()
		deaf := make(chan struct{})
		s.cluster.ControlKey(int16(kmsg.ConsumerGroupHeartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
			select {
			case <-deaf:
				return nil, nil, false
			default:
			}
			s.cluster.KeepControl()
			beat, _ := req.(*kmsg.ConsumerGroupHeartbeatRequest)
			return nil, nil, beat.MemberID == member
		})
		out := time.Now().Add(session) // at the latest: the newest answer was to what was sent before
		s.run(session)
		before := a.counted()
		s.run(time.Minute)
		if n := heard.of(id, out, time.Now()); n > 0 {
			t.Errorf("it appended %d deltas after its lease ran out", n)
		}
		for n := range s.parts {
			if a.counted()[n] <= before[n] {
				t.Errorf("partition %d is counted by nobody", n)
			}
		}
		close(deaf)
		back := time.Now()
		s.run(time.Minute)
		if heard.of(id, back, time.Now()) == 0 {
			t.Error("it counts nothing, although it is answered again")
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	}, kfake.BrokerConfigs(map[string]string{"group.consumer.session.timeout.ms": "10000", "group.consumer.heartbeat.interval.ms": "2000"}))
}
