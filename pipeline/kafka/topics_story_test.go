package kafka

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"firebreak/pipeline"
	"firebreak/policy"
)

// TestStoryDeletedRecords: records are deleted before they are read. Their number lowers the coverage, and counting goes on
// behind them.
func TestStoryDeletedRecords(t *testing.T) {
	story(t, 2, func(t *testing.T, s *scene) {
		a := s.join()
		s.run(time.Minute)
		a.wire.freeze()
		s.run(20 * time.Second)
		gone := 0.0
		for n := range s.parts {
			before := a.counted()[n]
			if err := s.cluster.DeleteRecords(requests, n, s.ends[n]); err != nil {
				t.Fatal(err)
			}
			gone += float64(s.ends[n] - before)
		}
		s.run(2 * time.Second)
		a.wire.thaw()
		s.run(time.Minute)
		time.Sleep(time.Minute)
		for n, end := range s.ends {
			if got := a.counted()[n]; got != end {
				t.Errorf("partition %d is counted to %d of %d", n, got, end)
			}
		}
		d, _ := a.decided()
		last := d[len(d)-1]
		if partial := slices.ContainsFunc(last.Holds, func(h policy.Hold) bool { return h.Reason == policy.HoldPartial }); gone == 0 || !last.Blind || !partial {
			t.Errorf("%v records are gone, and it is decided %+v; want blind: partial", gone, last)
		}
		a.leave(t)
	})
}

