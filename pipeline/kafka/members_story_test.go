package kafka

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestStoryNextGen: the consumer protocol of newer brokers, whose session is the broker's.
func TestStoryNextGen(t *testing.T) {
	story(t, 6, func(t *testing.T, s *scene) {
		next := func(c *MemberConfig) { c.NextGen = true }
		a, b := s.join(next), s.join(next)
		for i := range 12 {
			s.run(10 * time.Second)
			switch i % 3 {
			case 0:
				a.crash(t)
				a = s.join(next)
			case 1:
				b.wire.freeze()
				s.run(15 * time.Second)
				b.wire.thaw()
			default:
				b.leave(t)
				b = s.join(next)
			}
		}
		s.run(time.Minute)
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	}, kfake.BrokerConfigs(map[string]string{"group.consumer.session.timeout.ms": "10000", "group.consumer.heartbeat.interval.ms": "2000"}))
}

// TestStoryOneDecider: while members crash, freeze, wake up and leave, at no moment do two decide; there is one again within
// the session and ten seconds; its epoch is always a later one.
func TestStoryOneDecider(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		var mu sync.Mutex
		all := []*actor{s.join(), s.join(), s.join()}
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		var watching sync.WaitGroup
		var last *actor
		epoch, without, longest, changes := int32(-1), time.Now(), time.Duration(0), 0
		watching.Go(func() {
			for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
				mu.Lock()
				var who []*actor
				for _, a := range all {
					e, ok := a.Decider()
					if !ok {
						continue
					}
					who = append(who, a)
					if a != last && e <= epoch {
						t.Errorf("a decider of epoch %d after one of %d", e, epoch)
					}
					if a != last {
						last, changes = a, changes+1
					}
					epoch = e
				}
				mu.Unlock()
				switch len(who) {
				case 0:
					longest = max(longest, time.Since(without))
				case 1:
					without = time.Now()
				default:
					t.Errorf("%d members decide at %v", len(who), time.Now())
				}
			}
		})
		for i := range 9 {
			s.run(20 * time.Second)
			mu.Lock()
			n := 0
			for k, a := range all {
				if a == last {
					n = k
				}
			}
			victim := all[n]
			mu.Unlock()
			switch i % 3 {
			case 0:
				victim.wire.sever() // from now on it believes what it believes
				s.run(15 * time.Second)
				victim.leave(t)
			case 1:
				victim.wire.freeze()
				s.run(20 * time.Second)
				victim.wire.thaw()
				continue
			default:
				victim.leave(t)
			}
			next := s.join()
			mu.Lock()
			all[n] = next
			mu.Unlock()
		}
		s.run(20 * time.Second)
		stop()
		watching.Wait()
		if most := deciderSession + 10*time.Second; longest > most || changes < 6 {
			t.Errorf("%d times another one decided; nobody did for %v, want at most %v", changes, longest, most)
		}
		s.exact(all...)
		for _, a := range all {
			a.leave(t)
		}
	})
}

// TestStoryShutdown: a member that is asked to end publishes what it has counted, leaves its groups, and is gone within
// seconds. Who goes on reads nothing twice, and has its partitions at once.
func TestStoryShutdown(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(30 * time.Second)
		leaves := s.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.LeaveGroup}, Observe: true, Count: -1})
		produced := s.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: PanesTopic("firebreak"), Observe: true, Count: -1})
		var mine []int32
		a.consumers[0].mu.Lock()
		for p := range a.consumers[0].owned {
			mine = append(mine, p.Number)
		}
		a.consumers[0].mu.Unlock()
		s.run(700 * time.Millisecond)
		time.Sleep(600 * time.Millisecond) // for the fetches
		took := a.leave(t)
		if took > 3*time.Second || leaves.Hits() < 2 || produced.Hits() == 0 {
			t.Errorf("it took %v, %d groups were left, %d deltas were published", took, leaves.Hits(), produced.Hits())
		}
		if len(mine) == 0 {
			t.Fatal("it had no partitions")
		}
		for _, n := range mine {
			if got := b.counted()[n]; got != s.ends[n] {
				t.Errorf("partition %d is counted to %d of %d", n, got, s.ends[n])
			}
		}
		from := time.Now()
		for b.owns() < 4 {
			if time.Sleep(100 * time.Millisecond); time.Since(from) > 10*time.Second {
				t.Fatalf("the other one has %d partitions of 4", b.owns())
			}
		}
		s.run(20 * time.Second)
		s.exact(b)
		b.wire.sever()
		if took := b.leave(t); took > 25*time.Second {
			t.Errorf("without a network it took %v", took)
		}
	})
}

// TestStoryBeginsWithoutBrokers: a member that cannot reach anybody waits, and counts once it can.
func TestStoryBeginsWithoutBrokers(t *testing.T) {
	story(t, 2, func(t *testing.T, s *scene) {
		early := newWire(s.net)
		early.freeze()
		a := s.join(func(c *MemberConfig) { c.Clusters[0] = s.config(early).Clusters[0] })
		b := s.join(func(c *MemberConfig) { c.Clusters[0] = s.config(early).Clusters[0] })
		s.run(time.Minute)
		if took := b.leave(t); took > 25*time.Second {
			t.Errorf("without brokers it took %v to end", took)
		}
		early.thaw()
		s.run(2 * time.Minute)
		s.exact(a)
		a.leave(t)
	})
}
