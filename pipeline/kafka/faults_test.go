package kafka

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/policy"
)

// TestStoryS08: for ten minutes no coordinator is found and every fetch fails. We say so within a minute and go on saying it,
// the open hotspot stays open, and a minute after the faults all is as before, without a restart.
func TestStoryS08(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		s.heat = 2000
		a, b := s.join(), s.join()
		s.run(4 * time.Minute)
		open := func(m *actor) []policy.Verdict {
			d, _ := m.decided()
			return d[len(d)-1].Open
		}
		if len(open(a)) == 0 {
			t.Fatal("no hotspot: the story does not begin")
		}
		id, fault := open(a)[0].Hotspot, time.Now()
		faults := s.cluster.Fault(
			kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.OffsetFetch, kmsg.OffsetCommit}, Err: kerr.NotCoordinator, Count: -1},
			kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1},
			kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.UnknownServerError, Count: -1},
		)
		s.run(10 * time.Minute)
		faults.Remove()
		back := time.Now()
		s.run(2 * time.Minute)
		for n, m := range []*actor{a, b} {
			decisions, times := m.decided()
			blind, sighted := time.Time{}, time.Time{}
			for i := range decisions {
				d, at := &decisions[i], times[i]
				for _, v := range d.Verdicts {
					if at.After(fault) && v.Phase == policy.PhaseResolved {
						t.Errorf("member %d: resolved %v after the faults began", n, at.Sub(fault))
					}
				}
				switch {
				case d.Blind && blind.IsZero() && at.After(fault):
					blind = at
				case !d.Blind && sighted.IsZero() && at.After(back):
					sighted = at
				case !d.Blind && at.After(fault.Add(90*time.Second)) && at.Before(back):
					t.Errorf("member %d: sure of itself %v after the faults began", n, at.Sub(fault))
				}
			}
			if d := blind.Sub(fault); blind.IsZero() || d > time.Minute+scenePane+5*time.Second {
				t.Errorf("member %d: blind after %v", n, d)
			}
			if d := sighted.Sub(back); sighted.IsZero() || d > time.Minute {
				t.Errorf("member %d: sees again after %v", n, d)
			}
			if now := open(m); len(now) != 1 || now[0].Hotspot != id {
				t.Errorf("member %d: open hotspots %+v, want %s", n, now, id)
			}
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	})
}

// TestStorySlowBroker: everything that members send takes most of a second.
func TestStorySlowBroker(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(30 * time.Second)
		for _, m := range []*actor{a, b} {
			m.wire.mu.Lock()
			m.wire.delay = 700 * time.Millisecond
			m.wire.mu.Unlock()
		}
		s.run(3 * time.Minute)
		c := s.join()
		s.run(time.Minute)
		b.leave(t)
		s.run(time.Minute)
		s.exact(a, c)
		a.leave(t)
		c.leave(t)
	})
}

// TestStoryLostReplies: appends to the log of deltas fail, some of them after they took effect.
func TestStoryLostReplies(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(20 * time.Second)
		panes := PanesTopic("firebreak")
		for i := range 40 {
			err := []*kerr.Error{kerr.RequestTimedOut, kerr.NotEnoughReplicasAfterAppend, kerr.NotLeaderForPartition, kerr.UnknownServerError}[i%4]
			count := 1 + s.rng.IntN(3)
			if i%8 < 2 {
				count = -1 // for longer than an append waits: it took effect, and nobody says so
			}
			h := s.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: panes, Err: err, Count: count})
			s.run(time.Duration(3+s.rng.IntN(12)) * time.Second)
			h.Remove()
		}
		if a.live == nil {
			t.Fatal("nothing is followed")
		}
		s.run(time.Minute)
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryTransactions: the request log is written in transactions, of which some are aborted.
func TestStoryTransactions(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		client, err := kgo.NewClient(append(s.opts, kgo.TransactionalID("tx"))...)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		a, b := s.join(), s.join()
		ctx := context.WithoutCancel(t.Context())
		for i := range 60 {
			if err := client.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			commit := i%3 > 0
			now := time.Now()
			for range 10 {
				value, n := s.value(now)
				r := &kgo.Record{Topic: requests, Partition: s.rng.Int32N(s.parts), Value: value}
				if err := client.ProduceSync(ctx, r).FirstErr(); err != nil {
					t.Fatal(err)
				}
				if commit {
					s.sums[now.UnixNano()/int64(scenePane)] += float64(n)
				}
			}
			time.Sleep(time.Duration(s.rng.IntN(3000)) * time.Millisecond) // open while others read on
			if err := client.EndTransaction(ctx, kgo.TransactionEndTry(commit)); err != nil {
				t.Fatal(err)
			}
			if i == 30 {
				b.crash(t)
				b = s.join()
			}
		}
		ends, err := s.adm.ListEndOffsets(ctx, requests)
		if err != nil {
			t.Fatal(err)
		}
		for n := range s.parts {
			end, _ := ends.Lookup(requests, n)
			s.ends[n] = end.Offset // behind the last marker
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryFrozen: a member stops in the middle of an append, with its partitions and all it believes, and wakes up when
// others have counted them. It doubles nothing, it keeps nobody from counting, and it counts again itself.
func TestStoryFrozen(t *testing.T) {
	story(t, 6, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(20 * time.Second)
		for range 5 {
			hold := make(chan struct{})
			b.consumers[0].mu.Lock()
			whole := b.consumers[0].append
			b.consumers[0].append = func(ctx context.Context, delta []byte) error {
				<-hold // its deadline passes meanwhile, and the delta goes out nevertheless
				return whole(context.WithoutCancel(ctx), delta)
			}
			b.consumers[0].mu.Unlock()
			s.run(3 * time.Second)
			b.wire.freeze()
			before := a.counted()
			s.run(40 * time.Second)
			for n := range s.parts {
				if a.counted()[n] <= before[n] {
					t.Errorf("partition %d is counted by nobody", n)
				}
			}
			b.wire.thaw()
			b.consumers[0].append = whole // it has the lock, and waits
			close(hold)
			before = a.counted()
			s.run(30 * time.Second)
			for n := range s.parts {
				if a.counted()[n] <= before[n] {
					t.Errorf("partition %d is counted by nobody since the member woke up", n)
				}
			}
			if b.owns() == 0 {
				t.Error("the member that woke up counts nothing")
			}
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	})
}

// owns is how many partitions a member counts.
func (a *actor) owns() (n int) {
	for _, c := range a.consumers {
		c.mu.Lock()
		if c.tick != nil {
			n += c.tick.Parts()
		}
		c.mu.Unlock()
	}
	return n
}
