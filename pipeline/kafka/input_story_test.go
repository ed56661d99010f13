package kafka

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
)

// witness keeps what a member's observer is told.
type witness struct {
	noObserver

	mu       sync.Mutex
	shown    map[record.Reason]int // refused records that were shown
	stats    pipeline.Stats        // so far
	refused  []uint64              // so far, by record.Reason
	rejected []string
}

func (w *witness) Refused(_ string, why record.Reason, _ *record.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown == nil {
		w.shown = map[record.Reason]int{}
	}
	w.shown[why]++
}

func (w *witness) Counted(_, _ string, stats *pipeline.Stats, refused []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats, w.refused = *stats, slices.Clone(refused)
}

func (w *witness) Entry(out *pipeline.Outcome, _ int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if out.Delta && !out.Accepted {
		w.rejected = append(w.rejected, out.Why)
	}
}

// so gives what was seen so far, and why deltas of anybody were rejected.
func (w *witness) so() (stats pipeline.Stats, rejected []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats, slices.Clone(w.rejected)
}

// TestStoryS09: one record is stamped 24 hours ahead. It is refused and moves nothing: ten thousand that follow, on its own
// partition and on others, are counted, and none is late.
func TestStoryS09(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		seen := &witness{}
		a := s.join(func(c *MemberConfig) { c.Observe = seen })
		s.run(2 * time.Minute)
		from, before := time.Now(), s.n
		stray := time.Now().Add(24 * time.Hour).UnixMilli()
		s.put(1, fmt.Appendf(nil, `{"ts_ms":%d,"key":"key-0","op":"GET","weight":1000}`, stray))
		for range 100 {
			s.write(100)
			time.Sleep(time.Second)
		}
		s.exact(a)
		stats, _ := seen.so()
		if n := s.n - before; n != 10_000 || stats.Counted != uint64(s.n) || stats.Future != 1 || stats.Late != 0 {
			t.Errorf("%d records after the stray one; counted %d of %d, future %d, late %d", n, stats.Counted, s.n, stats.Future, stats.Late)
		}
		if blind, all := a.blindFor(from, time.Now().Add(-time.Minute)); blind > 0 || all < 8 {
			t.Errorf("%d of %d decisions are blind", blind, all)
		}
		a.leave(t)
	})
}

// TestStoryPoison: records that nothing can be made of are counted by reason, each once, and what is beside them is counted. A
// few of them cost nothing; where all of the log is such, we are blind, and the open hotspot is not resolved.
func TestStoryPoison(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		seen := &witness{}
		a := s.join(func(c *MemberConfig) { c.Observe = seen })
		s.heat = 2000
		kinds := map[record.Reason]string{
			record.ReasonSyntax: `GET /carts/7 200`, record.ReasonTruncated: `{"ts_ms":@,"key":"key-0","op":`, record.ReasonNoValue: "",
			record.ReasonNoIdentity: `{"ts_ms":@,"op":"GET","weight":7}`, record.ReasonCount: `{"ts_ms":@,"key":"key-0","weight":-1}`,
			record.ReasonCountHuge: `{"ts_ms":@,"key":"key-0","weight":1e300}`, record.ReasonTime: `{"ts_ms":"yesterday","key":"key-0"}`,
			record.ReasonType: `{"ts_ms":@,"key":{"a":1}}`, record.ReasonDuplicate: `{"ts_ms":@,"key":"key-0","key":"key-1"}`,
		}
		put := map[record.Reason]int{}
		poison := func(why record.Reason) {
			value := []byte(strings.ReplaceAll(kinds[why], "@", fmt.Sprint(time.Now().UnixMilli())))
			if why == record.ReasonNoValue {
				value = nil
			}
			s.put(s.rng.Int32N(s.parts), value)
			put[why]++
		}
		for range 14 {
			for why := range kinds {
				poison(why)
				s.run(1500 * time.Millisecond)
			}
		}
		s.exact(a)
		seen.mu.Lock()
		got := map[record.Reason]int{}
		for why, n := range seen.refused {
			if n > 0 && record.Reason(why) != record.ReasonNone {
				got[record.Reason(why)] = int(n)
			}
		}
		shown := seen.shown
		seen.mu.Unlock()
		if diff := cmp.Diff(put, got); diff != "" {
			t.Errorf("refused by reason (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(put, shown); diff != "" {
			t.Errorf("shown by reason (-want +got):\n%s", diff)
		}
		s.run(2 * time.Minute)
		decisions, _ := a.decided()
		last := decisions[len(decisions)-1]
		if last.Blind || len(last.Open) != 1 {
			t.Fatalf("a few records are poison, and it is decided %+v", last)
		}
		from := time.Now()
		for range 4 * 60 * 4 {
			poison(record.ReasonSyntax)
			time.Sleep(250 * time.Millisecond)
		}
		decisions, times := a.decided()
		for i := range decisions {
			for _, v := range decisions[i].Verdicts {
				if times[i].After(from) && v.Phase == policy.PhaseResolved {
					t.Errorf("resolved %v after the log became unreadable", times[i].Sub(from))
				}
			}
		}
		if last = decisions[len(decisions)-1]; !last.Blind {
			t.Errorf("nothing can be read, and it is decided %+v", last)
		}
		a.leave(t)
	})
}

