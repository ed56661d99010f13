package kafka

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"firebreak/policy"
)

// TestStoryJoinersClock: a member that joins at a checkpoint which is minutes old knows what time it is before it counts: none of
// the records of now is one of the future to it.
func TestStoryJoinersClock(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		brief := func(c *MemberConfig) { c.Fleets[0].Window, c.Start = 2*time.Minute, nil }
		a := s.join(brief)
		time.Sleep(5 * time.Second)
		s.run(8 * time.Minute)
		seen := &witness{}
		b := s.join(brief, func(c *MemberConfig) { c.Observe = seen })
		s.run(5 * time.Second)
		a.crash(t)
		s.run(2 * time.Minute)
		s.exact(b)
		if stats, _ := seen.so(); stats.Future > 0 || stats.Counted == 0 {
			t.Errorf("of the records of now it took %d for those of the future, and counted %d", stats.Future, stats.Counted)
		}
		log, _ := b.deltas.(*Log)
		at, _, err := b.find(context.WithoutCancel(t.Context()), log)
		if err != nil || at == nil || time.Since(at.At) < 2*checkpointEvery {
			t.Errorf("a joiner begins at %+v, %v: want a checkpoint that is minutes old", at, err)
		}
		b.leave(t)
	})
}

// TestStoryWrongClocks: the clocks of members' machines are hours wrong. Nothing is refused for it, and all agree.
func TestStoryWrongClocks(t *testing.T) {
	story(t, 6, func(t *testing.T, s *scene) {
		var all []*actor
		var seen []*witness
		wrong := []time.Duration{-3 * time.Hour, 5 * time.Hour, 40 * time.Second}
		for _, by := range wrong {
			w := &witness{}
			m := s.prepare(func(c *MemberConfig) { c.Observe = w })
			m.clock.machine = func() time.Time { return time.Now().Add(by) }
			m.start(t)
			all, seen = append(all, m), append(seen, w)
			s.run(10 * time.Second)
		}
		s.run(6 * time.Minute)
		s.exact(all...)
		for i, m := range all {
			stats, _ := seen[i].so()
			if stats.Future > 0 || stats.Late > 0 || stats.Counted == 0 {
				t.Errorf("member %d, whose clock is %v off: future %d, late %d, counted %d", i, wrong[i], stats.Future, stats.Late, stats.Counted)
			}
			if blind, n := m.blindFor(time.Now().Add(-5*time.Minute), time.Now().Add(-time.Minute)); blind > 0 || n < 20 {
				t.Errorf("member %d: %d of %d decisions are blind", i, blind, n)
			}
			m.leave(t)
		}
	})
}

// TestStoryOwnsNone: more members than partitions. Who has none follows and decides like the others, and takes over.
func TestStoryOwnsNone(t *testing.T) {
	story(t, 2, func(t *testing.T, s *scene) {
		s.heat = 2000
		all := []*actor{s.join(), s.join(), s.join()}
		s.run(4 * time.Minute)
		time.Sleep(5 * time.Second) // until everybody has read what is written
		var none *actor
		for _, m := range all {
			switch n := m.owns(); {
			case n == 0 && none == nil:
				none = m
			case n != 1:
				t.Errorf("a member has %d of 2 partitions", n)
			}
		}
		if none == nil {
			t.Fatal("every member has a partition")
		}
		for _, m := range all {
			if diff := cmp.Diff(m.counted(), none.counted()); diff != "" || !m.Current() {
				t.Errorf("current: %v; not at one with the member that has none: %s", m.Current(), diff)
			}
			d, _ := m.decided()
			if last := d[len(d)-1]; last.Blind || len(last.Open) != 1 {
				t.Errorf("decided %+v, want one open hotspot", last)
			}
		}
		for _, m := range all {
			if m != none {
				m.crash(t)
			}
		}
		s.run(2 * time.Minute)
		if n := none.owns(); n != 2 {
			t.Errorf("the last one has %d of 2 partitions", n)
		}
		if _, ok := none.Decider(); !ok {
			t.Error("the last one does not decide")
		}
		s.exact(none)
		none.leave(t)
	})
}

