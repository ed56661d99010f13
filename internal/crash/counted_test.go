package crash

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/routing"
)

func began() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// counting is an instance that counts one partition, and the log of deltas that it writes.
type counting struct {
	t     *testing.T
	c     *Counted
	tick  *pipeline.Tick
	topic pipeline.Topic
	part  pipeline.Partition
	log   int64
	next  int64 // offset of the next record
	tally *Tally
}

func newCounting(t *testing.T) *counting {
	t.Helper()
	doc, err := routing.Adopt("orders", routing.Placement{Bytes: "key", Function: routing.XXH64, Map: routing.ModN}, routing.NumberedShards(4))
	if err != nil {
		t.Fatal(err)
	}
	cfg := pipeline.DefaultConfig("orders")
	cfg.Document, cfg.Pane, cfg.Window = doc, time.Second, 20*time.Second
	judge := policy.Default()
	judge.LongPanes = cfg.LongPanes()
	fleet := pipeline.LiveFleet{Config: cfg, Record: record.Config{Preset: "canonical", Format: "json"}, Judge: judge, Topics: []string{"main/requests"}}
	n := &counting{t: t, topic: pipeline.Topic{ID: pipeline.TopicID{1}, Name: "main/requests", Partitions: 1}, tally: NewTally(time.Second)}
	n.part = pipeline.Partition{Topic: n.topic.ID}
	if n.c, err = NewCounted(fleet); err != nil {
		t.Fatal(err)
	}
	n.append(began(), pipeline.Genesis(1))
	if n.tick, err = pipeline.NewTick(pipeline.Instance{1}, []pipeline.LiveFleet{fleet}, 1, nil); err != nil {
		t.Fatal(err)
	}
	n.tick.Sync(n.c.live.View(), began().Add(time.Hour).UnixNano())
	n.tick.Assign(n.topic, 0, 0, nil)
	return n
}

func (n *counting) append(at time.Time, entry []byte) {
	n.t.Helper()
	if err := n.c.Apply(n.log, at, entry); err != nil {
		n.t.Fatal(err)
	}
	n.log++
}

// second writes the records of a second, counts them, and gives the delta.
func (n *counting) second(s int) []byte {
	n.t.Helper()
	part := n.tick.Part(n.part)
	for i := range 5 {
		at, number := began().Add(time.Duration(s)*time.Second+time.Duration(i)*100*time.Millisecond), uint64(1000+n.next)
		m := &record.Message{Value: fmt.Appendf(nil, `{"ts_ms":%d,"key":"key-%d","op":"PUT","weight":%d}`, at.UnixMilli(), i, number), Time: at.UnixNano()}
		if got := n.tick.Offer(part, n.next, m); got != pipeline.Taken {
			n.t.Fatalf("record %d: %v", n.next, got)
		}
		n.tally.Add(at, number)
		n.next++
	}
	sealed, err := n.tick.Seal(func(pipeline.Partition) int64 { return n.next })
	if err != nil {
		n.t.Fatal(err)
	}
	return sealed.Entry
}

// play counts a minute; each says what becomes of a second's delta.
func (n *counting) play(each func(s int, delta []byte) [][]byte) {
	n.t.Helper()
	for s := range 60 {
		at := began().Add(time.Duration(s+1) * time.Second)
		for _, d := range each(s, n.second(s)) {
			n.append(at, d)
		}
		n.tick.Sync(n.c.live.View(), at.Add(time.Hour).UnixNano())
	}
	for s := range 10 { // nothing more comes; the last panes are complete
		sealed, err := n.tick.Seal(func(pipeline.Partition) int64 { return n.next })
		if err != nil {
			n.t.Fatal(err)
		}
		n.append(began().Add(time.Duration(61+s)*time.Second), sealed.Entry)
	}
}

func once(_ int, delta []byte) [][]byte { return [][]byte{delta} }