// TestStoryIdlePartitions: partitions that never had a record, or have none any more, stop no pane, and nobody is blind.
func TestStoryIdlePartitions(t *testing.T) {
	story(t, 5, func(t *testing.T, s *scene) {
		s.parts, s.heat = 2, 2000
		a, b := s.join(), s.join()
		s.run(4 * time.Minute)
		s.parts = 4 // one never has any
		s.run(2 * time.Minute)
		s.parts = 1
		from := time.Now()
		s.run(6 * time.Minute)
		for n, m := range []*actor{a, b} {
			if blind, all := m.blindFor(from, time.Now()); blind > 0 || all < 30 {
				t.Errorf("member %d: %d of %d decisions are blind", n, blind, all)
			}
			if d, _ := m.decided(); len(d[len(d)-1].Open) != 1 {
				t.Errorf("member %d: open %+v, want the hot shard", n, d[len(d)-1].Open)
			}
		}
		s.exact(a, b)
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryOnePartitionFails: one partition cannot be read for minutes. What is known of the others is not the whole: it is said
// that nothing is known. Then all of it is counted.
func TestStoryOnePartitionFails(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		s.heat = 2000
		seen := &witness{}
		a := s.join(func(c *MemberConfig) { c.Observe = seen })
		s.run(4 * time.Minute)
		from := time.Now()
		faults := s.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: requests, Partitions: []int32{2}, Err: kerr.UnknownServerError, Count: -1})
		s.run(5 * time.Minute)
		if faults.Remove(); faults.Hits() == 0 {
			t.Fatal("no fetch failed")
		}
		back := time.Now()
		s.run(2 * time.Minute)
		if blind, all := a.blindFor(from.Add(90*time.Second), back); blind < all || all < 15 {
			t.Errorf("while a partition cannot be read %d of %d decisions are blind", blind, all)
		}
		if blind, all := a.blindFor(back.Add(time.Minute), time.Now()); blind > 0 || all < 4 {
			t.Errorf("a minute after it can be read again %d of %d decisions are blind", blind, all)
		}
		decisions, _ := a.decided()
		for i := range decisions {
			for _, v := range decisions[i].Verdicts {
				if v.Phase == policy.PhaseResolved {
					t.Error("the hotspot was resolved")
				}
			}
		}
		s.exact(a)
		a.leave(t)
	})
}

