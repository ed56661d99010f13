package kafka

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"firebreak/pipeline"
)

// seeded is what a log says that begins with a seed; without one, that it has not begun.
func seeded(t *testing.T, seed ...uint64) *pipeline.View {
	t.Helper()
	live, err := pipeline.NewLive([]pipeline.LiveFleet{testFleet(t)}, noSink{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range seed {
		if _, err := live.Apply(0, time.Now(), pipeline.Genesis(s)); err != nil {
			t.Fatal(err)
		}
	}
	return live.View()
}

// counting is a consumer that has begun to count a partition with seed 1, and six records of it, in more panes than one tick takes.
// view is what the log of deltas says to it.
func counting(t *testing.T, view **pipeline.View) (c *consumer, id pipeline.Partition, polled []*kgo.Record) {
	t.Helper()
	_, opts := fake(t, kfake.SeedTopics(1, requests))
	client, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	cfg := testConfig(t, opts)
	*view, id = seeded(t, 1), pipeline.Partition{Topic: pipeline.TopicID{1}}
	c = &consumer{
		cfg: &cfg, cluster: "main", log: cfg.Log, client: client, adm: kadm.NewClient(client), clock: newClock(nil), observe: noObserver{},
		view: func() *pipeline.View { return *view }, outcomes: make(chan pipeline.Outcome, 1), mu: newLock(), id: newInstance(),
		owned:  map[pipeline.Partition]*owned{},
		topics: map[string]pipeline.Topic{requests: {ID: id.Topic, Name: "main/" + requests, Partitions: 1}},
	}
	c.ready()
	c.owned[id] = &owned{topic: requests}
	c.assign(id, c.owned[id], 0, pipeline.Progress{}, false)
	for i := range int64(6) {
		at := time.Now().Add(time.Duration(i-10) * time.Second)
		polled = append(polled, &kgo.Record{Offset: i, Timestamp: at, Value: fmt.Appendf(nil, `{"ts_ms":%d,"key":"k","op":"GET"}`, at.UnixMilli())})
	}
	return c, id, polled
}

// TestLogMadeAnewInMidPoll: the log of deltas is another one at the moment at which a delta of ours is accepted, in the middle of
// what a poll gave. The rest of the poll is dropped: nothing of it is offered, or parked, and positions are set anew.
func TestLogMadeAnewInMidPoll(t *testing.T) {
	for name, after := range map[string][]uint64{"with another seed": {2}, "and has not begun": nil, "the same": {1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var view *pipeline.View
				c, id, polled := counting(t, &view)
				sent := 0
				c.append = func(context.Context, []byte) error {
					sent++
					view = seeded(t, after...)
					c.outcomes <- pipeline.Outcome{Delta: true, By: c.id, Number: c.inflight, Accepted: true}
					return nil
				}
				old := c.tick
				c.offer(t.Context(), id, c.owned[id], polled)
				if sent != 1 || c.inflight != 0 {
					t.Fatalf("%d deltas were published: the test says nothing", sent)
				}
				if name == "the same" {
					if c.reseek || c.tick != old || c.tick.Part(id).To() != 6 {
						t.Errorf("reseek %v, counted to %d, want all of the poll", c.reseek, c.tick.Part(id).To())
					}
					return
				}
				if !c.reseek || c.tick.Part(id) != nil || len(c.owned[id].parked) > 0 {
					t.Errorf("reseek %v, assigned %v, %d parked: want a tick that begins anew", c.reseek, c.tick.Part(id) != nil, len(c.owned[id].parked))
				}
				old.Stats(func(_ string, s *pipeline.Stats, _ []uint64) {
					if s.Records == uint64(len(polled)) {
						t.Errorf("all of the poll was offered, %d records, and is polled again", s.Records)
					}
				})
				if got := c.owned[id].from; got < 1 || got > 5 {
					t.Errorf("confirmed up to %d, want to where the delta was sealed", got)
				}
			})
		})
	}
}

// TestLogReadAnewWhileCounting: the follower begins again at the beginning of the same log, which has lost its end, and says nothing
// for a moment. What is polled then is dropped, and so is what the tick has: both are read again from where the log says.
func TestLogReadAnewWhileCounting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var view *pipeline.View
		c, id, polled := counting(t, &view)
		poll := func(records ...*kgo.Record) {
			c.take(t.Context(), kgo.Fetches{{Topics: []kgo.FetchTopic{{Topic: requests, Partitions: []kgo.FetchPartition{{Records: records}}}}}})
		}
		if poll(polled[:3]...); c.reseek || c.tick.Part(id).To() != 3 {
			t.Fatalf("counted to %d: the test says nothing", c.tick.Part(id).To())
		}
		before := view
		view = seeded(t)
		if poll(); c.reseek {
			t.Error("it starts over although nothing was polled")
		}
		if poll(polled[3]); !c.reseek || c.tick.Part(id) != nil {
			t.Errorf("reseek %v, assigned %v: want a tick that begins anew", c.reseek, c.tick.Part(id) != nil)
		}
		if c.seek(); !c.reseek {
			t.Error("positions were set while the log says nothing")
		}
		view = before
		if c.seek(); c.reseek || c.tick.Part(id) == nil || c.tick.Part(id).To() != 0 {
			t.Errorf("reseek %v: want to count from where the log says", c.reseek)
		}
	})
}

// TestTellsWhatIsMissing: what of others' deltas is not counted here, and a memory that cannot be read, are logged; the former
// at a limited rate.
func TestTellsWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		m := &Member{log: zap.New(core)}
		for range 100 {
			m.tell(&pipeline.Outcome{Accepted: true, Foreign: 1, Crowded: 2})
			time.Sleep(time.Second)
		}
		m.tell(&pipeline.Outcome{Forgotten: errors.New("cut off")})
		m.tell(&pipeline.Outcome{Accepted: true})
		got := map[string]int{}
		for _, e := range logs.All() {
			got[e.Message]++
		}
		if len(got) != 3 || len(logs.All()) != 2*2+1 { // of 100 seconds two are told
			t.Errorf("%d lines: %v", len(logs.All()), got)
		}
		if n := logs.FilterField(zap.Error(errors.New("cut off"))).Len(); n != 1 {
			t.Errorf("a memory that cannot be read is told %d times", n)
		}
	})
}

// TestAwait: it holds at once, in the end, or the context ends.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		asked := 0
		if !await(ctx, func() bool { asked++; return asked == 3 }) || asked != 3 {
			t.Errorf("asked %d times", asked)
		}
		began := time.Now()
		if await(ctx, func() bool { return false }) || time.Since(began) > time.Second {
			t.Errorf("it waits %v for what never holds", time.Since(began))
		}
		if !await(ctx, func() bool { return true }) {
			t.Error("what holds at once is not waited for, whatever the context says")
		}
	})
}