// TestCounted: a log that was counted once has no difference, though the window is shorter than the log, and though a zombie
// repeats itself.
func TestCounted(t *testing.T) {
	for name, each := range map[string]func(int, []byte) [][]byte{
		"once": once,
		"a zombie repeats a delta": func(s int, delta []byte) [][]byte {
			if s == 30 {
				return [][]byte{delta, delta}
			}
			return [][]byte{delta}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newCounting(t)
			n.play(each)
			ends := map[int32]int64{0: n.next}
			if !n.c.Done(n.tally.Last(), ends) {
				t.Error("not done")
			}
			if found := n.c.Differences(n.tally, ends); len(found) > 0 {
				t.Errorf("differences: %v", found)
			}
			if first := n.c.First() - began().Unix(); first != 6 { // what may come out of order is over
				t.Errorf("the first whole pane is %d s after the first record's, want 6", first)
			}
		})
	}
}

// TestCountedFinds: what was lost, doubled, or altered on its way is found, and its pane is named.
func TestCountedFinds(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(n *counting, ends map[int32]int64)
		want  string
	}{
		"a record too few": {func(n *counting, _ map[int32]int64) { n.tally.Add(began().Add(40*time.Second), 7) }, "pane 12:00:40: 6 records"},
		"another number": {func(n *counting, _ map[int32]int64) {
			p := paneOf(began().Add(40*time.Second), time.Second)
			s := n.tally.panes[p]
			n.tally.panes[p] = Sum{s.Records, s.Numbers + 1}
		}, "pane 12:00:40: 5 records"},
		"a record too many": {func(n *counting, _ map[int32]int64) {
			p := paneOf(began().Add(40*time.Second), time.Second)
			s := n.tally.panes[p]
			n.tally.panes[p] = Sum{s.Records - 1, s.Numbers - 1200}
		}, "pane 12:00:40: 4 records"},
		"a pane that nothing was written to": {func(n *counting, _ map[int32]int64) {
			delete(n.tally.panes, paneOf(began().Add(7*time.Second), time.Second))
		}, "pane 12:00:07: 0 records"},
		"the log is longer":        {func(_ *counting, ends map[int32]int64) { ends[0]++ }, "partition 0 was counted to 300, it ends at 301"},
		"a partition is missing":   {func(_ *counting, ends map[int32]int64) { ends[1] = 1 }, "partition 1 was counted to 0, it ends at 1"},
		"a partition is too many":  {func(_ *counting, ends map[int32]int64) { delete(ends, 0) }, "1 partitions were counted, the log has 0"},
		"an entry that is garbage": {func(n *counting, _ map[int32]int64) { n.append(began(), []byte("garbage")) }, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newCounting(t)
			n.play(once)
			ends := map[int32]int64{0: n.next}
			tt.spoil(n, ends)
			if found := strings.Join(n.c.Differences(n.tally, ends), "\n"); !strings.Contains(found, tt.want) {
				t.Errorf("found %q, want %q", found, tt.want)
			}
		})
	}
}

// TestCountedLost: a delta that never reached the log leaves its partition behind, and what was counted after it out.
func TestCountedLost(t *testing.T) {
	n := newCounting(t)
	n.play(func(s int, delta []byte) [][]byte {
		if s == 30 {
			return nil
		}
		return [][]byte{delta}
	})
	ends := map[int32]int64{0: n.next}
	if n.c.Done(n.tally.Last(), ends) {
		t.Error("done, although a delta is missing")
	}
	if found := strings.Join(n.c.Differences(n.tally, ends), "\n"); !strings.Contains(found, "partition 0 was counted to 150, it ends at 300") {
		t.Errorf("found %q", found)
	}
	if n.c.Entries().Rejected == 0 {
		t.Error("nothing was rejected")
	}
}

// TestCountedNothing: an empty log is no proof.
func TestCountedNothing(t *testing.T) {
	n := newCounting(t)
	if found := n.c.Differences(n.tally, map[int32]int64{0: 0}); len(found) == 0 {
		t.Error("nothing was counted, and nothing is wrong with it")
	}
}