// TestStoryBacklog: a group that begins ten minutes back counts exactly what is that young, and then what comes.
func TestStoryBacklog(t *testing.T) {
	story(t, 3, func(t *testing.T, s *scene) {
		s.run(15 * time.Minute)
		back := func(c *MemberConfig) { c.Start = map[string]time.Duration{"main/" + requests: 10 * time.Minute} }
		joined := time.Now()
		a, b := s.join(back), s.join(back)
		s.run(time.Minute)
		if blind, all := a.blindFor(joined.Add(30*time.Second), time.Now()); blind > 0 || all < 3 {
			t.Errorf("half a minute after it began %d of %d decisions are blind", blind, all)
		}
		s.run(time.Minute)
		s.exact(a, b)
		_, first, _ := a.total(t)
		if begun := time.Unix(0, first*int64(scenePane)).Sub(joined.Add(-10 * time.Minute)); begun < 0 || begun > 2*scenePane+5*time.Second {
			t.Errorf("the window begins %v after ten minutes before it was started", begun)
		}
		a.leave(t)
		b.leave(t)
	})
}

// TestStoryFallsBehind: a partition comes faster than it can be read. It is sampled, and told as such: nothing counts as lost, and
// the numbers are right within what a sample leaves open. When reading is fast again all of it is looked at.
func TestStoryFallsBehind(t *testing.T) {
	story(t, 2, func(t *testing.T, s *scene) {
		a := s.join()
		client, err := kgo.NewClient(append(s.opts, kgo.ProducerBatchCompression(kgo.NoCompression()))...)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		pad := strings.Repeat("x", 6000)
		flood := func(d time.Duration) { // 240 KB a second on partition 0
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
				s.write(4)
				var batch []*kgo.Record
				for range 20 {
					now := time.Now()
					batch = append(batch, &kgo.Record{Topic: requests, Value: fmt.Appendf(nil, `{"ts_ms":%d,"key":"key-%d","op":"GET","weight":5,"pad":%q}`, now.UnixMilli(), s.rng.IntN(5), pad)})
					s.sums[now.UnixNano()/int64(scenePane)] += 5
				}
				if err := client.ProduceSync(context.WithoutCancel(t.Context()), batch...).FirstErr(); err != nil {
					t.Fatal(err)
				}
				s.ends[0] = batch[len(batch)-1].Offset + 1
			}
		}
		flood(time.Minute)
		slow, id := true, s.cluster.TopicInfo(requests).TopicID
		var mu sync.Mutex
		s.cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
			s.cluster.KeepControl()
			fetch, _ := req.(*kmsg.FetchRequest)
			mu.Lock()
			held := slow && slices.ContainsFunc(fetch.Topics, func(f kmsg.FetchRequestTopic) bool { return f.TopicID == id })
			mu.Unlock()
			if held {
				s.cluster.SleepControl(func() { time.Sleep(4 * time.Second) })
			}
			return nil, nil, false
		})
		flood(2 * time.Minute)
		peak := a.State(context.WithoutCancel(t.Context()))
		mu.Lock()
		slow = false
		mu.Unlock()
		if topic := "main/" + requests; peak.Thin[topic] == 0 || peak.Thinly[topic] != 1 {
			t.Errorf("one partition is far behind, and thinned are %v, by %v", peak.Thinly, peak.Thin)
		}
		s.run(10 * time.Minute)
		time.Sleep(time.Minute)
		sum, first, _ := a.total(t)
		want := 0.0
		for pane, n := range s.sums {
			if pane >= first {
				want += n
			}
		}
		if off := math.Abs(sum-want) / want; off > 0.10 || sum == want {
			t.Errorf("%v requests of %v, %.1f %% off: want a sample", sum, want, 100*off)
		}
		if now := a.State(context.WithoutCancel(t.Context())); len(now.Thin) > 0 || a.counted()[0] != s.ends[0] {
			t.Errorf("long after: thinned by %v, counted to %d of %d", now.Thin, a.counted()[0], s.ends[0])
		}
		a.mu.Lock()
		worst := slices.Min(a.sink.coverage)
		last := a.sink.decisions[len(a.sink.decisions)-10]
		a.mu.Unlock()
		if worst < 1 || last.Blind {
			t.Errorf("coverage went down to %v; blind in the end: %v", worst, last.Blind)
		}
		a.leave(t)
	})
}