// TestStoryLogOfDeltasIsShortened: what a follower has yet to read of the log of deltas is deleted. It starts over at a
// checkpoint and agrees with the others.
func TestStoryLogOfDeltasIsShortened(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(2 * time.Minute)
		b.wire.freeze()
		s.run(2 * time.Minute)
		at := a.View().Next - 20 // so that a checkpoint is left
		if err := s.cluster.DeleteRecords(PanesTopic("firebreak"), 0, at); err != nil {
			t.Fatal(err)
		}
		b.wire.thaw()
		s.run(3 * time.Minute)
		s.exact(a, b)
		for a.View().Next != b.View().Next {
			time.Sleep(100 * time.Millisecond)
		}
		if diff := cmp.Diff(a.View().Counted, b.View().Counted, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".First" }, cmp.Ignore())); diff != "" {
			t.Errorf("two members do not agree (-a +b):\n%s", diff)
		}
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryLogOfDeltasIsMadeAnew: all members start over, agree, and go on where they were.
func TestStoryLogOfDeltasIsMadeAnew(t *testing.T) {
	story(t, 4, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		s.run(2 * time.Minute)
		seed, gone := a.View().Seed, time.Now()
		if err := s.cluster.DeleteTopic(PanesTopic("firebreak")); err != nil {
			t.Fatal(err)
		}
		s.run(3 * time.Second)
		e := &Ensure{Client: s.client, Brokers: s.cluster.ListenAddrs()}
		if err := e.EnsureTopics(context.WithoutCancel(t.Context()), Topics("firebreak", time.Hour)[:1]); err != nil {
			t.Fatal(err)
		}
		s.run(3 * time.Minute)
		s.exact(a, b)
		if a.View().Seed == seed || a.View().Seed != b.View().Seed {
			t.Errorf("seeds %x and %x after %x", a.View().Seed, b.View().Seed, seed)
		}
		if _, first, _ := a.total(t); first < gone.Add(-30*time.Second).UnixNano()/int64(scenePane) {
			t.Errorf("the new log begins at pane %d: what was counted before is counted again", first)
		}
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryTopicIsMadeAnew: the request log is deleted and made again under its name. What was counted stays, and the new life
// is counted from its beginning.
func TestStoryTopicIsMadeAnew(t *testing.T) {
	for _, partitions := range []int32{4, 2} {
		story(t, 4, func(t *testing.T, s *scene) {
			a, b := s.join(), s.join()
			s.run(time.Minute)
			time.Sleep(10 * time.Second) // so that all of it is counted
			for range 2 {
				if err := s.cluster.DeleteTopic(requests); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(s.rng.IntN(8000)) * time.Millisecond)
				if err := s.cluster.CreateTopic(requests, partitions, nil); err != nil {
					t.Fatal(err)
				}
				s.client.PurgeTopicsFromProducing(requests)
				s.parts, s.ends = partitions, map[int32]int64{}
				s.run(time.Minute)
				time.Sleep(10 * time.Second)
			}
			s.exact(a, b)
			a.leave(t)
			b.leave(t)
		})
	}
}

// TestStoryTopicGrows: the request log gets more partitions while it runs; they are counted from their first record on.
func TestStoryTopicGrows(t *testing.T) {
	story(t, 2, func(t *testing.T, s *scene) {
		newest := func(c *MemberConfig) { c.Start = nil } // a new group would begin at the newest record
		a, b := s.join(newest), s.join(newest)
		time.Sleep(10 * time.Second)
		s.run(time.Minute)
		for _, to := range []int{5, 9} {
			if _, err := s.adm.UpdatePartitions(context.WithoutCancel(t.Context()), to, requests); err != nil {
				t.Fatal(err)
			}
			time.Sleep(300 * time.Millisecond)
			s.client.ForceMetadataRefresh()
			time.Sleep(300 * time.Millisecond)
			s.parts = int32(to)
			s.run(30 * time.Second)
			if to == 5 {
				a.crash(t)
				a = s.join(newest)
			}
			s.run(time.Minute)
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryStartsTogether: partitions that nobody has counted yet begin where those did that others have, not at the oldest
// record, nor at the newest.
func TestStoryStartsTogether(t *testing.T) {
	story(t, 8, func(t *testing.T, s *scene) {
		s.run(30 * time.Second)
		log, err := OpenLog(s.opts, PanesTopic("firebreak"), 0)
		if err != nil {
			t.Fatal(err)
		}
		const seed = 5
		tick, err := pipeline.NewTick(newInstance(), []pipeline.LiveFleet{s.fleet()}, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		tick.Assign(pipeline.Topic{ID: s.cluster.TopicInfo(requests).TopicID, Name: "main/" + requests, Partitions: s.parts}, 0, s.ends[0], nil)
		one, err := tick.Seal(func(pipeline.Partition) int64 { return s.ends[0] })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(context.WithoutCancel(t.Context()), pipeline.Genesis(seed), one.Entry); err != nil {
			t.Fatal(err)
		}
		log.Close()
		told := time.Now()
		s.sums = map[int64]float64{} // nobody asked for what was before
		time.Sleep(time.Second)
		s.run(20 * time.Second)
		newest := func(c *MemberConfig) { c.Start = nil }
		a, b := s.join(newest), s.join(newest)
		s.run(time.Minute)
		s.exact(a, b)
		v := a.View()
		for n := range s.parts {
			p := v.Counted[pipeline.Partition{Topic: v.Topics[0].ID, Number: n}]
			if late := time.Unix(0, p.First).Sub(told); late < 0 || late > 15*time.Second {
				t.Errorf("partition %d is counted from %v after the others on", n, late)
			}
		}
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryBrokerRestarts: the broker ends and starts again from its disk.
func TestStoryBrokerRestarts(t *testing.T) {
	dir := t.TempDir()
	story(t, 4, func(t *testing.T, s *scene) {
		a, b := s.join(), s.join()
		for range 3 {
			s.run(30 * time.Second)
			s.cluster.Close()
			time.Sleep(5 * time.Second)
			var err error
			s.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(s.net.Listen), kfake.DataDir(dir))
			if err != nil {
				t.Fatal(err)
			}
			s.run(30 * time.Second)
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	}, kfake.DataDir(dir))
}

// TestStoryAlone: one process counts all partitions by itself, also those by which the topic grows and a topic that is made
// anew. It writes nothing anywhere.
func TestStoryAlone(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		ctx := context.WithoutCancel(t.Context())
		panes := PanesTopic("firebreak")
		if err := s.cluster.DeleteTopic(panes); err != nil {
			t.Fatal(err)
		}
		a := s.join(func(c *MemberConfig) { c.Alone = true })
		s.run(time.Minute)
		if _, err := s.adm.UpdatePartitions(ctx, 5, requests); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		s.client.ForceMetadataRefresh()
		time.Sleep(300 * time.Millisecond)
		s.parts = 5
		s.run(time.Minute)
		time.Sleep(10 * time.Second)
		if err := s.cluster.DeleteTopic(requests); err != nil {
			t.Fatal(err)
		}
		if err := s.cluster.CreateTopic(requests, 5, nil); err != nil {
			t.Fatal(err)
		}
		s.client.PurgeTopicsFromProducing(requests)
		s.ends = map[int32]int64{}
		s.run(time.Minute)
		s.exact(a)
		if d, _ := a.decided(); len(d) < 10 {
			t.Errorf("%d decisions", len(d))
		}
		if d := a.leave(t); d > 5*time.Second {
			t.Errorf("it ends after %v", d)
		}
		all, err := s.adm.ListTopicsWithInternal(ctx)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := s.adm.ListGroups(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 1 || !all.Has(requests) || len(groups) > 0 {
			t.Errorf("topics %v, groups %v, want the request log and nothing else", all.Names(), groups.Groups())
		}
	})
}

// TestStoryTwoClusters: one fleet reads topics of two clusters, and our topics are on the first.
func TestStoryTwoClusters(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		east := &scene{t: t, parts: 2, ends: map[int32]int64{}, sums: map[int64]float64{}, rng: s.rng}
		east.begin([]kfake.Opt{kfake.SeedTopics(2, requests)})
		if err := east.cluster.DeleteTopic(PanesTopic("firebreak")); err != nil {
			t.Fatal(err)
		}
		both := func(c *MemberConfig) {
			wire := newWire(east.net)
			opts, err := Options(Cluster{Brokers: east.cluster.ListenAddrs()})
			if err != nil {
				t.Fatal(err)
			}
			c.Clusters = append(c.Clusters, Connection{Name: "east", Opts: append(opts, kgo.Dialer(wire.dial)), Topics: []string{requests}})
			c.Fleets[0].Topics = append(c.Fleets[0].Topics, "east/"+requests)
			c.Start["east/"+requests] = time.Hour
		}
		a, b := s.join(both), s.join(both)
		for i := range 90 {
			s.write(20)
			east.write(10)
			time.Sleep(time.Second)
			if i == 45 {
				a.leave(t)
				a = s.join(both)
			}
		}
		want := map[string]int64{}
		for name, of := range map[string]*scene{"main/" + requests: s, "east/" + requests: east} {
			for _, end := range of.ends {
				want[name] += end
			}
		}
		for pane, n := range east.sums {
			s.sums[pane] += n
		}
		s.ends = nil // partitions of two topics have the same numbers
		s.exact(a, b)
		got := map[string]int64{}
		v := b.View()
		for p, progress := range v.Counted {
			for _, topic := range v.Topics {
				if topic.ID == p.Topic {
					got[topic.Name] += progress.To
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("counted (-want +got):\n%s", diff)
		}
		a.leave(t)
		b.leave(t)
		east.client.Close()
		east.cluster.Close()
	})
}