// TestStoryMidTick: partitions change hands in the middle of a tick, with records counted that no delta has yet. In an orderly
// change no delta is rejected: what was counted is published before the partition is given up.
func TestStoryMidTick(t *testing.T) {
	story(t, 6, func(t *testing.T, s *scene) {
		seen := &witness{}
		slow := func(c *MemberConfig) { c.Tick, c.Observe = 10*time.Second, seen }
		a := s.join(slow)
		s.run(30 * time.Second)
		counting := 0
		for i := range 12 {
			s.run(time.Duration(3700+i*410) * time.Millisecond)
			a.consumers[0].mu.Lock()
			for id := range a.consumers[0].owned {
				if a.consumers[0].tick.Part(id).Moved() {
					counting++
					break
				}
			}
			a.consumers[0].mu.Unlock()
			b := s.join(slow)
			s.run(time.Duration(9000+s.rng.IntN(9000)) * time.Millisecond)
			if b.owns() == 0 {
				t.Error("the partitions did not change hands")
			}
			b.leave(t)
		}
		s.run(30 * time.Second)
		s.exact(a)
		if _, rejected := seen.so(); len(rejected) > 0 || counting < 9 {
			t.Errorf("rejected %q; in %d of 12 changes something was counted", rejected, counting)
		}
		a.leave(t)
	})
}

// TestStoryBrokerLoss: of three brokers one after the other is lost and comes back; leaders and coordinators move.
func TestStoryBrokerLoss(t *testing.T) {
	story(t, 6, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(30 * time.Second)
		for node := range int32(3) {
			moved := s.cluster.CoordinatorFor("firebreak") == node || s.cluster.LeaderFor(PanesTopic("firebreak"), 0) == node
			if err := s.cluster.RemoveNode(node); err != nil {
				t.Fatal(err)
			}
			t.Logf("broker %d is lost; it led the log of deltas or the group: %v", node, moved)
			s.run(40 * time.Second)
			if _, _, err := s.cluster.AddNode(node, 9092+int(node)); err != nil {
				t.Fatal(err)
			}
			s.cluster.ShufflePartitionLeaders()
			s.cluster.RehashCoordinators()
			s.run(30 * time.Second)
		}
		s.run(30 * time.Second)
		s.exact(a, b)
		for n, m := range []*actor{a, b} {
			if blind, all := m.blindFor(time.Now().Add(-80*time.Second), time.Now().Add(-time.Minute)); blind > 0 || all < 2 {
				t.Errorf("member %d: %d of %d decisions are blind in the end", n, blind, all)
			}
		}
		a.leave(t)
		b.leave(t)
	}, kfake.NumBrokers(3), kfake.Ports(9092, 9093, 9094))
}

// TestStoryTruncated: a partition loses its newest records, which were counted already. That is said, and what is written in
// their place is counted.
func TestStoryTruncated(t *testing.T) {
	dir := t.TempDir()
	story(t, 2, func(t *testing.T, s *scene) {
		a := s.join()
		s.run(time.Minute)
		restart := func(meanwhile func()) {
			s.cluster.Close()
			meanwhile()
			var err error
			s.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(s.net.Listen), kfake.DataDir(dir))
			if err != nil {
				t.Fatal(err)
			}
		}
		old := t.TempDir()
		var kept int64
		restart(func() { // so that what is copied is whole
			kept = s.ends[0]
			if err := os.CopyFS(old, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
		})
		s.run(20 * time.Second)
		time.Sleep(10 * time.Second)
		lost := a.counted()[0] - kept
		if lost <= 0 || a.counted()[0] != s.ends[0] {
			t.Fatalf("counted to %d of %d, of which %d are kept: the story is not told", a.counted()[0], s.ends[0], kept)
		}
		restart(func() { putBack(t, old, dir, requests, 0) })
		s.client.PurgeTopicsFromProducing(requests)
		s.ends[0] = kept
		time.Sleep(15 * time.Second) // or the log is as long again before anybody looks, and these brokers keep no epochs that would tell
		s.run(time.Minute)
		time.Sleep(time.Minute)
		for n, end := range s.ends {
			if got := a.counted()[n]; got != end {
				t.Errorf("partition %d is counted to %d of %d", n, got, end)
			}
		}
		d, _ := a.decided()
		partial := false
		for i := range d {
			for _, h := range d[i].Holds {
				partial = partial || h.Reason == policy.HoldPartial
			}
		}
		if !partial {
			t.Errorf("%d records are lost, and nobody says so", lost)
		}
		a.leave(t)
	}, kfake.DataDir(dir))
}

// putBack puts the files of one partition back to what they were.
func putBack(t *testing.T, from, to, topic string, partition int) {
	t.Helper()
	name, found := fmt.Sprintf("%s-%d", topic, partition), false
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || d.Name() != name {
			return err
		}
		found = true
		into := filepath.Join(to, strings.TrimPrefix(path, from))
		if err := os.RemoveAll(into); err != nil {
			return err
		}
		return os.CopyFS(into, os.DirFS(path))
	})
	if err != nil || !found {
		t.Fatalf("files of %s: found %v, %v", name, found, err)
	}
}
